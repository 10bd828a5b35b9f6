"""Writes a zip program and the git history of a workspace, the same bytes every time."""
import calendar, os, subprocess, time, zipfile


def program(path, source):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as f:
        f.write(b"#!/usr/bin/env python3\n")
        with zipfile.ZipFile(f, "w", zipfile.ZIP_DEFLATED) as z:
            z.writestr(zipfile.ZipInfo("__main__.py", (2030, 1, 1, 0, 0, 0)), source, zipfile.ZIP_DEFLATED)
    os.chmod(path, 0o755)


def write(dest, commits):
    """commits: (date, who, message, {path: text or None}, tags); the last one also takes every file of the folder."""
    out, have = [], {}
    for i, (date, who, message, change, tags) in enumerate(commits):
        change = dict(change)
        if i == len(commits) - 1:
            for r, ds, fs in os.walk(dest):
                rel = os.path.relpath(r, dest)
                ds[:] = sorted(d for d in ds if not (rel == "." and d in (".git", ".bin", ".kiln", ".quill", "build")))
                for f in sorted(fs):
                    n = os.path.normpath(os.path.join(rel, f))
                    if n != ".env.sh":
                        change[n] = open(os.path.join(r, f), "rb").read()
        body = b""
        for n, text in sorted(change.items()):
            text = text.encode() if isinstance(text, str) else text
            if text is None:
                body += b"D %s\n" % n.encode()
            elif have.get(n) != text:
                mode = b"100755" if os.access(os.path.join(dest, n), os.X_OK) else b"100644"
                body += b"M %s inline %s\ndata %d\n%s\n" % (mode, n.encode(), len(text), text)
            have[n] = text
        sig = "%s <%s@house.example> %d +0000" % (who, who.split()[-1].lower(), calendar.timegm(time.strptime(date, "%Y-%m-%d")) + 36000)
        m = message.encode() + b"\n"
        out.append(b"commit refs/heads/main\nmark :%d\nauthor %s\ncommitter %s\ndata %d\n%s" % (i + 1, sig.encode(), sig.encode(), len(m), m) + body)
        out += [b"\nreset refs/tags/%s\nfrom :%d\n\n" % (t.encode(), i + 1) for t in tags]
    subprocess.run(["git", "-c", "core.fsync=none", "-C", dest, "fast-import", "--quiet"], input=b"".join(out), check=True)
    subprocess.run(["git", "-C", dest, "reset", "-q"], check=True)
