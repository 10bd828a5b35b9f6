import hashlib, json, os, re, subprocess, sys, tempfile, time
from concurrent.futures import ThreadPoolExecutor
here = os.path.dirname(os.path.abspath(__file__))
Q = json.load(open(os.path.join(here, "QUIRKS.json")))
C = json.load(open(os.path.join(here, "CHANGED.json")))
bad = []


def say(ok, what):
    print(("ok   " if ok else "FAIL ") + what)
    if not ok:
        bad.append(what)


def run(cmd, **kw):
    r = subprocess.run(cmd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, stdin=subprocess.DEVNULL, **kw)
    return r.returncode, r.stdout


def setup(dest, form):
    rc, out = run([os.path.join(here, "setup.sh"), dest] + (["--changed"] if form == "changed" else []), cwd="/")
    return rc == 0


def state(dest):
    h = hashlib.sha256()
    for f in (".bin/hawser", ".freight/store.json"):
        h.update(open(os.path.join(dest, f), "rb").read())
    return h.hexdigest() + run(["git", "-C", dest, "rev-parse", "HEAD"])[1]


def wrong(q, dest):
    return run(["bash", "-c", ". ./.env.sh; " + q["wrong_call_example"]], cwd=dest)[1]


def task(arg):
    form, n, top = arg
    d = os.path.join(top, "%s-t%d" % (form, n))
    res = [(setup(d, form), "setup")]
    rc, out = run([os.path.join(here, "check", "%d.sh" % n), d])
    res.append((rc != 0 and out.count("\n") == 1, "check fails before: " + out.strip()))
    rc, out = run([os.path.join(here, "solve", "%d.sh" % n), d])
    res.append((rc == 0, "solve" if rc == 0 else "solve: " + out[-300:]))
    hit = [q["id"] for q in Q if re.search(q["error_text"], out)]
    res.append((not hit, "solve meets no quirk %s" % (hit or "")))
    rc, out = run([os.path.join(here, "check", "%d.sh" % n), d])
    res.append((rc == 0, "check passes after: " + out.strip()))
    return [(ok, "%s task %d: %s" % (form, n, w)) for ok, w in res]


def quirk(arg):
    form, q, i, top = arg
    d = os.path.join(top, "%s-q%d%s" % (form, i, q["id"]))
    setup(d, form)
    out = wrong(q, d)
    return [(bool(re.search(q["error_text"], out)), "%s quirk %s: %s" % (form, q["id"], out.strip().replace("\n", " ")[:110]))]


with tempfile.TemporaryDirectory() as top:
    took = []
    for i in range(3):
        t = time.time()
        setup(os.path.join(top, "time%d" % i), "plain")
        took.append(time.time() - t)
    say(min(took) < 3, "setup takes %.1f s (best of three)" % min(took))
    for form in ("plain", "changed"):
        a, b = os.path.join(top, form + "a"), os.path.join(top, form + "b")
        say(setup(a, form) and setup(b, form) and state(a) == state(b), form + " setup is deterministic")
        texts = "".join(open(os.path.join(r, f), errors="replace").read() for r, ds, fs in os.walk(a) if ".git" not in r and ".bin" not in r for f in fs)
        say(not any(re.search(q["error_text"], texts) for q in Q), form + ": no file of the workspace matches an error_text")
    jobs = [(f, n, top) for f in ("plain", "changed") for n in range(1, 7)]
    qs = [("plain", q, 0, top) for q in Q]
    qs += [("changed", q, 0, top) for q in C]
    other = [q for q in Q if q["id"] not in {c["id"] for c in C}]
    # the six others are the same in the changed form (days are given in the new form)
    for q in other:
        q2 = dict(q, wrong_call_example=q["wrong_call_example"].replace("31w10.4", "2031.065").replace("31w14.1", "2031.090"))
        qs.append(("changed", q2, 1, top))
    with ThreadPoolExecutor(8) as ex:
        for res in list(ex.map(task, jobs)) + list(ex.map(quirk, qs)):
            for ok, w in res:
                say(ok, w)
say(len(Q) == 8 and len(C) == 2 and {c["id"] for c in C} < {q["id"] for q in Q}, "eight quirks, two changed")
for n in range(1, 7):
    k = [q["id"] for q in Q if n in q["tasks"]]
    say(len(k) >= 5, "task %d touches %d quirks" % (n, len(k)))
for q in Q + C:
    say(bool(re.search(q["cure_regex"], q["cure"])), "cure_regex of %s matches its cure" % q["id"])
    for r in Q:
        if r["id"] != q["id"] and re.search(q["cure_regex"], r["cure"]):
            say(False, "cure_regex of %s matches the cure of %s" % (q["id"], r["id"]))
    for n in range(1, 7):
        if re.search(q["cure_regex"], open(os.path.join(here, "tasks", "%d.md" % n)).read()):
            say(False, "cure_regex of %s matches task %d" % (q["id"], n))
for c in C:
    o = next(q for q in Q if q["id"] == c["id"])
    say(not re.search(c["cure_regex"], o["cure"]) and not re.search(o["cure_regex"], c["cure"]), "old and new cure of %s are told apart" % c["id"])
print("all passed" if not bad else "%d failed" % len(bad))
sys.exit(1 if bad else 0)
