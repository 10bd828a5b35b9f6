"""Writes QUIRKS.json and CHANGED.json (kept as code because of the escapes)."""
import json, os
here = os.path.dirname(os.path.abspath(__file__))
Q = r'''refused"?:\s*"?'''
M = "HAWSER_DESK=kiel-2; export HAWSER_DESK; hawser slot.hold '{\"sailing\":\"BLT-1107\",\"pieces\":40}' >/dev/null; " \
    "hawser manifest.open '{\"sailing\":\"BLT-1107\",\"day\":\"%s\"}' >/dev/null; " \
    "hawser manifest.add '{\"manifest\":\"M-018\",\"shipments\":[\"S-2016\"]}' >/dev/null; "
quirks = [
 dict(id="no-desk", what="Tools that write need the environment variable HAWSER_DESK, set to the desk that works the lane (codes from desk.list).",
      wrong_call_example="hawser docket.open '{\"about\":\"rates\"}'", error_text=Q + "no-desk",
      cure="Set HAWSER_DESK to the desk of the lane (kiel-2 for BLT, porto-1 for IBR, humber-3 for NRS; hawser desk.list) for every writing call.",
      cure_regex=r"(?i)HAWSER_DESK", tasks=[1, 2, 3, 4, 5, 6]),
 dict(id="no-hold", what="manifest.open is refused until room is held on the sailing with slot.hold (enough pieces for all loads).",
      wrong_call_example="HAWSER_DESK=kiel-2 hawser manifest.open '{\"sailing\":\"BLT-1107\",\"day\":\"31w10.4\"}'", error_text=Q + "no-hold",
      cure="Call slot.hold for the sailing, with all the pieces, before manifest.open.",
      cure_regex=r"(?i)slot\.hold[^\n]{0,160}(\b(before|first|prior|then|must|needed|required|precede\w*)\b|manifest\.open)|(\b(before|first|needs?|requires?|must|prior|after)\b|manifest\.open)[^\n]{0,160}slot\.hold|\bhold (the |a |some |enough )?(slots?|room|space|pieces)\b[^\n]{0,80}\b(first|before)\b",
      tasks=[1, 4, 6]),
 dict(id="day-form", what="Days that go into the books are house days: YYwWW.D with ISO week and weekday, although everything printed shows ISO dates.",
      wrong_call_example="HAWSER_DESK=kiel-2 hawser manifest.open '{\"sailing\":\"BLT-1107\",\"day\":\"2031-03-06\"}'", error_text=Q + "day-form",
      cure="Give days as YYwWW.D (ISO week, Monday is 1): 6 March 2031 is 31w10.4.",
      cure_regex=r"(?i)\bYY\W{0,2}w\W{0,2}WW|\b\d\dw\d\d\.[1-7]\b", tasks=[1, 2, 3, 4, 5, 6]),
 dict(id="amount-form", what="Amounts are CUR:minor (currency, colon, whole cents or pence), although everything printed shows 12.50 EUR.",
      wrong_call_example="HAWSER_DESK=humber-3 hawser tariff.set '{\"lane\":\"NRS\",\"band\":\"light\",\"rate\":\"29.75 GBP\",\"from\":\"31w14.1\"}'",
      error_text=Q + "amount-form",
      cure="Write amounts as currency, colon and whole minor units: EUR:328450 for 3,284.50 euro.",
      cure_regex=r"(?i)\b(EUR|GBP|SEK|CUR|CCY|<\w+>|currency)\W{0,2}:\W{0,2}(-?\d{2,}\b|(minor|cents|pence|int\b|integer|whole|n\b))|\bminor units\b|\binteger (cents|pence|minor)",
      tasks=[2, 3, 4, 5, 6]),
 dict(id="line-cap", what="customs.file takes at most three lines per call; further calls add up.",
      wrong_call_example="HAWSER_DESK=porto-1 hawser customs.file '{\"shipment\":\"S-2041\",\"entry\":\"31w10.4\",\"lines\":["
      + ",".join('{\"hs\":\"8413910%d\",\"goods\":\"parts\",\"kg\":10,\"value\":\"EUR:1000\"}' % i for i in range(4)) + "]}'",
      error_text=Q + "line-cap", cure="File at most three customs lines per call and split longer entries over several customs.file calls.",
      cure_regex=r"(?i)\b(3|three)\b[^\n.]{0,25}\blines?\b|\blines?\b[^\n.]{0,40}(\b(at most|max\w*|limit\w*|cap\w*|no more than|up to)\b|≤|<=)[^\n]{0,12}\b(3|three)\b|\b(batch|chunk|group|split)\w*\b[^\n]{0,30}\b(3|three|3s|threes)\b",
      tasks=[2, 4, 6]),
 dict(id="untallied", what="manifest.close needs the field tally (pieces on the manifest), which its help leaves out.",
      wrong_call_example=M % "31w10.4" + "hawser manifest.close '{\"manifest\":\"M-018\"}'", error_text=Q + "untallied",
      cure="Give manifest.close the field tally with the total pieces of the manifest.",
      cure_regex=r"(?i)[\"'`]tally[\"'`]?\s*[:=]|\btally\b[^\n]{0,60}\b(pieces|total|count|field|key|param\w*|argument)\b|\b(pieces|field|key|argument|param\w*|hidden|undocumented|needs?|requires?|with)\b[^\n]{0,60}\btally\b",
      tasks=[1, 4, 6]),
 dict(id="undocketed", what="The commit-msg hook wants a last line 'Docket: D-nnnn' with an open docket (docket.open); a docket serves one commit.",
      wrong_call_example="git commit -q --allow-empty -m 'Tidy the pages'", error_text=r"commit-msg: refused \[undocketed\]",
      cure="Open a docket with docket.open and end the commit message with the line Docket: D-nnnn, a new one for each commit.",
      cure_regex=r"(?i)\bDocket:\W{0,3}(D\b|D-|N\b|\w)|docket\.open", tasks=[1, 2, 3, 4, 5, 6]),
 dict(id="stale-index", what="The pre-commit hook refuses when reports/INDEX.json does not match the reports; index.build refreshes it.",
      wrong_call_example="echo x >> reports/tariff-BLT.md; git commit -qam 'Tariff'", error_text=r"pre-commit: refused \[stale-index\]",
      cure="After rendering reports run hawser index.build with {\"of\":\"reports\"} and add reports/INDEX.json to the commit.",
      cure_regex=r"(?i)index\.build|\b(re)?build\w*\b (the )?(reports?\W{0,3})?INDEX(\.json)?\b", tasks=[1, 2, 3, 4, 5, 6]),
]
changed = [
 dict(id="day-form", what="After the reorganisation house days are YYYY.DDD (year and running day of the year); week days are refused.",
      wrong_call_example="HAWSER_DESK=kiel-2 hawser manifest.open '{\"sailing\":\"BLT-1107\",\"day\":\"31w10.4\"}'", error_text=Q + "day-form",
      cure="Give days as YYYY.DDD, the year and the day of the year in three digits: 6 March 2031 is 2031.065.",
      cure_regex=r"(?i)\bYYYY\W{0,2}\.\W{0,2}(DDD|JJJ|NNN)|\b20\d\d\.\d{3}\b|\bday[- ]of[- ](the[- ])?year\b|\bordinal (day|date)|\brunning day", tasks=[1, 2, 3, 4, 5, 6]),
 dict(id="untallied", what="After the reorganisation manifest.close needs the field outturn (pieces on the manifest); tally is refused.",
      wrong_call_example=M % "2031.065" + "hawser manifest.close '{\"manifest\":\"M-018\",\"tally\":15}'", error_text=Q + "untallied",
      cure="Give manifest.close the field outturn with the total pieces of the manifest.",
      cure_regex=r"(?i)\boutturn\b", tasks=[1, 4, 6]),
]
for name, x in (("QUIRKS", quirks), ("CHANGED", changed)):
    with open(os.path.join(here, name + ".json"), "w") as f:
        json.dump(x, f, indent=1, ensure_ascii=False)
        f.write("\n")
