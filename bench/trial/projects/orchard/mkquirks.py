"""Writes QUIRKS.json and CHANGED.json."""
import json, os
here = os.path.dirname(os.path.abspath(__file__))
ALL = [1, 2, 3, 4, 5, 6]
LOT = "pippin room open R1 --o2 19p >/dev/null; pippin room open R3 --o2 23p >/dev/null; pippin lot new 4417 --plate polder-4417 >/dev/null; "
rows = [
    ("under-air", "Fruit and probes of a room can be booked only after the room was opened with room open, which also wants --o2, the oxygen of the last reading; its help leaves that out.",
     "pippin grade sample B-3120 --bin 1 --firm 64n --brix 129x", r"NOT DONE [a-z]+\.[a-z]+[^\n]* -- (R\d under air|o2 not told|o2 \S+ not the last)",
     "Open the room first: pippin room open ROOM --o2 with the oxygen of the last reading that room show prints.", r"(?i)pippin room open\b|\broom open (R\d|ROOM)\b|(?<!\S)`?--o2\b", ALL),
    ("figure", "Figures are whole tenths and the letter of the scale (k kg, n newton, x Brix, p percent, c Celsius), although everything printed shows 12.4 Bx; in the sensor files too.",
     "pippin room open R4 --o2 1.8", r"NOT DONE [^\n]* -- figure '", "Write figures as whole tenths and a letter: 41000k for 4100 kg, 64n, 129x, 18p, and -3c for -0.3 degrees.",
     r"\b\d{4,6}k\b|\b\d{2,3}[nxp]\b|(?<![\w.])-?\d{1,3}c\b|(?i:\btenths\b[^\n]{0,40}\bletter|\bletter\b[^\n]{0,40}\btenths)", ALL),
    ("walk", "Samples are entered only for the bins (number and letter) that room walk ROOM names for the batch.",
     "pippin room open R4 --o2 18p >/dev/null; pippin grade sample B-3120 --bin 1 --firm 64n --brix 129x", r"NOT DONE grade\.sample [^\n]* -- no such bin '",
     "Take the bins from pippin room walk ROOM; it names three for each batch.", r"(?i)\broom walk\b", [1, 4]),
    ("fork", "lot load and batch fill carry at most 2400 kg a call (the fork in store/plant.jsonl); more is split over several calls.",
     LOT + "pippin lot load 37 B-3107 41000k", r"NOT DONE (lot\.load|batch\.fill) [^\n]* -- over the fork",
     "Carry at most 2400 kg a call and split more over several calls.", r"(?i)\b2[ ,.]?400(\.0)? ?(kg|kilo)|\b24000k\b|\bk2400\.0\b|\bfork\b[^\n]{0,60}\b24000\b", [2, 4, 6]),
    ("plate", "The plate of a lot is MARK.ORDER.LOADS: mark of the customer (store/customers.jsonl), order, number of loads; only lot seal looks at it, lot plate changes it.",
     LOT + "for l in 'B-3107 24000k' 'B-3107 17000k' 'B-3112 24000k' 'B-3112 3000k'; do pippin lot load 37 $l >/dev/null; done; pippin lot seal 37", r"NOT DONE lot\.seal \d+ -- plate",
     "Give the lot the plate MARK.ORDER.LOADS, with the mark from store/customers.jsonl and the number of loads, by pippin lot plate before sealing.",
     r"(?i)\bMARK\.ORDER\.LOADS\b|\b(hb4|vc2|pf6|tf9)\.\d{4}\.\d+\b|\bmark\b[^\n]{0,50}\border\b[^\n]{0,50}\bloads\b", [2, 6]),
    ("strip", "A room is shut, and a commit taken, only on a strip made by sensor strip ROOM after the last change of its fruit or sensor file, while the room is open.",
     "pippin room open R2 --o2 16p >/dev/null; echo '; seen' >> sensors/R2.ini; pippin room shut R2", r"NOT DONE [^\n]* -- strip (R\d )?is old",
     "Run pippin sensor strip ROOM after the last change and before the room is shut.", r"(?i)\bsensor strip\b", ALL),
    ("bench", "The tests run only by pippin store bench, on a copy of the books; unittest and pytest stop at the import.",
     "python3 -m unittest", r"NOT DONE tests -- off the bench", "Run the tests with pippin store bench.", r"(?i)\bstore bench\b|\bPIPPIN_BENCH=", [1, 3, 4, 5, 6]),
    ("fold", "The hooks take a commit only when store fold has emptied the tray (all rooms shut), and with a subject that begins with [NUMBER/ROWS] of the last fold.",
     "pippin room open R1 --o2 19p >/dev/null; pippin room shut R1 >/dev/null; git commit -q --allow-empty -m 'Look at R1'", r"NOT DONE commit -- (\d+ in the tray|subject|store not as folded)",
     "Run pippin store fold when all rooms are shut and begin the subject of the commit with [NUMBER/ROWS] as it printed them.", r"(?i)\bstore fold\b|\[\d{3}/\d+\] |\[NUMBER/ROWS\]", ALL)]
new = [
    ("figure", "In pippin 8 a figure is the letter of the scale and then the value with one decimal; whole tenths are refused.",
     "pippin room open R4 --o2 18p", r"NOT DONE [^\n]* -- figure '", "Write figures with the letter first and one decimal: k4100.0, n6.4, x12.9, p1.8, c-0.3.",
     r"(?<![\w.])[knxpc]-?\d+\.\d\b|(?i:\bletter first\b|\bletter\b[^\n]{0,40}\bone (decimal|place)\b)", ALL),
    ("fold", "In pippin 8 the subject of a commit ends with {ROWS of NUMBER} of the last fold; the old form in front is refused.",
     "pippin room open R1 --o2 p1.9 >/dev/null; pippin room shut R1 >/dev/null; pippin store fold >/dev/null; git add -A; git commit -q -m '[217/2] Look at R1'",
     r"NOT DONE commit -- (\d+ in the tray|subject|store not as folded)", "End the subject of the commit with {ROWS of NUMBER} as the last fold printed them.", r"\{\d+ of \d+\}|\{ROWS of NUMBER\}", ALL)]
KEYS = ("id", "what", "wrong_call_example", "error_text", "cure", "cure_regex", "tasks")
for name, data in (("QUIRKS", rows), ("CHANGED", new)):
    with open(os.path.join(here, name + ".json"), "w") as f:
        json.dump([dict(zip(KEYS, r)) for r in data], f, indent=1)
        f.write("\n")
