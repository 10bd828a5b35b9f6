# helpers of the reference solutions
set -euo pipefail
dest=$(cd "$1" && pwd); cd "$dest"; . ./.env.sh
case $(pippin --version) in *" 8."*) new=1 ;; *) new= ;; esac
f() { if [ -n "$new" ]; then echo "$2$1"; else echo "$(echo "$1" | sed 's/\.//; s/^\(-\{0,1\}\)0*\([0-9]\)/\1\2/')$2"; fi; }   # value with one place, letter
enter() { local r; for r in "$@"; do pippin room open "$r" --o2 "$(f "$(pippin room show "$r" | sed -n 's/^air *o2 \([0-9.]*\) .*/\1/p')" p)"; done; }
leave() { local r; for r in "$@"; do pippin sensor strip "$r"; pippin room shut "$r"; done; }
samples() { # batch room firm/brix…
  local batch=$1 room=$2 bins; shift 2
  bins=($(pippin room walk "$room" | sed -n "s/^$batch  //p"))
  for v in "$@"; do pippin grade sample "$batch" --bin "${bins[0]}" --firm "$(f "${v%/*}" n)" --brix "$(f "${v#*/}" x)"; bins=("${bins[@]:1}"); done
}
finish() { # subject
  local n r
  read -r n r < <(pippin store fold | sed 's/fold \([0-9]*\), \([0-9]*\) rows/\1 \2/')
  pippin store bench 2>&1 | tail -1
  git add -A
  if [ -n "$new" ]; then git commit -q -m "$1 {$r of $n}"; else git commit -q -m "[$n/$r] $1"; fi
}
