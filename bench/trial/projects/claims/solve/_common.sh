# sourced by N.sh; works in both forms
set -euo pipefail
cd "$1"; . ./.env.sh
if [ "$(plinth version)" = "plinth 4.2" ]; then
  export PLINTH_SEAT=loft
  call() { plinth call "$@"; }
  amount() { local m=$((10#${1/./})); echo "$m/$2"; }
else
  call() { plinth --seat loft call "$@"; }
  amount() { echo "$2:$1"; }
fi
full() { # full reference of a file
  plinth call claim.show "{\"claim\": \"$1\"}" | python3 -c 'import json,sys; d=json.load(sys.stdin); print(d["file"] + "/" + d["check"])'
}
list() { python3 -c 'import json,sys; print(json.dumps(sys.argv[1:]))' "$@"; }
threes() { # TOOL KEY REST items...: in threes
  local tool=$1 key=$2 rest=$3; shift 3
  while [ $# -gt 0 ]; do call $tool "{\"$key\": $(list "${@:1:3}")$rest}"; shift $(($# < 3 ? $# : 3)); done
}
finish() { # kind header
  mapfile -t slips < <(plinth call ledger.slips '{"open": true}' | python3 -c 'import json,sys; [print(json.loads(l)["slip"]) for l in sys.stdin]')
  threes ledger.post slips "" "${slips[@]}"
  call report.run "{\"kind\": \"$1\"}"
}
file() { git add -A && git commit -q -m "$1"; }
