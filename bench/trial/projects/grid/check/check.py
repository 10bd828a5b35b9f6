import os, subprocess, sys, tempfile, tomllib
n, dest = int(sys.argv[1]), os.path.abspath(sys.argv[2])
here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(here, "tool"))
import gen, wanted
os.environ["TRELLIS_ROOT"] = dest
ns = {"__name__": "trellis"}
exec(compile(open(os.path.join(here, "tool", "trellis.py")).read(), "trellis", "exec"), ns)


def yes(cond, why):
    if not cond:
        print("task %d: %s" % (n, why))
        sys.exit(1)


def git(*a):
    return subprocess.run(["git", "-C", dest] + list(a), capture_output=True, text=True).stdout


def head(name):
    try:
        return tomllib.loads(git("show", "main:" + name))
    except tomllib.TOMLDecodeError:
        yes(False, "%s cannot be read" % name)


try:
    units = ns["load"]()["units"]
except Exception as e:
    yes(False, "the state cannot be read (%s)" % e)
env, s, u, nouns, risk, old, after = wanted.wanted(n)
unit = "%s:%s/%s" % (env, u["cell"], s)
for (e, x), o in old.items():
    name = "%s:%s/%s" % (e, o["cell"], x)
    if name != unit:
        yes(units[name] == {"serial": gen.serial(e, x), "config": ns["flat"](o)}, "state of %s changed" % name)
yes(units[unit]["config"] == ns["flat"](u) and "waves" not in units[unit], "state of %s is not as asked" % unit)
yes(git("rev-parse", "--abbrev-ref", "HEAD").strip() == "main", "HEAD is not main")
yes(not git("status", "--porcelain").strip(), "work tree is not clean")
for (e, x), o in after.items():
    yes(ns["flat"](head("services/%s/env/%s.toml" % (x, e))) == ns["flat"](o), "unit file of %s in %s" % (x, e))
for e in gen.ENVS:
    led = head("environments/%s/ledger.toml" % e)
    for c in ("c1", "c2", "c3", "c4"):
        w = gen.used(after, e, c)
        total = gen.used(old, e, c) + gen.spare(e, c)
        yes(led[c] == {"total": total, "used": w, "spare": total - w}, "ledger of %s %s" % (e, c))
known = set(gen.nouns(old, gen.SERVICES[s]))
yes(set(head("policies/registry/%s.toml" % gen.SERVICES[s])["nouns"]) == known | set(nouns), "registry of the team")
if n == 4:
    admit = {x for (e, x), o in old.items() for r in o["route"] if r["to"] == "workorders"}
    yes(set(head("policies/reach/workorders.toml")["admit"]) == admit | {"tariff"}, "reach policy of workorders")
notes = [head(p) for p in git("ls-tree", "-r", "--name-only", "main", "changes").split() if p.endswith("/%s.toml" % s)]
yes(any((x.get("unit"), x.get("undo_to"), x.get("risk")) == (unit, gen.serial(env, s), risk) for x in notes), "no note in changes/ with the way back and the risk")
yes(ns["digests"](s) == __import__("json").loads(git("show", "main:services/%s/pins.json" % s)), "pins of %s" % s)
yes(subprocess.run(["make", "-s", "check"], cwd=dest, capture_output=True).returncode == 0, "make check fails")
print("task %d: right" % n)
