"""Reading unit files."""
import glob
import os

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def read(path):
    u = {"links": {}, "sets": {}}
    with open(path) as f:
        for line in f:
            w = line.split("#", 1)[0].split()
            if not w:
                continue
            if w[0] == "link":
                n, _, p = w[1].partition(":")
                u["links"][n] = int(p)
            elif w[0] == "set":
                u["sets"][w[1]] = " ".join(w[3:])
            else:
                u[w[0]] = " ".join(w[1:])
    return u


def all_units():
    for p in sorted(glob.glob(os.path.join(ROOT, "units", "*", "*", "*.unit"))):
        env, region, name = p.split(os.sep)[-3:]
        yield env, region, name[:-5], read(p)
