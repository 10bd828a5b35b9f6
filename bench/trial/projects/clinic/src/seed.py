import json, os, sqlite3, sys
dest = sys.argv[1]
os.makedirs(f"{dest}/.vdesk", exist_ok=True)
c = sqlite3.connect(f"{dest}/.vdesk/state.db")
c.executescript("""
create table records(kind text, ref text, state text, body text, orig text, primary key(kind, ref));
create table books(id integer primary key, desk text, day text, state text, tally int);
create table entries(id integer primary key, book int, op text, args text, struck int);
create table changes(entry int, kind text, ref text, before text);
""")
def put(kind, ref, state, **body):
    c.execute("insert into records values(?,?,?,?,?)", (kind, str(ref), state, json.dumps(body), json.dumps([state, body])))
for no, name in ((3, "Vetrana"), (5, "Medivet"), (8, "Ward & Cross")):
    put("supplier", no, "OK", name=name)
for code, name, unit, buy, sell, sup, low, target in (
    ("VAC-DHP", "DHPPi vaccine", "VIAL", 6.40, 28.00, 5, 30, 60), ("VAC-RAB", "Rabies vaccine", "VIAL", 4.85, 24.00, 5, 20, 40),
    ("VAC-FEL", "RCP vaccine, cat", "VIAL", 7.20, 29.00, 5, 15, 30), ("AMX-250", "Amoxicillin 250 mg", "TAB", 0.18, 0.65, 3, 200, 500),
    ("MEL-015", "Meloxicam 1.5 mg/ml", "ML", 0.42, 1.20, 5, 150, 300), ("CAR-050", "Carprofen 50 mg", "TAB", 0.31, 1.15, 3, 150, 400),
    ("PRE-005", "Prednisolone 5 mg", "TAB", 0.06, 0.28, 3, 200, 600), ("FUR-040", "Furosemide 40 mg", "TAB", 0.07, 0.32, 3, 100, 300),
    ("THY-300", "Levothyroxine 300 ug", "TAB", 0.14, 0.48, 3, 120, 360), ("ENR-050", "Enrofloxacin 50 mg", "TAB", 0.55, 1.90, 3, 80, 200),
    ("MET-250", "Metronidazole 250 mg", "TAB", 0.11, 0.40, 3, 100, 300), ("OME-010", "Omeprazole 10 mg", "TAB", 0.09, 0.38, 3, 60, 180),
    ("SPT-FLE", "Flea spot-on", "PIP", 3.10, 8.90, 5, 24, 72), ("BND-050", "Bandage 5 cm", "ROL", 1.35, 4.20, 8, 40, 120),
    ("SYR-002", "Syringe 2 ml", "PCS", 0.09, 0.30, 8, 300, 1000), ("CAT-022", "IV catheter 22G", "PCS", 1.10, 6.50, 8, 30, 80),
    ("SUT-300", "Suture 3-0", "PCS", 2.45, 9.80, 5, 20, 50), ("GLV-MED", "Gloves, medium", "BOX", 5.90, 9.00, 8, 6, 20),
    ("EXM-STD", "Examination", "SRV", None, 48.00, None, 0, 0), ("EXM-RPT", "Recheck", "SRV", None, 26.00, None, 0, 0),
    ("XRY-2V", "X-ray, two views", "SRV", None, 92.00, None, 0, 0), ("SUR-NEU", "Neutering", "SRV", None, 165.00, None, 0, 0),
    ("DEN-CLN", "Dental cleaning", "SRV", None, 140.00, None, 0, 0),
):
    put("code", code, "OK", name=name, unit=unit, buy=buy, sell=sell, supplier=sup, minimum=low, target=target)
for no, name in ((21, "Hanna Reyes"), (24, "Tomasz Bielak"), (27, "Priya Nair"), (30, "Colin Dunmore"), (33, "Aiko Sato"), (36, "Marguerite Lowe"),
                 (39, "Sven Aalto"), (42, "Ruth Castellan"), (58, "Ravenwood Shelter")):
    put("owner", no, "OK", name=name, email=name.lower().replace(" ", ".") + "@example.org")
for no, name, species, owner, exam, *state in (
    (401, "Biscuit", "dog", 21, "2025-08-04"), (402, "Juno", "dog", 24, "2025-09-18"), (403, "Misty", "cat", 27, "2025-07-22"), (404, "Rolo", "dog", 30, "2025-06-05"),
    (405, "Tansy", "dog", 33, "2025-10-09"), (406, "Pip", "cat", 21, "2024-11-20"), (407, "Otto", "dog", 36, "2025-06-30"), (408, "Smudge", "cat", 39, "2025-02-17"),
    (409, "Bella", "dog", 42, "2025-10-01"), (410, "Clover", "rabbit", 24, "2025-04-30"), (411, "Mango", "cat", 33, "2025-05-12"), (412, "Duke", "dog", 27, "2025-03-11"),
    (413, "Fern", "dog", 36, "2025-09-29"), (414, "Nettle", "cat", 42, "2025-11-03"), (415, "Hazel", "dog", 39, "2025-10-02"),
    (416, "Rufus", "dog", 30, "2025-09-23", "DECEASED"), (417, "Pearl", "cat", 30, "2025-01-15"), (418, "Bruno", "dog", 42, "2025-09-09"),
    (421, "Lotte", "dog", 36, "2025-05-27"), (431, "Ash", "dog", 58, "2025-11-13"), (432, "Wren", "cat", 58, "2025-11-11"), (433, "Moss", "dog", 58, "2025-11-12"),
    (434, "Sorrel", "cat", 58, "2025-11-14"), (435, "Flint", "dog", 58, "2025-11-14"),
):
    put("patient", no, (state or ["ACTIVE"])[0], name=name, species=species, owner=owner, last_exam=exam)
