#!/bin/bash
set -euo pipefail
cd "${1:?WORKSPACE}"; . ./.env.sh
last() { python3 -c "import json,sys; print(json.dumps([m[\"mark\"] for m in json.load(sys.stdin) if m[\"state\"]==\"soft\"]))"; }
inkall() { stage ink "{\"tour\":\"$1\",\"marks\":$(stage marks "{\"tour\":\"$1\"}" | last)}" >/dev/null; stage tour_export "{\"tour\":\"$1\"}" >/dev/null; make -s sheet TOUR=$1 >/dev/null; }

export STAGE_DESK=PL/1
stage worklight '{"tour":"S2","on":true}' >/dev/null
stage stop_move '{"tour":"S2","venue":"V-044","first":"17d","get_in":"17d","line":"6312"}' >/dev/null
python3 - <<'P'
p="tours/S2/route.csv"; L=open(p).read().splitlines()
L[2:]=[L[3].replace("3,V","2,V",1).replace(",45,",",65,"),L[4].replace("4,V","3,V",1),'4,V-044,"Grammar School Hall, Wexcombe",2031-11-27,2,2031-11-27,90,2031-11-13']
open(p,"w").write("\n".join(L)+"\n")
def sub(p,*ab):
    s=open(p).read()
    for a,b in ab: assert a in s,(p,a); s=s.replace(a,b)
    open(p,"w").write(s)
sub("tours/S2/stops/wexcombe.md",("2031-11-13","2031-11-27"),("55 min from Lorn Green","90 min from Pennick"))
sub("tours/S2/stops/thrale.md",("45 min from Wexcombe","65 min from Lorn Green"))
sub("scripts/diary.py",('''    return "%s  %s (%d night%s)" % (day(row["first"]), row["house"], n, "" if n == 1 else "s")''',
'''    moved = " [moved from %s]" % day(row["was"]) if row.get("was") else ""
    return "%s  %s (%d night%s)%s" % (day(row["first"]), row["house"], n, "" if n == 1 else "s", moved)'''))
open("tests/test_diary.py","a").write('''
    def test_moved(self):
        row = {"house": "Tithe Barn, Kelder", "first": "2031-11-06", "nights": "1", "was": "2031-11-04"}
        self.assertEqual(diary.line(row), "Thu 6 Nov 2031  Tithe Barn, Kelder (1 night) [moved from Tue 4 Nov 2031]")
''')
open("tours/S2/letters/2031-11-wexcombe.txt","w").write("""To: Grammar School Hall, Wexcombe
Re: The Paper Crown, moved from Thursday 13 November 2031
New first night: Thursday 27 November 2031
Nights: 2
Get-in: Thursday 27 November 2031

Your boiler has burst and we cannot play on the days that were agreed. Please keep the
keys and three hands for us on the new day, and tell those who hold tickets that they stay good.

Tallow & Thread, production office
""")
P
inkall S2
make -s test
git add -A && git commit -q -m "Wexcombe moved to 27 November" -m "Docket: 4475/S2"
