"""weft: makes prints (subtitle files, string tables) from the sources of Halfmoon Titling.

usage: weft.py build FILE [--kind KIND]    make the print of a source under out/
       weft.py proof FILE                  read the print of a source over
       weft.py snap FILE                   tidy the times of a cue file in place
"""
import hashlib
import json
import os
import re
import sys

KINDS = ("rough", "fair")
NEAR = 3    # frames
SIGNS = 42  # in a line on the screen
CUE = re.compile(r"(\d{3}) (\d\d:\d\d:\d\d:\d\d) (\d\d:\d\d:\d\d:\d\d)$")


class Snag(Exception):
    pass


def sha(text):
    return hashlib.sha256(text.encode()).hexdigest()


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def frames(tc, rate):
    h, m, s, f = map(int, tc.split(":"))
    return ((h * 60 + m) * 60 + s) * rate + f


def timecode(n, rate):
    s, f = divmod(n, rate)
    return "%02d:%02d:%02d:%02d" % (s // 3600, s // 60 % 60, s % 60, f)


def stamp(n, rate):
    """Frames as the time of day of an SRT file."""
    ms = n * 1000 // rate
    return "%02d:%02d:%02d,%03d" % (ms // 3600000, ms // 60000 % 60, ms // 1000 % 60, ms % 1000)


def head(path, text):
    """The fields of the head lines (; name value)."""
    got = dict(re.findall(r"^; (\w+) +(\S+)$", text, re.M))
    for name in ("title", "lang", "take"):
        if name not in got:
            raise Snag("%s:1: head wants %s" % (path, name))
    return got


def cues(path, text, rate):
    """The cues of a cue file: (line, number, in, out, lines)."""
    got = []
    for i, line in enumerate(text.split("\n"), 1):
        m = CUE.match(line)
        if m:
            got.append((i, int(m[1]), frames(m[2], rate), frames(m[3], rate), []))
        elif line.strip() and not line.startswith(";"):
            if not got:
                raise Snag("%s:%d: text before the first cue" % (path, i))
            got[-1][4].append(line.rstrip())
    return got


def shots(path, rate):
    """The cuts of the picture, in frames."""
    return [frames(t, rate) for t in read(os.path.join(os.path.dirname(path), "shots.lst")).split()]


def near(n, cuts):
    """The cut that a time leans on without being on it, or None."""
    if n in cuts:
        return None
    return next((c for c in cuts if abs(c - n) <= NEAR), None)


def build_cue(path, text, kind):
    rate = int(head(path, text)["rate"])
    cuts, out, last = shots(path, rate), [], 0
    if kind != KINDS[1]:
        out.append("0\n00:00:00,000 --> 00:00:01,000\n%s PRINT\n" % kind.upper())
    for want, (line, number, a, b, lines) in enumerate(cues(path, text, rate), 1):
        if number != want:
            raise Snag("%s:%d: cue %03d where %03d is due" % (path, line, number, want))
        if b <= a or a < last:
            raise Snag("%s:%d: times run backwards" % (path, line))
        if near(a, cuts) is not None:
            raise Snag("%s:%d: off the cut" % (path, line))
        last = b
        out.append("%d\n%s --> %s\n%s\n" % (number, stamp(a, rate), stamp(b, rate), "\n".join(lines)))
    return "\n".join(out)


def rows(path, text):
    got = {}
    for i, line in enumerate(text.split("\n"), 1):
        if line and not line.startswith(";"):
            key, tab, value = line.partition("\t")
            if not tab or key in got:
                raise Snag("%s:%d: bad row" % (path, i))
            got[key] = value
    return got


def build_tab(path, text, kind):
    got, base = rows(path, text), os.path.join(os.path.dirname(path), "en.tab")
    odd = set(got) ^ set(rows(base, read(base)))
    if odd:
        raise Snag("%s:1: keys differ from en: %s" % (path, ", ".join(sorted(odd))))
    return json.dumps({"print": kind, "strings": got}, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def make(path, text, kind):
    return (build_cue if path.endswith(".cue") else build_tab)(path, text, kind)


def place(path):
    name = os.path.splitext(os.path.basename(path))
    return os.path.join("out", os.path.basename(os.path.dirname(path)), name[0] + (".srt" if name[1] == ".cue" else ".json"))


def build(path, kind):
    text = read(path)
    done, to = make(path, text, kind), place(path)
    os.makedirs(os.path.dirname(to), exist_ok=True)
    slip = {"source": path, "take": int(head(path, text)["take"]), "kind": kind, "src": sha(text), "out": sha(done)}
    for name, body in ((to, done), (to + ".slip", json.dumps(slip, indent=1) + "\n")):
        with open(name, "w", encoding="utf-8") as f:
            f.write(body)
    print("weft: %s" % to)


def proof(path):
    to = place(path)
    if not os.path.exists(to):
        raise Snag("%s: no print" % to)
    text = read(to)
    for i, line in enumerate(text.split("\n"), 1):
        if to.endswith(".srt") and len(line) > SIGNS:
            raise Snag("%s:%d: %d signs" % (to, i, len(line)))
    print("%s reads well  [%s]" % (to, sha("halfmoon" + sha(text))[:7]))


def snap(path):
    text = read(path)
    rate = int(head(path, text)["rate"])
    cuts = shots(path, rate)

    def tidy(m):
        cut = near(frames(m[2], rate), cuts)
        return "%s %s %s" % (m[1], m[2] if cut is None else timecode(cut, rate), m[3])
    with open(path, "w", encoding="utf-8") as f:
        f.write(re.sub(CUE.pattern, tidy, text, flags=re.M))


def main(args):
    kind = KINDS[0]
    if "--kind" in args[:-1]:
        i = args.index("--kind")
        kind = args[i + 1]
        del args[i:i + 2]
    if len(args) != 2 or args[0] not in ("build", "proof", "snap") or kind not in KINDS:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    try:
        path = os.path.normpath(args[1])
        build(path, kind) if args[0] == "build" else proof(path) if args[0] == "proof" else snap(path)
    except (Snag, OSError) as e:
        print(e, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
