"""Writes the history of a workspace with one git process (called by setup.sh)."""
import calendar
import fnmatch
import os
import subprocess
import sys
import time


def write(dest, commits, message, mail):
    """commits: (date, author, subject, extra, patterns); a file belongs to each commit that names it with new text."""
    names = []
    for r, ds, fs in os.walk(dest):
        rel = os.path.relpath(r, dest)
        ds[:] = sorted(d for d in ds if d != "__pycache__" and not (rel == "." and d.startswith(".")))
        names += [os.path.normpath(os.path.join(rel, f)) for f in sorted(fs)]
    names = sorted(n for n in names if n != ".env.sh")
    out, done = [], {}
    for date, who, subject, extra, patterns, over in commits:
        body = []
        count = 0
        for n in names:
            if not any(n == p or n.startswith(p + "/") or fnmatch.fnmatch(n, p) for p in patterns):
                continue
            with open(over.get(n) or os.path.join(dest, n), "rb") as f:
                text = f.read()
            if done.get(n) == text:
                continue
            done[n] = text
            count += n.endswith(".unit")
            mode = b"100755" if os.access(os.path.join(dest, n), os.X_OK) else b"100644"
            body.append(b"M %s inline %s\ndata %d\n%s\n" % (mode, n.encode(), len(text), text))
        ts = calendar.timegm(time.strptime(date, "%Y-%m-%dT%H:%M"))
        msg = message(subject, extra, count).encode()
        sig = ("%s <%s> %d +0000" % (who, mail(who), ts)).encode()
        out.append(b"commit refs/heads/main\nauthor %s\ncommitter %s\ndata %d\n%s\n" % (sig, sig, len(msg), msg) + b"".join(body))
    left = [n for n in names if n not in done]
    assert not left, left
    subprocess.run(["git", "-c", "core.fsync=none", "-C", dest, "fast-import", "--quiet", "--date-format=raw"], input=b"".join(out), check=True)
    subprocess.run(["git", "-c", "core.fsync=none", "-C", dest, "reset", "-q"], check=True)
