# helpers of the reference solutions
set -euo pipefail
dest=$(cd "$1" && pwd); cd "$dest"; . ./.env.sh
full() { reel plan "${1%%.*}" | awk -v p="$1" '$1 == p {print $1 "/" $2}'; }
read_can() { # can length shrink place
  reel bench "$1"; reel reading "$1" "$2" "$3"; reel shelve "$1" "$(full "$4")"
}
slip() { # the slip's text without the enclosed line, then the paper
  printf '%s\nenclosed: %s %s\n' "$1" "$2" "$(gate --sum "$2")" > slips/draft
  local name; name=$(gate --name slips/draft); mv slips/draft "slips/$name"; gate "slips/$name"
}
finish() { # initials subject
  git add -A
  local cards last; cards=$(git diff --cached --name-only -- catalogue | sed 's/.*\///; s/\.card//' | sort | paste -sd,)
  last=$(head -n 1 DAYBOOK.txt | sed 's/.*\/0*\([0-9]*\) .*/\1/; s/ .*//')
  { printf '26b/%03d %s %s %s\n' $((last + 1)) "$1" "${cards:--}" "$2"; cat DAYBOOK.txt; } > .git/new; mv .git/new DAYBOOK.txt
  make -s proof; git add -A; git commit -q -m "$2"
}
