set -e
cd "$1"; . ./.env.sh
get() { python3 -c 'import json, sys; print(json.load(sys.stdin)[sys.argv[1]])' "$1"; }
day() { vdesk calendar.day "{\"date\":\"$1\"}" | get roster_day; }
tag() { vdesk charts.pull "{\"chart\":$1}" | get tag; }
price() { vdesk codes.show "{\"code\":\"$1\"}" | get $2; }
qty() { echo "$2$(vdesk codes.show "{\"code\":\"$1\"}" | get unit)"; }
# lines SELL|BUY [CHART:]CODE:QTY ... -> JSON list
lines() {
  local w=$1 out= x c q p; shift
  for x; do
    p=; case $x in *:*:*) p="\"patient\":\"$(tag ${x%%:*})\","; x=${x#*:};; esac
    c=${x%:*}; q=${x#*:}
    out="$out,{$p\"code\":\"$c\",\"qty\":\"$(qty $c $q)\",\"price\":$(price $c $w)}"
  done
  echo "[${out#,}]"
}
letter() { vdesk letters.print "{\"template\":\"$1\",\"patient\":\"$(tag $2)\",\"about\":\"$3\"}" > /dev/null; }
# finish DESK TOPIC label=value ...
finish() {
  local desk=$1 r=reports/2025-W47-$2.md x; cp templates/reports/$2.md $r; shift 2
  for x in week=47 "$@" "notes=All done as asked."; do sed -i "s|{{${x%%=*}}}|${x#*=}|" $r; done
  vdesk daybook.tally > /dev/null; vdesk daybook.close > /dev/null
  vdesk reports.stamp "{\"path\":\"$r\"}" > /dev/null
  make check; git add -A; git commit -q -m "$desk/47: report filed"
}
