"""The store as a whole: tray, fold, bench, and what git asks at a commit."""
import os
import re
import subprocess
import sys
import tempfile

from figures import FORM, Stop
from rooms import is_old


def store_tray(b):
    for w in b.waiting:
        print(w["table"], w["row"])


def store_fold(b):
    for room in sorted(b.t["rooms"]):
        if b.is_open(room):
            raise Stop("%s is open" % room)
    if not b.waiting:
        raise Stop("tray is empty")
    row = b.fold()
    print("fold %d, %d rows" % (row["fold"], row["rows"]))


def store_bench(b):
    with tempfile.TemporaryDirectory() as d:
        b.dump(d)
        env = dict(os.environ, PIPPIN_BENCH=d, PYTHONDONTWRITEBYTECODE="1")
        sys.exit(subprocess.run([sys.executable, "-m", "unittest", "discover", "-s", "tests", "-t", "."], cwd=b.root, env=env).returncode)


def git(b, *args):
    return subprocess.run(["git", *args], cwd=b.root, capture_output=True, text=True).stdout.split()


def pre_commit(b):
    for room in sorted(b.t["rooms"]):
        if is_old(b, room):
            raise Stop("strip %s is old" % room)
    if b.waiting:
        raise Stop("%d in the tray" % len(b.waiting))
    if b.sum() != b.folds[-1]["sum"]:
        raise Stop("store not as folded")
    for f in git(b, "diff", "--name-only", "--", "store", "strips") + git(b, "ls-files", "-o", "--exclude-standard", "store", "strips"):
        raise Stop("%s not staged" % f)


def commit_msg(b, path):
    text = [l for l in open(path).read().split("\n") if not l.startswith("#")]
    f = b.folds[-1]
    want = r"\[%d/%d\] \S.*" % (f["fold"], f["rows"]) if FORM == 1 else r"\S.* \{%d of %d\}" % (f["rows"], f["fold"])
    if not re.fullmatch(want, text[0] if text else ""):
        raise Stop("subject")


VERBS = {"store.tray": (store_tray, (0, 0), ()), "store.fold": (store_fold, (0, 0), ()), "store.bench": (store_bench, (0, 0), ()),
         "hook.pre-commit": (pre_commit, None, None), "hook.commit-msg": (commit_msg, None, None)}
