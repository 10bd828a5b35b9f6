import hashlib, json, os, re, subprocess, sys, tempfile, time
from concurrent.futures import ThreadPoolExecutor
here = os.path.dirname(os.path.abspath(__file__))
load = lambda n: json.load(open(os.path.join(here, n)))
Q, C = load("QUIRKS.json"), load("CHANGED.json")
NEW = {c["id"]: c for c in C}
ENV = {"HOME": "/nonexistent", "PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8"}
bad = []


def say(ok, what):
    print(("ok   " if ok else "FAIL ") + what)
    if not ok:
        bad.append(what)


def run(*cmd, cwd="/"):
    r = subprocess.run(cmd, cwd=cwd, env=ENV, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", stdin=subprocess.DEVNULL)
    return r.returncode, r.stdout


def setup(top, name, form):
    dest = os.path.join(top, form + "-" + name)
    rc, out = run("bash", os.path.join(here, "setup.sh"), dest, *(["--changed"] if form == "changed" else []))
    return dest, rc == 0


def part(kind, n, dest):
    return run("bash", os.path.join(here, kind, "%d.sh" % n), dest)


def task(form, n, top):
    dest, ok = setup(top, "t%d" % n, form)
    rc, out = part("check", n, dest)
    res = [(ok, "setup"), (rc == 1 and "Traceback" not in out, "check fails on the untouched workspace: " + out.strip()[:90])]
    rc, out = part("solve", n, dest)
    res.append((rc == 0, "solve " + ("" if rc == 0 else out[-400:])))
    met = [q["id"] for q in Q if re.search(q["error_text"], out)]
    res.append((not met, "solve meets no quirk %s" % (met or "")))
    rc, out = part("check", n, dest)
    res.append((rc == 0, "check passes after solve: " + out.strip()[-200:]))
    return [(o, "%s task %d: %s" % (form, n, w)) for o, w in res]


def quirk(form, q, top):
    dest, _ = setup(top, "q-" + q["id"], form)
    rc, out = run("bash", "-c", ". ./.env.sh\n" + q["wrong_call_example"], cwd=dest)
    return [(rc != 0 and bool(re.search(q["error_text"], out)), "%s quirk %s: %s" % (form, q["id"], out.strip().replace("\n", " ")[:100]))]


def renamed(q):
    """The same wrong call with the marks of the changed form."""
    return dict(q, wrong_call_example=q["wrong_call_example"].replace("stamp 104d", "stamp M1.04.03"))


def state(dest):
    h = hashlib.sha256()
    for r, ds, fs in sorted(os.walk(os.path.join(dest, ".bin"))):
        for f in sorted(fs):
            h.update(open(os.path.join(r, f), "rb").read())
    return h.hexdigest() + run("git", "-C", dest, "rev-parse", "HEAD")[1]


with tempfile.TemporaryDirectory() as top:
    for form in ("plain", "changed"):
        t = time.time()
        a, ok = setup(top, "a", form)
        took = time.time() - t
        b, _ = setup(top, "b", form)
        say(ok and took < 5, "%s setup takes %.1f s" % (form, took))
        say(state(a) == state(b), form + " setup is deterministic")
        say(not run("git", "-C", a, "status", "--porcelain")[1], form + " setup leaves a clean tree")
        names = [os.path.join(a, n) for n in run("git", "-C", a, "ls-files")[1].split()]
        texts = "\n".join(open(n, errors="replace").read() for n in names)
        say(not any(re.search(q["error_text"], texts) for q in Q), "%s: none of %d files holds an error_text" % (form, len(names)))
        readme = open(os.path.join(a, "README.md")).read()
        say(not any(re.search(q["cure_regex"], readme) for q in Q + C), form + ": the README tells no cure")
    jobs = [(task, f, n, top) for f in ("plain", "changed") for n in range(1, 7)]
    jobs += [(quirk, "plain", q, top) for q in Q] + [(quirk, "changed", NEW.get(q["id"]) or renamed(q), top) for q in Q]
    with ThreadPoolExecutor(4) as pool:
        for res in pool.map(lambda j: j[0](*j[1:]), jobs):
            for ok, what in res:
                say(ok, what)
say(len(Q) == 8 and len(C) == 2 and set(NEW) < {q["id"] for q in Q}, "eight quirks, two of them changed")
for n in range(1, 7):
    text = open(os.path.join(here, "tasks", "%d.md" % n)).read()
    k = sum(n in q["tasks"] for q in Q)
    say(k >= 5 and 60 <= len(text.split()) <= 120, "task %d: %d quirks, %d words" % (n, k, len(text.split())))
    told = [q["id"] for q in Q + C if re.search(q["cure_regex"], text)]
    say(not told, "task %d tells no cure %s" % (n, told or ""))
for q in Q + C:
    others = [r["id"] for r in Q + C if r["id"] != q["id"] and re.search(q["cure_regex"], r["cure"])]
    say(bool(re.search(q["cure_regex"], q["cure"])) and not others, "cure_regex of %s matches its cure only %s" % (q["id"], others or ""))
for c in C:
    o = next(q for q in Q if q["id"] == c["id"])
    say(not re.search(c["cure_regex"], o["cure"]) and not re.search(o["cure_regex"], c["cure"]), "old and new cure of %s are told apart" % c["id"])
print("all passed" if not bad else "%d failed" % len(bad))
sys.exit(1 if bad else 0)
