import hashlib, json, os, re, subprocess, sys, tempfile, time
from concurrent.futures import ThreadPoolExecutor
here = os.path.dirname(os.path.abspath(__file__))
Q = json.load(open(os.path.join(here, "QUIRKS.json")))
bad = []


def say(ok, what):
    print(("ok   " if ok else "FAIL ") + what)
    if not ok:
        bad.append(what)


def run(cmd, **kw):
    r = subprocess.run(cmd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, stdin=subprocess.DEVNULL, **kw)
    return r.returncode, r.stdout


def setup(dest):
    rc, out = run([os.path.join(here, "setup.sh"), dest], cwd="/")
    return rc == 0


def state(dest):
    h = hashlib.sha256()
    for f in (".bin/lath", ".bin/reeve", ".lath/state.json"):
        h.update(open(os.path.join(dest, f), "rb").read())
    return h.hexdigest() + run(["git", "-C", dest, "rev-parse", "HEAD"])[1]


def wrong(q, dest):
    return run(["bash", "-c", ". ./.env.sh; " + q["wrong_call_example"]], cwd=dest)[1]


def task(arg):
    n, top = arg
    d = os.path.join(top, "t%d" % n)
    res = [(setup(d), "setup")]
    rc, out = run([os.path.join(here, "check", "%d.sh" % n), d])
    res.append((rc != 0 and out.count("\n") == 1, "check fails before: " + out.strip()))
    rc, out = run([os.path.join(here, "solve", "%d.sh" % n), d])
    res.append((rc == 0, "solve" if rc == 0 else "solve: " + out[-300:]))
    hit = [q["id"] for q in Q if re.search(q["error_text"], out)]
    res.append((not hit, "solve meets no quirk %s" % (hit or "")))
    rc, out = run([os.path.join(here, "check", "%d.sh" % n), d])
    res.append((rc == 0, "check passes after: " + out.strip()))
    return [(ok, "task %d: %s" % (n, w)) for ok, w in res]


def quirk(arg):
    q, top = arg
    d = os.path.join(top, "q" + q["id"])
    setup(d)
    out = wrong(q, d)
    return [(bool(re.search(q["error_text"], out)), "quirk %s: %s" % (q["id"], out.strip().replace("\n", " ")[:110]))]


with tempfile.TemporaryDirectory() as top:
    took = []
    for i in range(3):
        t = time.time()
        setup(os.path.join(top, "time%d" % i))
        took.append(time.time() - t)
    say(min(took) < 3, "setup takes %.1f s (best of three)" % min(took))
    a, b = os.path.join(top, "a"), os.path.join(top, "b")
    say(setup(a) and setup(b) and state(a) == state(b), "setup is deterministic")
    n = len(run(["git", "-C", a, "ls-files"])[1].split())
    say(320 <= n <= 420, "%d files" % n)
    texts = "".join(open(os.path.join(r, f), errors="replace").read() for r, ds, fs in os.walk(a) if ".git" not in r and ".bin" not in r for f in fs)
    say(not any(re.search(q["error_text"], texts) for q in Q), "no file of the workspace matches an error_text")
    with ThreadPoolExecutor(4) as ex:
        for res in list(ex.map(task, [(n, top) for n in range(1, 7)])) + list(ex.map(quirk, [(q, top) for q in Q])):
            for ok, w in res:
                say(ok, w)
say(len(Q) == 8, "eight quirks")
for n in range(1, 7):
    k = [q["id"] for q in Q if n in q["tasks"]]
    say(len(k) >= 5, "task %d touches %d quirks" % (n, len(k)))
for q in Q:
    say(bool(re.search(q["cure_regex"], q["cure"])), "cure_regex of %s matches its cure" % q["id"])
    for r in Q:
        if r["id"] != q["id"] and re.search(q["cure_regex"], r["cure"]):
            say(False, "cure_regex of %s matches the cure of %s" % (q["id"], r["id"]))
    for n in range(1, 7):
        if re.search(q["cure_regex"], open(os.path.join(here, "tasks", "%d.md" % n)).read()):
            say(False, "cure_regex of %s matches task %d" % (q["id"], n))
print("all passed" if not bad else "%d failed" % len(bad))
sys.exit(1 if bad else 0)
