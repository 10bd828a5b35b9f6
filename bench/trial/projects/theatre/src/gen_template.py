"""Writes the generated files of template/ (run once by the author)."""
import datetime, json, os, sqlite3, sys
sys.dont_write_bytecode = True
here = os.path.dirname(os.path.abspath(__file__)); sys.path.insert(0, here)
import house, seed
T = os.path.join(here, "..", "template")
def put(p, s):
    p = os.path.join(T, p); os.makedirs(os.path.dirname(p), exist_ok=True); open(p, "w").write(s)
V = {v[0]: v for v in seed.VENUES}; P = {p[0]: p for p in seed.PEOPLE}
H = lambda v: "%s, %s" % (V[v][1], V[v][2])
DR = [("V-000","V-011",95),("V-011","V-014",70),("V-014","V-019",210),("V-014","V-027",265),("V-019","V-022",85),("V-019","V-027",180),("V-022","V-027",150),
      ("V-000","V-031",60),("V-031","V-033",75),("V-033","V-036",120),("V-036","V-038",50),
      ("V-000","V-041",30),("V-041","V-044",55),("V-041","V-047",65),("V-044","V-047",45),("V-044","V-049",90),("V-047","V-049",100)]
put("data/drives.csv", "from,to,minutes\n" + "".join("%s,%s,%d\n" % d for d in DR))
drive = {}
for a, b, m in DR: drive[a, b] = drive[b, a] = m
notes = {"2031-08-04": "season opens; first read-through N7", "2031-09-15": "S2 rehearsals, annexe", "2031-10-06": "N7 opens", "2031-10-12": "clocks: check van rota",
         "2031-11-05": "yard shut, fireworks", "2031-11-06": "B3 opens", "2031-11-10": "S2 opens", "2031-11-22": "L-04 still in for test", "2031-12-24": "office shut", "2031-12-25": "office shut"}
d = seed.START; rows = ["square,date,day,remark"]
for _ in range(44 * 7):
    i = d.isoformat(); rows.append("%s,%s,%s,%s" % (seed.square(i), i, d.strftime("%a"), notes.get(i, ""))); d += datetime.timedelta(days=1)
put("data/planner.csv", "\n".join(rows) + "\n")
put("data/ledger-lines.csv", "line,tour,heading,state,remark\n" + "".join(",".join(l) + "\n" for l in seed.LINES))
put("rosters/desks.tsv", "plate\tdesk\troom\text\twork\n" + "".join("\t".join(x) + "\n" for x in seed.DESKS))
put("rosters/sign-in.txt", "Sign-in sheet, stage door. One line a head, in ink, legibly, please (A.S.)\n\n%-8s%-9s%-18s%-15s%s\n" % ("tag", "no", "name", "trade", "company")
    + "".join("%-8s%-9s%-18s%-15s%s\n" % (p[4], p[0], p[1], p[2], p[3]) for p in sorted(seed.PEOPLE, key=lambda p: p[4])))
put("rosters/covers.csv", "tour,part,order,no,name\n" + "".join(",".join((t, part, o, no, P[no][1])) + "\n" for t, part, o, no in [
    ("B3","Mrs Quill","1","P-0323"),("B3","Mr Fennimore","1","P-0311"),("B3","Mr Fennimore","2","P-0326"),("B3","Captain Dace","1","P-0326"),
    ("B3","The Laundress","1","P-0323"),("B3","The Laundress","2","P-0314"),("B3","The Laundress","3","P-0326"),("B3","Young Pell","1","P-0323"),
    ("B3","The Bailiff","1","P-0326"),("B3","Aunt Verity","1","P-0323"),("N7","The Carrier","1","P-0210"),("S2","Scissors","1","P-0345")]))
put("rosters/leave.csv", "no,name,first_day,last_day,why\n" + "".join(",".join((no, P[no][1], a, b, w)) + "\n" for no, a, b, w in [
    ("P-0323","2031-11-10","2031-11-28","family"),("P-0415","2031-11-20","2031-11-23","leave"),("P-0329","2031-12-01","2031-12-07","leave"),("P-0201","2031-09-20","2031-09-22","dentist")]))
put("rosters/drivers.csv", "no,name,class,week_from,hours\n" + "".join(",".join((no, P[no][1], c, w, h)) + "\n" for no, c, w, h in [
    ("P-0412","C","2031-11-10","33"),("P-0412","C","2031-11-17","43"),("P-0415","C","2031-11-10","40"),("P-0415","C","2031-11-17","31"),
    ("P-0418","C","2031-11-10","44"),("P-0418","C","2031-11-17","38"),("P-0421","C1","2031-11-10","20"),("P-0421","C1","2031-11-17","22")]))
