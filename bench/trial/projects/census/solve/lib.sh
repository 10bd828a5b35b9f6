set -e
cd "$DEST"; . ./.env.sh
control() { sed -n 's/^Records *//p' "${1%.csv}.slip.txt" | tr '\n' '#'; sed -n 's/^Total *\([0-9]*\).*/\1/p' "${1%.csv}.slip.txt"; }
deliver() { # PRODUCT SOURCE PERIOD FILE BOOK [--replace]
  tally codebook pull $5
  [ -z "$(git ls-files -o -m migrations)" ] || tally ledger add migrations/*.sql
  tally round open $1; tally migrate
  tally load $2 $3 --control "$(control $4)" --file $4 $6
  tally round close
}
publish() { # PRODUCT TABLE PERIOD [REVISION]
  tally ledger add models/$2.sql halstat/*.py
  tally --lane issue build $2 $3; tally sdc $2 $3; tally release $2 $3 ${4:+--revision "$4"}
  p=20${3:1:2}-${3:3}; f=published/$2/$p.csv
  sed "s/{{table}}/$2/;s/{{period}}/$p/;s/{{revision}}/${4:+1}/;s/Revision: $/Revision: 0/;s/{{rows}}/$(tail -n +2 $f | wc -l)/;s/{{suppressed}}/$(grep -c ',c$' $f || true)/;s/{{findings}}/Nothing to report./" reviews/TEMPLATE.md > reviews/$2_$p.md
  make check; git add -A; git commit -q -m "Publish $2 $p" -m "Catalogue: $1"
}
