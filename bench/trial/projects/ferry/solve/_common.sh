set -euo pipefail
cd "$1"; . ./.env.sh
form=a; [ "$(slipway --version)" = "slipway 2.6" ] || form=b
pending() { [ $form = a ] && echo "--" || echo "$1"; } # desk
edit() { python3 - "$1" "$2" "$3" <<'E'
import sys
p, a, b = sys.argv[1:]
s = open(p).read(); assert s.count(a) == 1, (p, a, s.count(a)); open(p, 'w').write(s.replace(a, b))
E
}
finish() { # ticket consignee day area desk subject
  git add -A
  if [ $form = a ]; then git commit -q -m "$1 $4 // $6"; else git commit -q -m "$1: $6" -m "Desk: $5"; fi
  slipway open "$1" --to "$2" --day "$3"
  fathom run --season R00 --witness "$(awk -F'\t' '$3=="ashore"{print $1; exit}' data/crew.tsv)"
  slipway stage --note "$6"
  slipway list
}
