"""Writes QUIRKS.json and CHANGED.json (kept as code because of the escapes)."""
import json, os
here = os.path.dirname(os.path.abspath(__file__))
ALL = [1, 2, 3, 4, 5, 6]
SC = """r() { labctl call scan "{\\"label\\":\\"$1\\"}" | python3 -c 'import json,sys; print(json.load(sys.stdin)["ref"])'; }; """
HOLD = SC + """labctl call lease.take "{\\"on\\":\\"$(r B3)\\"}" >/dev/null; """
OPEN = HOLD + """labctl call run.open "{\\"method\\":\\"$(r M-NO3)\\",\\"instrument\\":\\"$(r IC-2)\\",\\"started\\":\\"2029-10-08+0795\\",\\"page\\":\\"B3/118\\"}" >/dev/null; """
ROW = """{\\"sample\\":\\"$(r W-0411)\\",\\"value\\":\\"%s\\",\\"read\\":\\"2029-10-08+0813\\"}"""
ADD = """labctl call rows.add "{\\"sheet\\":\\"$(r S-0309)\\",\\"rows\\":[%s]}" """
REL = """labctl call sheet.release "{\\"sheet\\":\\"$(r S-0309)\\"%s}" """
quirks = [
 dict(id="ref", what="Tools take references (smp.x…), not the labels that everything prints; scan turns a label into its reference.",
      wrong_call_example="labctl call sample.show '{\"sample\":\"W-0411\"}'", error_text=r"-32011\b[^\n]*unresolved",
      cure="Call scan with {\"label\": …} for each label and pass the ref it answers.",
      cure_regex=r"(?i)\bcall[\"', (]+scan\b|\bscan\b[^\n]{0,60}\b(labels?|refs?|references?)\b|\b(labels?|refs?|references?)\b[^\n]{0,60}\bscan\b", tasks=ALL),
 dict(id="lease", what="The bench of the work must be held with lease.take before a sheet is opened, filled or released.",
      wrong_call_example=SC + """labctl call limit.open "{\\"method\\":\\"$(r M-PO4)\\",\\"from\\":\\"2029-11-01+0360\\"}" """, error_text=r"-32020\b[^\n]*not held",
      cure="Call lease.take with {\"on\": ref of the bench} first (the fault names the bench).", cure_regex=r"(?i)\blease\.take\b", tasks=ALL),
 dict(id="instant", what="Times are day+MMMM, the minutes since midnight in four digits, though all output shows HH:MM.",
      wrong_call_example=HOLD + """labctl call run.open "{\\"method\\":\\"$(r M-NO3)\\",\\"instrument\\":\\"$(r IC-2)\\",\\"started\\":\\"2029-10-08T13:15\\"}" """, error_text=r"-32014\b[^\n]*not an instant",
      cure="Write times as YYYY-MM-DD+MMMM with the minute of the day: 13:15 on 8 October 2029 is 2029-10-08+0795.",
      cure_regex=r"(?i)\b\d{4}-\d\d-\d\d\+\d{4}\b|YYYY-MM-DD\+\w{4}|\bminutes? (of the day|since midnight|after midnight)", tasks=ALL),
 dict(id="page", what="Every *.open needs the field page, which the schema leaves out: the next free page of the logbook of the bench (bench.show).",
      wrong_call_example=HOLD + """labctl call run.open "{\\"method\\":\\"$(r M-NO3)\\",\\"instrument\\":\\"$(r IC-2)\\",\\"started\\":\\"2029-10-08+0795\\"}" """, error_text=r"-32602\b[^\n]*params incomplete",
      cure="Add \"page\": the next logbook page of the bench, from bench.show (for example B3/118).",
      cure_regex=r"(?i)[\"'`]page[\\\"'`]*\s*[:=]|\bpage\b[^\n]{0,60}\b(logbook|bench\.show|field)\b|\b(logbook|bench\.show|field)\b[^\n]{0,60}\bpage\b", tasks=ALL),
 dict(id="quantity", what="Quantities are whole numbers of the carrier unit, written 2180~ug.L-1 (units.of shows the carrier).",
      wrong_call_example=OPEN + ADD % (ROW % "2.18 mg/L"), error_text=r"-32015\b[^\n]*not coherent",
      cure="Write quantities as integer, tilde, carrier unit: 2180~ug.L-1 (units.of gives the carrier).",
      cure_regex=r"(?i)\b\d+~\s?(ug|ng|mL)\b|\btilde\b|(int\w*|number|<\w+>)\s?~\s?(carrier|unit|<)", tasks=ALL),
 dict(id="frame", what="rows.add takes at most five rows a call.",
      wrong_call_example=OPEN + ADD % ",".join([ROW % "2180~ug.L-1"] * 6), error_text=r"-32031\b[^\n]*frame overrun",
      cure="Give rows.add at most five rows a call and call it again for the rest.",
      cure_regex=r"(?i)\b(5|five)\b[^\n.]{0,25}\brows?\b|\brows?\b[^\n.]{0,40}(\b(at most|max\w*|limit\w*|no more than|up to)\b|≤|<=)[^\n]{0,12}\b(5|five)\b|\bframe\W{0,3}(of|is|=|:)?\W{0,3}(5|five)\b|\b(batch|chunk|group|split)\w*\b[^\n]{0,30}\b(5|five|fives)\b", tasks=ALL),
 dict(id="confirm", what="sheet.release wants the key that preview of the same release gives.",
      wrong_call_example=OPEN + ADD % (ROW % "2180~ug.L-1") + ">/dev/null; " + REL % "", error_text=r"-32055\b[^\n]*second key absent",
      cure="Call preview with {\"tool\":\"sheet.release\",\"args\":{…}} and pass the key it answers as \"key\" to sheet.release.",
      cure_regex=r"(?i)\bcall[\"', (]+preview\b|\bpreview\b[^\n]{0,120}\bkey\b|\bkey\b[^\n]{0,80}\bpreview\b", tasks=ALL),
 dict(id="record", what="The pre-commit hook takes only records in record form; labctl canon FILE rewrites an export.",
      wrong_call_example=SC + """labctl call sheet.export "{\\"sheet\\":\\"$(r S-0305)\\"}" > results/2029/S-0305.rec; git add results; git commit -q -m 'Record'""", error_text=r"records: \S+ not canonical",
      cure="Run labctl canon on the exported file before the commit.", cure_regex=r"(?i)\blabctl canon\b|\[[\"']labctl[\"'], *[\"']canon\b", tasks=ALL),
]
changed = [
 dict(id="quantity", what="From version 8 quantities are written unit=integer (ug/L=2180); the tilde form is refused.",
      wrong_call_example=OPEN + ADD % (ROW % "2180~ug.L-1"), error_text=r"-32015\b[^\n]*not coherent",
      cure="Write quantities as carrier unit, equals sign, integer: ug/L=2180.", cure_regex=r"(?i)\b(ug/L|ng/L|mL)=\d+|\bequals sign\b|(carrier|unit)>?\s?=\s?<?(int|number)", tasks=ALL),
 dict(id="confirm", what="From version 8 the quality check qc.run, with the number of rows, comes before sheet.release; a key is no longer read.",
      wrong_call_example=OPEN + ADD % (ROW % "ug/L=2180") + ">/dev/null; " + REL % """,\\"key\\":\\"0123456789\\" """, error_text=r"-32055\b[^\n]*second key absent",
      cure="Call qc.run with the sheet and count (its number of rows), then sheet.release.", cure_regex=r"(?i)\bqc\.run\b", tasks=ALL),
]
for name, x in (("QUIRKS", quirks), ("CHANGED", changed)):
    with open(os.path.join(here, name + ".json"), "w") as f:
        json.dump(x, f, indent=1, ensure_ascii=False)
        f.write("\n")