for lot, code, qty, expiry, *more in (
    ("A2231", "AMX-250", 90, "2026-04"), ("A2240", "AMX-250", 50, "2026-10"), ("C118", "CAR-050", 60, "2026-02", "BLOCKED"), ("C121", "CAR-050", 120, "2026-12"),
    ("P090", "PRE-005", 260, "2027-01"), ("F77", "FUR-040", 90, "2026-08"), ("T501", "THY-300", 45, "2026-05"), ("E310", "ENR-050", 79, "2026-09"),
    ("M15", "MET-250", 100, "2027-03"), ("O88", "OME-010", 20, "2026-06"),
    ("DH7J90", "VAC-DHP", 0, "2026-06", "EMPTY", [[404, "2025-09-02"]]),
    ("DH7K21", "VAC-DHP", 14, "2026-09", "OK", [[402, "2025-09-18"], [416, "2025-09-23"], [409, "2025-10-01"]]),
    ("DH7K22", "VAC-DHP", 20, "2026-09", "OK", [[405, "2025-10-09"]]), ("DH7L03", "VAC-DHP", 6, "2026-11", "OK", [[413, "2025-09-29"]]),
    ("RB5401", "VAC-RAB", 9, "2026-07"), ("FE188", "VAC-FEL", 11, "2026-05"), ("ML802", "MEL-015", 80, "2026-11"), ("SF288", "SPT-FLE", 18, "2026-10"),
    ("SU70", "SUT-300", 16, "2028-04"), ("B4", "BND-050", 66, "2029-01"), ("S9", "SYR-002", 720, "2029-06"), ("CT3", "CAT-022", 41, "2028-02"), ("G1", "GLV-MED", 9, "2028-08"),
):
    state, uses = (list(more) + ["OK", []][len(more):])
    put("lot", lot, state, code=code, qty=qty, expiry=expiry, uses=uses)
for ref, patient, day, time, vet, reason, *state in (
    ("V-598", 410, "2025-11-19", "14:30", "OKA", "consultation"), ("V-601", 401, "2025-11-20", "09:00", "OKA", "consultation"),
    ("V-602", 406, "2025-11-20", "10:00", "OKA", "vaccination"), ("V-603", 412, "2025-11-20", "10:30", "OKA", "surgery"),
    ("V-604", 414, "2025-11-20", "11:30", "OKA", "recheck", "CANCELLED"), ("V-605", 408, "2025-11-20", "14:00", "OKA", "consultation"),
    ("V-606", 411, "2025-11-20", "15:30", "OKA", "dental"), ("V-608", 407, "2025-11-20", "09:00", "BRA", "recheck"),
    ("V-610", 403, "2025-11-20", "09:30", "LIN", "consultation") , ("V-611", 417, "2025-11-21", "10:00", "LIN", "vaccination"),
    ("V-612", 402, "2025-11-21", "14:00", "LIN", "consultation"), ("V-613", 405, "2025-11-21", "11:00", "OKA", "dental"),
    ("V-620", 418, "2025-11-24", "09:30", "LIN", "recheck"), ("V-621", 411, "2025-11-24", "10:30", "LIN", "consultation"),
):
    put("visit", ref, (state or ["BOOKED"])[0], patient=patient, day=day, time=time, vet=vet, reason=reason)
for ref, patient, code, state in (("X-31", 401, "CAR-050", "ACTIVE"), ("X-32", 407, "THY-300", "ACTIVE"), ("X-34", 412, "FUR-040", "ACTIVE"), ("X-35", 415, "PRE-005", "ACTIVE"),
                                  ("X-36", 418, "MEL-015", "STOPPED"), ("X-38", 421, "THY-300", "ACTIVE"), ("X-39", 402, "OME-010", "STOPPED"), ("X-40", 417, "MEL-015", "ACTIVE")):
    put("rx", ref, state, patient=patient, code=code, renewed=[])
for ref, sup, state, day, *lines in (("O-305", 8, "RECEIVED", "2025-11-05", ("BND-050", 60, 1.35), ("GLV-MED", 10, 5.90)), ("O-309", 3, "OPEN", "2025-11-21", ("FUR-040", 210, 0.07)),
                                     ("O-311", 5, "OPEN", "2025-11-19", ("VAC-RAB", 40, 4.85), ("VAC-FEL", 25, 7.20), ("MEL-015", 200, 0.42), ("SPT-FLE", 48, 3.10), ("SUT-300", 30, 2.45))):
    put("order", ref, state, supplier=sup, day=day, lines=[dict(code=a, qty=b, price=p) for a, b, p in lines])
put("invoice", "I-2207", "SENT", owner=24, day="2025-11-12", lines=[dict(patient=410, code="EXM-STD", qty=1, price=48.00)])
put("letter", "L-140", "PRINTED", template="reminder", patient=417, about="V-611")
c.commit()
