# helpers of the reference solutions
set -euo pipefail
dest=$(cd "$1" && pwd); cd "$dest"; . ./.env.sh
last() { awk '{print $NF}' | tail -1; }
# ship ENV YARD CAUSE "guilds" targets... ; a leading - marks a unit that is closed (not plumbed)
ship() {
  local env=$1 yard=$2 cause=$3 guilds=$4 t p s g cells; shift 4
  local all=() live=()
  for t in "$@"; do all+=("${t#-}.$env"); [ "$t" = "${t#-}" ] && live+=("$t.$env"); done
  cells=$(printf '%s\n' "${all[@]#*@}" | sort -u)
  cellmap draw $cells
  plumb check "${live[@]}" --yard "$yard"
  lath bolt take $cells
  p=$(lath plan "${all[@]}" | last)
  s=$(lath stage "$p" --cause "$cause" | last)
  for g in $guilds; do reeve second "$s" --guild "$g"; done
  lath apply "$s"
  lath settle "$s"
  lath bolt free $cells
}
both() { local c=$1 g=$2; shift 2; ship trial clay "$c" "" "$@"; ship prod granite "$c" "$g" "$@"; }
