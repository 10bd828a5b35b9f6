import hashlib, json, os, re, subprocess, sys, tempfile, time
from concurrent.futures import ThreadPoolExecutor
here = os.path.dirname(os.path.abspath(__file__))
Q, C = (json.load(open(os.path.join(here, f))) for f in ("QUIRKS.json", "CHANGED.json"))
FORMS = ("plain", "changed")
bad = []


def say(ok, what):
    print(("ok   " if ok else "FAIL ") + what)
    if not ok:
        bad.append(what)


def run(*cmd, **kw):
    env = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "LANG": "C.UTF-8"}
    p = subprocess.run(cmd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, stdin=subprocess.DEVNULL, env=env, **kw)
    return p.returncode, p.stdout


def setup(dest, form):
    return run(os.path.join(here, "setup.sh"), dest, *(["--changed"] if form == "changed" else []), cwd="/")[0] == 0


def script(kind, n, dest):
    return run(os.path.join(here, kind, "%d.sh" % n), dest, cwd="/")


def task(form, n, top):
    d, got = os.path.join(top, "%s-t%d" % (form, n)), []
    got.append((setup(d, form), "setup"))
    rc, out = script("check", n, d)
    got.append((rc != 0 and out.count("\n") == 1, "check fails before: " + out.strip()))
    rc, out = script("solve", n, d)
    got.append((rc == 0, "solve" if rc == 0 else "solve: " + out[-300:]))
    hit = [q["id"] for q in Q if re.search(q["error_text"], out, re.M | re.S)]
    got.append((not hit, "solve meets no quirk %s" % (hit or "")))
    rc, out = script("check", n, d)
    got.append((rc == 0, "check passes after: " + out.strip()))
    for other in range(1, 7):
        if other != n and script("check", other, d)[0] == 0:
            got.append((False, "check %d passes too" % other))
    return [(ok, "%s task %d: %s" % (form, n, w)) for ok, w in got]


def quirk(form, q, top):
    d = os.path.join(top, "%s-q-%s" % (form, q["id"]))
    setup(d, form)
    out = run("bash", "-c", ". ./.env.sh; " + q["wrong_call_example"], cwd=d)[1]
    met = [r["id"] for r in Q if re.search(r["error_text"], out, re.M | re.S)]
    return [(met == [q["id"]], "%s quirk %s: %s" % (form, q["id"], out.strip().replace("\n", " ")[:110]))]


def state(dest):
    files = [open(os.path.join(dest, f), "rb").read() for f in (".bin/lantern", ".lantern/desk.json")]
    return hashlib.sha256(b"".join(files)).hexdigest() + run("git", "-C", dest, "rev-parse", "HEAD")[1]


with tempfile.TemporaryDirectory() as top:
    for form in FORMS:
        a, b = (os.path.join(top, form + x) for x in "ab")
        began = time.time()
        say(setup(a, form), form + " setup")
        say(time.time() - began < 5, "%s setup takes %.1f s" % (form, time.time() - began))
        say(setup(b, form) and state(a) == state(b), form + " setup is deterministic")
        say(not run("git", "-C", a, "status", "--porcelain")[1], form + " workspace is clean")
        files = [os.path.join(a, f) for f in run("git", "-C", a, "ls-files")[1].split()]
        text = "\n".join(open(f, encoding="utf-8").read() for f in files)
        say(20 <= len(files) <= 45, "%s: %d files, %d lines" % (form, len(files), text.count("\n")))
        say(not [q["id"] for q in Q + C if re.search(q["error_text"], text)], form + ": no file of the workspace matches an error_text")
    for f in ("README.md", "Makefile", *("docs/" + f for f in os.listdir(os.path.join(a, "docs")))):
        for base in (os.path.join(top, "plaina"), a):
            hit = [q["id"] for q in Q + C if re.search(q["cure_regex"], open(os.path.join(base, f), encoding="utf-8").read())]
            if hit:
                say(False, "%s tells the cure of %s" % (f, hit))
    jobs = [(task, f, n) for f in FORMS for n in range(1, 7)] + [(quirk, "plain", q) for q in Q] + [(quirk, "changed", q) for q in C]
    for q in Q:  # the six others are the same in the changed form
        if q["id"] not in [c["id"] for c in C]:
            jobs.append((quirk, "changed", dict(q, wrong_call_example=q["wrong_call_example"].replace("FRA.f", "fr+formal").replace("PRINT=fair", "GRADE=release"))))
    with ThreadPoolExecutor(2) as pool:
        for got in pool.map(lambda j: j[0](j[1], j[2], top), jobs):
            for ok, what in got:
                say(ok, what)
say(len(Q) == 8 and len(C) == 2 and {c["id"] for c in C} < {q["id"] for q in Q}, "eight quirks, two changed")
for n in range(1, 7):
    text = open(os.path.join(here, "tasks", "%d.md" % n), encoding="utf-8").read()
    say(sum(n in q["tasks"] for q in Q) >= 5, "task %d touches %d quirks" % (n, sum(n in q["tasks"] for q in Q)))
    say(60 <= len(text.split()) <= 120, "task %d has %d words" % (n, len(text.split())))
    say(not [q["id"] for q in Q + C if re.search(q["cure_regex"], text)], "task %d tells no cure" % n)
for q in Q + C:
    say(bool(re.search(q["cure_regex"], q["cure"])), "cure_regex of %s matches its cure" % q["id"])
    hit = [r["id"] for r in Q + C if r is not q and r["id"] != q["id"] and re.search(q["cure_regex"], r["cure"])]
    say(not hit, "cure_regex of %s matches no other cure %s" % (q["id"], hit or ""))
for c in C:
    o = next(q for q in Q if q["id"] == c["id"])
    say(not re.search(c["cure_regex"], o["cure"]) and not re.search(o["cure_regex"], c["cure"]), "old and new cure of %s are told apart" % c["id"])
print("all passed" if not bad else "%d failed" % len(bad))
sys.exit(1 if bad else 0)
