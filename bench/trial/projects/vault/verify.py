import json, os, re, subprocess, sys, tempfile, time
from pathlib import Path
here = Path(__file__).resolve().parent
Q = json.loads((here / "QUIRKS.json").read_text())
bad = count = 0
ENV = {"HOME": "/nonexistent", "PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8", "TERM": "dumb",
       **{"GIT_%s_%s" % (who, what): "dev" if what == "NAME" else "dev@example.com" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}}


def say(ok, what):
    global bad, count
    count += 1
    bad += not ok
    if not ok or "-v" in sys.argv:
        print(("ok   " if ok else "FAIL ") + what)


def run(*cmd, cwd="/"):
    r = subprocess.run([str(c) for c in cmd], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, stdin=subprocess.DEVNULL, cwd=cwd, env=ENV)
    return r.returncode, r.stdout


def hit(pattern, text):
    return bool(re.search(pattern, text, re.M | re.S))


with tempfile.TemporaryDirectory() as top:
    top = Path(top)
    began = time.time()
    say(run("bash", here / "setup.sh", top / "a")[0] == 0, "setup")
    say(time.time() - began < 5, "setup in time")
    run("bash", here / "setup.sh", top / "b")
    head = [run("git", "-C", top / d, "rev-parse", "HEAD")[1] for d in "ab"]
    say(head[0] == head[1] and all((top / "a/.bin" / t).read_bytes() == (top / "b/.bin" / t).read_bytes() for t in ("reel", "gate")), "setup is deterministic")
    say(not run("git", "-C", top / "a", "status", "--porcelain")[1], "fresh workspace is clean")
    files = run("git", "-C", top / "a", "ls-files")[1].split()
    say(20 <= len(files) <= 45, "%d files" % len(files))
    text = "\n".join((top / "a" / f).read_text() for f in files)
    lines = text.count("\n") + sum((here / "tool" / t).read_text().count("\n") for t in ("core.py", "reel.py", "gate.py"))
    say(400 <= lines <= 900, "%d lines" % lines)
    for n in range(1, 7):
        d = top / ("t%d" % n)
        run("bash", here / "setup.sh", d)
        rc, out = run("bash", here / "check" / ("%d.sh" % n), d)
        say(rc != 0 and out.startswith("task %d:" % n), "task %d fails untouched: %s" % (n, out.strip()))
        rc, out = run("bash", here / "solve" / ("%d.sh" % n), d)
        say(rc == 0, "task %d is solved: %s" % (n, out[-200:].strip().replace("\n", " | ")))
        say(not [q["id"] for q in Q if hit(q["error_text"], out)], "the solution of task %d meets no quirk" % n)
        rc, out = run("bash", here / "check" / ("%d.sh" % n), d)
        say(rc == 0, "task %d is right: %s" % (n, out.strip()))
        for m in range(1, 7):
            if m != n:
                say(run("bash", here / "check" / ("%d.sh" % m), d)[0] != 0, "check %d refuses the result of task %d" % (m, n))
        words = len((here / "tasks" / ("%d.md" % n)).read_text().split())
        say(60 <= words <= 120, "task %d has %d words" % (n, words))
        say(sum(n in q["tasks"] for q in Q) >= 5, "task %d needs most quirks" % n)
    tasks = "\n".join((here / "tasks" / ("%d.md" % n)).read_text() for n in range(1, 7))
    for q in Q:
        d = top / ("q-" + q["id"])
        run("bash", here / "setup.sh", d)
        rc, out = run("bash", "-c", ". ./.env.sh; " + q["wrong_call_example"], cwd=d)
        say(rc != 0 and hit(q["error_text"], out), "quirk %s: %s" % (q["id"], out.strip().replace("\n", " | ")))
        say([o["id"] for o in Q if hit(o["error_text"], out)] == [q["id"]], "quirk %s gives its own error only" % q["id"])
        say(not hit(q["error_text"], text), "no file has the error of " + q["id"])
        say([o["id"] for o in Q if re.search(o["cure_regex"], q["cure"])] == [q["id"]], "only its own cure_regex matches the cure of %s: %s" % (q["id"], [o["id"] for o in Q if re.search(o["cure_regex"], q["cure"])]))
        for what, words in (("a task", tasks), ("the README and docs", "\n".join((top / "a" / f).read_text() for f in files if f.endswith(".md"))), ("the errors", out)):
            m = re.search(q["cure_regex"], words)
            say(not m, "cure_regex of %s is not in %s %s" % (q["id"], what, m or ""))
    say(len(Q) == 8, "eight quirks")
print("verify: %d checks, %d failed%s" % (count, bad, "" if bad else ", all passed"))
sys.exit(1 if bad else 0)
