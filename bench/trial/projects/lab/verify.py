import hashlib, json, os, re, subprocess, sys, tempfile, time
from concurrent.futures import ThreadPoolExecutor
here = os.path.dirname(os.path.abspath(__file__))
Q = json.load(open(os.path.join(here, "QUIRKS.json")))
C = json.load(open(os.path.join(here, "CHANGED.json"))) if os.path.exists(os.path.join(here, "CHANGED.json")) else []
FORMS = ("plain", "changed") if C else ("plain",)
NEWFORM = lambda call: re.sub(r"(\d+)~(ug|ng)\.L-1", r"\2/L=\1", call)  # the wrong calls of unchanged quirks, in the changed form
bad = []


def say(ok, what):
    print(("ok   " if ok else "FAIL ") + what)
    if not ok:
        bad.append(what)


def run(cmd, **kw):
    r = subprocess.run(cmd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, stdin=subprocess.DEVNULL, **kw)
    return r.returncode, r.stdout


def setup(dest, form):
    return run([os.path.join(here, "setup.sh"), dest] + (["--changed"] if form == "changed" else []), cwd="/")[0] == 0


def state(dest):
    h = hashlib.sha256()
    for top in (".bin", STATE):
        for r, ds, fs in sorted(os.walk(os.path.join(dest, top))):
            for f in sorted(fs):
                h.update(open(os.path.join(r, f), "rb").read().replace(dest.encode(), b""))
    return h.hexdigest() + run(["git", "-C", dest, "rev-parse", "HEAD"])[1]


def task(arg):
    form, n, top = arg
    d = os.path.join(top, "%s-t%d" % (form, n))
    res = [(setup(d, form), "setup")]
    rc, out = run([os.path.join(here, "check", "%d.sh" % n), d])
    res.append((rc != 0 and out.count("\n") == 1, "check fails before: " + out.strip()))
    rc, out = run([os.path.join(here, "solve", "%d.sh" % n), d])
    res.append((rc == 0, "solve" if rc == 0 else "solve: " + out[-600:]))
    hit = [q["id"] for q in Q if re.search(q["error_text"], out)]
    res.append((not hit, "solve meets no quirk %s" % (hit or "")))
    rc, out = run([os.path.join(here, "check", "%d.sh" % n), d])
    res.append((rc == 0, "check passes after: " + out.strip()))
    return [(ok, "%s task %d: %s" % (form, n, w)) for ok, w in res]


def quirk(arg):
    form, q, i, top = arg
    d = os.path.join(top, "%s-q%d%s" % (form, i, q["id"]))
    setup(d, form)
    rc, out = run(["bash", "-c", ". ./.env.sh; " + q["wrong_call_example"]], cwd=d)
    return [(bool(re.search(q["error_text"], out)) and rc != 0, "%s quirk %s: %s" % (form, q["id"], out.strip().replace("\n", " ")[:110]))]


STATE = ".lab"
with tempfile.TemporaryDirectory() as top:
    t = time.time()
    setup(os.path.join(top, "time"), "plain")
    say(time.time() - t < 5, "setup takes %.1f s" % (time.time() - t))
    for form in FORMS:
        a, b = os.path.join(top, form + "a"), os.path.join(top, form + "b")
        say(setup(a, form) and setup(b, form) and state(a) == state(b), form + " setup is deterministic")
        texts = "".join(open(os.path.join(r, f), errors="replace").read() for r, ds, fs in os.walk(a) if "/." not in r[len(top):] for f in fs)
        say(not any(re.search(q["error_text"], texts) for q in Q), form + ": no file of the workspace matches an error_text")
    jobs = [(f, n, top) for f in FORMS for n in range(1, 7)]
    qs = [("plain", q, 0, top) for q in Q] + [("changed", q, 0, top) for q in C]
    if C:
        qs += [("changed", dict(q, wrong_call_example=NEWFORM(q["wrong_call_example"])), 1, top) for q in Q if q["id"] not in {c["id"] for c in C}]
    with ThreadPoolExecutor(3) as ex:
        for res in list(ex.map(task, jobs)) + list(ex.map(quirk, qs)):
            for ok, w in res:
                say(ok, w)
say(len(Q) == 8 and (not C or len(C) == 2 and {c["id"] for c in C} < {q["id"] for q in Q}), "eight quirks, %d changed" % len(C))
for n in range(1, 7):
    k = [q["id"] for q in Q if n in q["tasks"]]
    words = len(open(os.path.join(here, "tasks", "%d.md" % n)).read().split())
    say(len(k) >= 5 and 60 <= words <= 120, "task %d touches %d quirks, %d words" % (n, len(k), words))
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
