"""Sets up workspaces and tries every task and every quirk, in both forms of the project."""
import json, os, re, subprocess, sys, tempfile, time
here = os.path.dirname(os.path.abspath(__file__))
Q, C = (json.load(open(os.path.join(here, n))) for n in ("QUIRKS.json", "CHANGED.json"))
bad = []
ENV = {"HOME": "/tmp", "PATH": os.environ["PATH"], "LANG": "C.UTF-8"}


def say(ok, what):
    print(("ok   " if ok else "FAIL ") + what)
    bad.extend([] if ok else [what])


def run(*cmd, cwd="/"):
    r = subprocess.run(cmd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, stdin=subprocess.DEVNULL, cwd=cwd, env=ENV)
    return r.returncode, r.stdout


def setup(dest, form):
    rc, out = run("bash", os.path.join(here, "setup.sh"), dest, *(["--changed"] if form == "changed" else []))
    if rc:
        print(out)
    return rc == 0


def newer(call):
    """A call of the plain form with the figures of the changed form."""
    return re.sub(r"(?<=\s)(-?\d+)(\d)([knxpc])\b", r"\3\1.\2", call)


with tempfile.TemporaryDirectory() as top:
    for form in ("plain", "changed"):
        a, b = os.path.join(top, form + "-a"), os.path.join(top, form + "-b")
        t = time.time()
        say(setup(a, form), form + ": setup in %.1f s" % (time.time() - t))
        say(time.time() - t < 5 and setup(b, form) and run("git", "-C", a, "rev-parse", "HEAD") == run("git", "-C", b, "rev-parse", "HEAD"), form + ": setup is quick and deterministic")
        say(not run("git", "-C", a, "status", "--porcelain")[1], form + ": work tree is clean")
        rc, out = run("bash", "-c", ". ./.env.sh; pippin store bench", cwd=a)
        say(rc == 0, form + ": tests pass")
        names = run("git", "-C", a, "ls-files")[1].split()
        say(20 <= len(names) <= 45, form + ": %d files" % len(names))
        texts = "".join(open(os.path.join(a, n), errors="replace").read() for n in names)
        say(not [q["id"] for q in Q + C if re.search(q["error_text"], texts)], form + ": no file shows an error_text")
        pages = "".join(open(os.path.join(a, n)).read() for n in names if n.endswith(".md"))
        say(not [q["id"] for q in Q + C if re.search(q["cure_regex"], pages)], form + ": no page tells a cure")
        for n in range(1, 7):
            d = os.path.join(top, "%s-t%d" % (form, n))
            setup(d, form)
            check = os.path.join(here, "check", "%d.sh" % n)
            rc, out = run("bash", check, d)
            say(rc != 0, "%s task %d: check fails before: %s" % (form, n, out.strip()))
            rc, out = run("bash", os.path.join(here, "solve", "%d.sh" % n), d)
            say(rc == 0, "%s task %d: solve %s" % (form, n, "" if rc == 0 else out[-300:]))
            say(not [q["id"] for q in Q if re.search(q["error_text"], out)], "%s task %d: solve meets no quirk" % (form, n))
            rc, out = run("bash", check, d)
            say(rc == 0, "%s task %d: check passes after: %s" % (form, n, out.strip()))
            for m in range(1, 7):
                if m != n and run("bash", os.path.join(here, "check", "%d.sh" % m), d)[0] == 0:
                    say(False, "%s: check %d passes on task %d" % (form, m, n))
        old = Q if form == "plain" else [dict(q, wrong_call_example=newer(q["wrong_call_example"])) for q in Q]
        for i, q in enumerate(old + (C if form == "changed" else [])):
            d = os.path.join(top, "%s-q%d" % (form, i))
            setup(d, form)
            out = run("bash", "-c", ". ./.env.sh; " + q["wrong_call_example"], cwd=d)[1]
            hit = [x["id"] for x in Q if re.search(x["error_text"], out)]
            last = (re.findall(r"NOT DONE.*", out) or [out.strip()[-100:]])[-1]
            say(hit == [q["id"]], "%s quirk %s: %s" % (form, q["id"], last))
say(len(Q) == 8 and {c["id"] for c in C} < {q["id"] for q in Q}, "eight quirks, %d changed" % len(C))
for n in range(1, 7):
    text = open(os.path.join(here, "tasks", "%d.md" % n)).read()
    say(sum(n in q["tasks"] for q in Q) >= 5 and 60 <= len(text.split()) <= 120, "task %d: %d quirks, %d words" % (n, sum(n in q["tasks"] for q in Q), len(text.split())))
    say(not [q["id"] for q in Q + C if re.search(q["cure_regex"], text)], "task %d tells no cure" % n)
for q in Q + C:
    say(bool(re.search(q["cure_regex"], q["cure"])), "cure_regex of %s matches its cure" % q["id"])
    say(not [r["id"] for r in Q + C if r is not q and re.search(q["cure_regex"], r["cure"])], "cure_regex of %s matches no other cure" % q["id"])
print("all passed" if not bad else "%d failed" % len(bad))
sys.exit(1 if bad else 0)