put("rosters/days-N7-w10.csv", "no,name,grade,mon,tue,wed,thu,fri,sat,sun\n"
    "P-0201,Alder Finch,player,P,P,Pm,T,P,P,R\nP-0204,Wren Tolliver,player,P,P,Pm,T,Pm,P,H\nP-0207,Gil Sarsen,manager,P,P,P,T,P,Pm,R\n"
    "P-0210,Petra Lowe,player,H,T,P,Tm,P,P,H\nP-0213,Cass Muir,lampman,P,Pm,Pm,T,P,P,T\n")
# w09: T=1575 (+150), R=3145+150, Rm=3145-920+150
put("accounts/N7-w09.csv", "no,name,days_away,pence\nP-0207,Gil Sarsen,3,8315\nP-0213,Cass Muir,3,7395\n")
slug = lambda v: V[v][2].lower().replace(" ", "-")
for t in seed.TOURS:
    st = sorted([s for s in seed.STOPS if s[0] == t[0]], key=lambda s: s[2]); out = ["no,venue,house,first,nights,get_in,drive_min,was"]; before = "V-000"
    for n, s in enumerate(st, 1):
        m = drive[before, s[1]]
        out.append('%d,%s,"%s",%s,%d,%s,%d,' % (n, s[1], H(s[1]), s[2], s[3], s[4], m))
        v = V[s[1]]
        put("tours/%s/stops/%s.md" % (t[0], slug(s[1])), "# %s\n\nHouse: %s (%s)\nFirst night: %s\nNights: %d\nGet-in: %s\nDrive: %d min from %s\nDock: %.1f m\nHands: %d\n" % (
            v[2], H(s[1]), s[1], s[2], s[3], s[4], m, "the yard" if before == "V-000" else V[before][2], v[3] / 100, (6 if t[2] == "heavy" else 3) + (2 if v[4] else 0)))
        before = s[1]
    put("tours/%s/route.csv" % t[0], "\n".join(out) + "\n")
    if t[0] == "B3": put("tours/%s/cast.csv" % t[0], "part,player,no,from,until\n" + "".join("%s,%s,%s,%s,%s\n" % (c[1], P[c[2]][1], c[2], c[3], c[4]) for c in seed.CAST if c[0] == t[0]))
old = seed.build(old=True); old.row_factory = sqlite3.Row
for t in seed.TOURS:
    put("exports/%s.json" % t[0], house.export_text(old, t[0])); put("sheets/%s.txt" % t[0], house.render(house.state(old, t[0])))
put("tours/B3/scenes.csv", "part,scenes\nMrs Quill,1 2 3 5\nMr Fennimore,2 4 5\nCaptain Dace,2 3 5\nThe Laundress,1 4\nYoung Pell,3 4\nThe Bailiff,3 5\nAunt Verity,2 5\n")
put("tours/B3/needs.csv", "part,wig,fight\nMrs Quill,yes,no\nMr Fennimore,no,yes\nCaptain Dace,yes,yes\nThe Laundress,no,no\nYoung Pell,no,no\nThe Bailiff,no,yes\nAunt Verity,yes,no\n")
put("tours/B3/calls/2031-11-06.md", "# Calls, Kelder, 2031-11-06\n\nHouse: Tithe Barn, Kelder (V-031)\nCurtain: 19:30\n\n"
    "17:00  Mrs Quill  Hester Voll\n17:00  The Laundress  Ines Marlow\n18:15  Aunt Verity  Rusk Tarrant\n18:15  Captain Dace  Jonty Crake\n18:30  Mr Fennimore  Tobin Ashgrove\n18:30  The Bailiff  Odile Penhallow\n18:55  Young Pell  Sib Anders\n")
put("tours/S2/load.csv", "item,qty,length_cm,width_cm,height_cm,nest\ncastle flats,8,240,120,15,yes\nplatforms,10,200,100,40,yes\nthrone,1,120,110,180,no\nhampers,8,100,70,70,no\n"
    "lamp boxes,6,120,60,60,no\ncloth bags,4,300,40,40,no\ncrown frame,1,220,200,100,no\ntrestles,6,150,60,50,yes\nsound rack,2,90,70,110,no\n")
put("tours/S2/haulage.csv", "date,from,to,lorry,driver,load_m3\n2031-11-09,the yard,V-041,L-07,Gwil Hobart,21.39\n")
