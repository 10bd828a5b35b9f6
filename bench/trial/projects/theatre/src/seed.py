"""Data of the house. Used by setup (the store), by gen_template (the copies in the repository) and by the checks."""
import datetime, sqlite3

START = datetime.date(2031, 8, 4)

def square(iso):
    n = (datetime.date.fromisoformat(iso) - START).days
    return "%02d%s" % (n // 7 + 1, "abcdefg"[n % 7])

TOURS = [  # code title rig light tally docket
    ("N7", "The Salt Road", "heavy", 0, 27, "4471/N7"),
    ("B3", "Mrs Quill's Lodgers", "light", 1, 31, "4468/B3"),
    ("S2", "The Paper Crown", "light", 0, 19, "4475/S2"),
]
VENUES = [  # id house town dock_cm stairs curtain seats remark
    ("V-011", "Corn Exchange", "Harrowmere", 380, 0, "19:30", 420, ""),
    ("V-014", "Miners' Welfare", "Dunsel", 340, 1, "19:30", 260, ""),
    ("V-019", "Assembly Rooms", "Cold Ashby", 360, 0, "19:30", 350, ""),
    ("V-022", "Empire", "Brackwater", 400, 0, "19:30", 780, ""),
    ("V-026", "Skerry Rooms", "Portlannoch", 300, 1, "19:30", 120, "shut since the storm"),
    ("V-027", "Skerry Hall", "Portlannoch", 340, 1, "19:30", 312, ""),
    ("V-031", "Tithe Barn", "Kelder", 350, 0, "19:30", 240, ""),
    ("V-033", "Market Theatre", "Ousby", 330, 0, "19:30", 310, ""),
    ("V-036", "Pavilion", "Marram", 330, 1, "19:45", 450, ""),
    ("V-038", "Guildhall", "Stannick", 320, 1, "19:30", 280, ""),
    ("V-041", "School Hall", "Lorn Green", 300, 0, "18:30", 180, ""),
    ("V-044", "Grammar School Hall", "Wexcombe", 320, 0, "18:30", 240, ""),
    ("V-047", "Institute", "Thrale", 340, 1, "19:00", 200, ""),
    ("V-049", "Village Hall", "Pennick", 310, 0, "18:30", 150, ""),
]
LETS = [
    ("V-027", "2031-10-14", "choral society"), ("V-027", "2031-10-20", "auction"),
    ("V-044", "2031-11-18", "prize giving"), ("V-044", "2031-11-26", "parents' evening"),
    ("V-036", "2031-11-22", "dance"), ("V-022", "2031-10-28", "boxing"),
]
STOPS = [  # tour venue first nights get_in
    ("N7", "V-011", "2031-10-06", 3, "2031-10-04"), ("N7", "V-014", "2031-10-10", 2, "2031-10-09"),
    ("N7", "V-019", "2031-10-21", 3, "2031-10-20"), ("N7", "V-022", "2031-10-25", 1, "2031-10-24"),
    ("B3", "V-031", "2031-11-06", 3, "2031-11-06"), ("B3", "V-033", "2031-11-12", 2, "2031-11-12"),
    ("B3", "V-036", "2031-11-19", 3, "2031-11-19"), ("B3", "V-038", "2031-11-24", 2, "2031-11-24"),
    ("S2", "V-041", "2031-11-10", 2, "2031-11-10"), ("S2", "V-044", "2031-11-13", 2, "2031-11-13"),
    ("S2", "V-047", "2031-11-20", 2, "2031-11-20"), ("S2", "V-049", "2031-11-24", 2, "2031-11-24"),
]
PEOPLE = [  # no name trade tour tag
    ("P-0201", "Alder Finch", "player", "N7", "finc1"), ("P-0204", "Wren Tolliver", "player", "N7", "toll1"),
    ("P-0207", "Gil Sarsen", "stage manager", "N7", "sars2"), ("P-0210", "Petra Lowe", "player", "N7", "lowe3"),
    ("P-0213", "Cass Muir", "lampman", "N7", "muir1"),
    ("P-0302", "Hester Voll", "player", "B3", "voll1"), ("P-0305", "Tobin Ashgrove", "player", "B3", "ashg1"),
    ("P-0308", "Jonty Crake", "player", "B3", "crak2"), ("P-0311", "Ines Marlow", "player", "B3", "marl2"),
    ("P-0314", "Sib Anders", "player", "B3", "ande4"), ("P-0317", "Odile Penhallow", "player", "B3", "penh1"),
    ("P-0320", "Rusk Tarrant", "player", "B3", "tarr1"), ("P-0323", "Maud Ellery", "swing", "B3", "elle2"),
    ("P-0326", "Kit Dunmore", "swing", "B3", "dunm1"), ("P-0329", "Abel Strand", "stage manager", "B3", "stra3"),
    ("P-0342", "Ines Marlow", "wardrobe", "S2", "marl1"), ("P-0345", "Lotte Brand", "player", "S2", "bran1"),
    ("P-0348", "Perrin Howe", "player", "S2", "howe2"), ("P-0351", "Nan Quillet", "player", "S2", "quil1"),
    ("P-0354", "Edda Crane", "stage manager", "S2", "cran1"),
    ("P-0412", "Dorrie Okafor", "driver", "-", "okaf2"), ("P-0415", "Fenn Lisle", "driver", "-", "lisl1"),
    ("P-0418", "Gwil Hobart", "driver", "-", "hoba3"), ("P-0421", "Bram Oddie", "driver", "-", "oddi1"),
]
CAST = [  # tour part no from until
    ("N7", "The Carrier", "P-0201", "2031-10-06", ""), ("N7", "The Widow Brine", "P-0204", "2031-10-06", ""),
    ("N7", "The Excise", "P-0210", "2031-10-06", ""),
    ("B3", "Mrs Quill", "P-0302", "2031-11-06", ""), ("B3", "Mr Fennimore", "P-0305", "2031-11-06", ""),
    ("B3", "Captain Dace", "P-0308", "2031-11-06", ""), ("B3", "The Laundress", "P-0311", "2031-11-06", ""),
    ("B3", "Young Pell", "P-0314", "2031-11-06", ""), ("B3", "The Bailiff", "P-0317", "2031-11-06", ""),
    ("B3", "Aunt Verity", "P-0320", "2031-11-06", ""),
    ("S2", "The Stationer", "P-0345", "2031-11-10", ""), ("S2", "The Paper King", "P-0348", "2031-11-10", ""),
    ("S2", "Scissors", "P-0351", "2031-11-10", ""),
]
FLEET = [  # id m3 height_cm class
    ("L-02", 18, 260, "C1"), ("L-04", 24, 300, "C"), ("L-05", 26, 330, "C"), ("L-07", 30, 295, "C"), ("L-09", 42, 360, "C"),
]
OFFS = [("L-04", "2031-11-21", "test and brakes"), ("L-04", "2031-11-22", "test and brakes"), ("L-09", "2031-11-12", "tail lift")]
RATES = [
    ("N7", "full", 3145), ("N7", "supper", 920), ("N7", "supplement", 150), ("N7", "manager", 200),
    ("B3", "full", 2980), ("B3", "supper", 880), ("B3", "supplement", 0), ("B3", "manager", 200),
    ("S2", "full", 2750), ("S2", "supper", 850), ("S2", "supplement", 0), ("S2", "manager", 150),
]
LINES = [  # line tour heading state remark
    ("6110", "N7", "houses", "closed", "spring booking, see 6118"), ("6118", "N7", "houses", "open", ""),
    ("6124", "N7", "haulage", "open", ""), ("6131", "N7", "subsistence", "closed", "rehearsal weeks only"),
    ("6137", "N7", "subsistence", "open", ""), ("6140", "N7", "print", "open", ""),
    ("6210", "B3", "houses", "open", ""), ("6224", "B3", "haulage", "open", ""),
    ("6231", "B3", "subsistence", "open", ""), ("6245", "B3", "wigs", "open", ""),
    ("6312", "S2", "houses", "open", ""), ("6320", "S2", "haulage", "closed", "old contract, see 6326"),
    ("6326", "S2", "haulage", "open", ""), ("6331", "S2", "subsistence", "open", ""),
    ("6340", "S2", "print", "open", ""), ("6901", "-", "office", "open", ""),
]
DESKS = [  # plate desk room ext work
    ("PL/1", "Planning", "2", "210", "stops"), ("CA/2", "Casting", "2", "214", "casting"),
    ("PD/3", "Paymaster", "4", "230", "subsistence"), ("TR/4", "Transport", "yard", "255", "haulage"),
    ("SM/6", "Stage management", "3", "221", "calls"), ("BX/7", "Box office", "front", "200", "tickets"),
    ("NR/9", "Night report", "3", "229", "reading"),
]
MARKS = [  # id tour tool args state ; what colleagues did since the copies were last taken
    ("m0036", "B3", "lorry_book", {"tour": "B3", "lorry": "L-05", "date": "2031-11-11", "driver": "P-0412", "to": "V-033", "line": "6224"}, "ink"),
    ("m0037", "N7", "lorry_book", {"tour": "N7", "lorry": "L-09", "date": "2031-10-09", "driver": "P-0418", "to": "V-014", "line": "6124"}, "ink"),
    ("m0038", "S2", "lorry_book", {"tour": "S2", "lorry": "L-07", "date": "2031-11-09", "driver": "P-0418", "to": "V-041", "line": "6326"}, "ink"),
]

SCHEMA = """
create table tours(code text primary key, title, rig, light int, tally int, docket);
create table venues(id text primary key, house, town, dock_cm int, stairs int, curtain, seats int, remark);
create table lets(venue, date, what);
create table stops(tour, venue, first, nights int, get_in);
create table people(no text primary key, name, trade, tour, tag);
create table parts(tour, part, no, since, until);
create table fleet(id text primary key, m3 int, height_cm int, class);
create table offs(lorry, date, why);
create table rates(tour, item, pence int);
create table lines(line text primary key, tour, heading, state, remark);
create table desks(plate text primary key, desk, room, ext, work);
create table marks(n integer primary key, id, tour, tool, args, state);
create table meta(k text primary key, v int);
"""

def build(old=False):
    """The house as a connection. old: as it was when the copies in the repository were taken."""
    import json
    c = sqlite3.connect(":memory:")
    c.executescript(SCHEMA)
    for table, rows in (("tours", TOURS), ("venues", VENUES), ("lets", LETS), ("stops", STOPS), ("people", PEOPLE), ("parts", CAST),
                        ("fleet", FLEET), ("offs", OFFS), ("rates", RATES), ("lines", LINES), ("desks", DESKS)):
        c.executemany("insert into %s values(%s)" % (table, ",".join("?" * len(rows[0]))), rows)
    if old:
        c.execute("update tours set tally=tally-2")
    else:
        for m in MARKS:
            c.execute("insert into marks(id,tour,tool,args,state) values(?,?,?,?,?)", (m[0], m[1], m[2], json.dumps(m[3]), m[4]))
    c.execute("insert into meta values('next',39)")
    c.commit()
    return c
