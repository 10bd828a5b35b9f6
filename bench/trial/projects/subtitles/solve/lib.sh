# helpers of the reference solutions
set -euo pipefail
dest=$(cd "$1" && pwd); cd "$dest"; . ./.env.sh
if grep -q '^GRADE' Makefile; then fine=GRADE=release; else fine=PRINT=fair; fi
tr() { # DEU.f -> the form of the day
  if [ "$fine" = PRINT=fair ]; then echo "$1"; return; fi
  case $1 in DEU*) l=de ;; FRA*) l=fr ;; FIN*) l=fi ;; NLD*) l=nl ;; POR*) l=pt ;; esac
  case $1 in *.f) echo $l+formal ;; *.i) echo $l+informal ;; *) echo $l+plain ;; esac
}
ask() { # NAME TITLE 'more fields': a writing call with the turn of the moment
  local t; t=$(lantern call title.get "{\"title\":\"$2\"}" | python3 -c 'import json,sys; print(json.load(sys.stdin)["turn"])')
  lantern call "$1" "{\"title\":\"$2\",\"turn\":\"$t\",$3}"
}
take() { python3 -c 'import re,sys; p=sys.argv[1]; s=open(p).read(); open(p,"w").write(re.sub(r"(; take +)(\d+)", lambda m: m[1]+str(int(m[2])+1), s, count=1))' "$1"; }
deliver() { # TITLE LANG TRACK ORDER [WHY]
  local k f m; k="\"track\":\"$(tr "$3")\""
  if [ "$1" = PLAYER ]; then f=out/$1/$2.json; make tables T=$1 L=$2 $fine; else f=out/$1/$2.srt; make subs T=$1 L=$2 $fine; fi
  if [ -n "${5:-}" ]; then ask track.thaw "$1" "$k,\"why\":\"$5\""; fi
  ask track.put "$1" "$k,\"file\":\"$f\""
  m=$(make -s proof T=$1 L=$2 | sed -n 's/.*\[\(.*\)\]/\1/p')
  ask drop.make "$1" "$k,\"order\":\"$4\",\"proof\":\"$m\""
}
