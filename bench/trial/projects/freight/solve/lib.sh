# helpers of the reference solutions
set -euo pipefail
dest=$(cd "$1" && pwd); cd "$dest"; . ./.env.sh
case $(hawser --version) in *" 5."*) new=1 ;; *) new= ;; esac
d() { if [ -n "$new" ]; then date -u -d "$1" +%Y.%j; else date -u -d "$1" +%gw%V.%u; fi; }   # ISO day -> house day
t() { if [ -n "$new" ]; then echo outturn; else echo tally; fi; }
get() { python3 -c 'import json,sys; print(json.load(sys.stdin)[sys.argv[1]])' "$1"; }
finish() { # subject
  hawser index.build '{"of":"reports"}'
  git add -A
  local k; k=$(hawser docket.open "{\"about\":\"$1\"}" | get docket)
  git commit -q -m "$1" -m "Docket: $k"
}
