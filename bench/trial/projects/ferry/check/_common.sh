# sourced by N.sh with: n, ticket, to, date
fail() { echo "task $n: $1"; exit 1; }
dest=$(cd "$1" 2>/dev/null && pwd) || fail "no workspace"
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export PYTHONDONTWRITEBYTECODE=1 PYTHONIOENCODING=utf-8
[ "$(git -C "$dest" rev-parse --abbrev-ref HEAD)" = main ] || fail "HEAD is not on main"
rootc=$(git -C "$dest" rev-list --max-parents=0 HEAD | tail -1)
head=$(git -C "$dest" rev-parse HEAD)
[ "$head" != "$rootc" ] || fail "nothing is committed"
[ -z "$(git -C "$dest" status --porcelain)" ] || fail "work tree is not clean"
git -C "$dest" diff --name-only "$rootc" HEAD | grep -q '^checks/ck_.*\.py$' || fail "no check was added or changed"
form=a; [ "$("$dest/bin/slipway" --version 2>/dev/null)" = "slipway 2.6" ] || form=b
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT
python3 "$here/../tools/build.py" "$tmp/bin" $form || fail "cannot build the programs"
git clone -q "$dest" "$tmp/w" 2>/dev/null || fail "cannot clone the repository"
cd "$tmp/w"; PATH="$tmp/bin:$PATH"
for c in $(git rev-list "$rootc..HEAD"); do
  git log -1 --format=%B "$c" > "$tmp/msg"
  slipway entry "$tmp/msg" >/dev/null 2>&1 || fail "the hook would refuse commit ${c:0:8}"
done
git log --format=%s "$rootc..HEAD" | grep -q "$ticket" || fail "no commit names $ticket"
SUND_DESK=K1 chart plot >/dev/null 2>&1 || fail "the committed sheets are not plotted"
fathom run --season R00 >/dev/null 2>&1 || fail "the checks do not pass"
mkdir "$tmp/orig"; git archive "$rootc" | tar -x -C "$tmp/orig"
SUND_TODAY=26/140 python3 "$here/probe.py" "$tmp/w" "$tmp/orig" "$n" > "$tmp/out" 2>&1 || fail "behaviour: $(tail -n 1 "$tmp/out" | cut -c1-200) $(grep -E '^ *assert|^  File' "$tmp/out" | tail -n 2 | tr -s ' \n' ' ' | cut -c1-250)"
python3 - "$dest/.harbour/staged.json" "$ticket" "$to" "$date" "$head" <<'E' || fail "HEAD is not staged for $ticket to $to on $date"
import json, sys
p, *want = sys.argv[1:]
try:
    ok = any([s["ticket"], s["to"], s["date"], s["rev"]] == want and s["witness"] for s in json.load(open(p)))
except (OSError, ValueError, KeyError):
    ok = False
sys.exit(not ok)
E
echo "task $n: ok"
