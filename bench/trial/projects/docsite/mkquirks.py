"""Writes QUIRKS.json and CHANGED.json (kept as code because of the escapes)."""
import json, os
here = os.path.dirname(os.path.abspath(__file__))
ALL = [1, 2, 3, 4, 5, 6]
Q = [
 dict(id="issued-ids", what="Page ids are issued by quill id new SECTION (ST, SN, BU, GW, RC), with a check letter; made-up ids are refused.",
      wrong_call_example="printf -- '---\\nid: RC-0167-S\\ntitle: Knots\\nowner: sea\\n---\\nTie them.\\n' > pages/recipes/knots.md; quill check", error_text=r"quill: \(check\) \S+: id '",
      cure="Get the id of a new page with quill id new SN (section code ST, SN, BU, GW or RC).", cure_regex=r"(?i)\bid new\b", tasks=[1, 5]),
 dict(id="late-field", what="Pages that differ from the last edition need the front matter field edition: N/YYYY of the coming edition; only publish looks.",
      wrong_call_example="echo 'More.' >> pages/sensors/fog.md; quill index --full; quill window open --by Teige --until 7.III.31; quill publish", error_text=r"quill: \(publish\) \S+: late field",
      cure="Give every new or changed page the front matter line edition: 8/2031 (number and year of the coming edition) before indexing and publishing.", cure_regex=r"(?i)\bedition: ?[`'\"]?(\d+/20\d\d|N/YYYY)", tasks=ALL),
 dict(id="full-index", what="Plain quill index only adds unknown pages; after a change quill index --full is needed, or publish finds the index behind.",
      wrong_call_example="echo 'More.' >> pages/sensors/fog.md; quill index; quill window open --by Teige --until 7.III.31; quill publish", error_text=r"quill: \(publish\) index is behind",
      cure="Run quill index --full after the last edit of any page, before quill publish.", cure_regex=r"(?i)\bindex --full\b|\bfull index\b|--full\b", tasks=ALL),
 dict(id="review-token", what="The commit's last line is Review: TOKEN; the token comes from quill review --reader SURNAME for the staged tree, the reader not being the holder of the window.",
      wrong_call_example="echo >> docs/editing.md; git add -A; git commit -m 'Tidy the page'", error_text=r"quill: \((commit|review)\) (no review|who reads|\w+ has the window)",
      cure="Stage everything, get the token with quill review --reader SURNAME (not the holder of the window) and end the message with Review: TOKEN.", cure_regex=r"(?i)\breview --reader\b|--reader\b|\bReview: (rv-|TOKEN|<token>|\$)", tasks=ALL),
 dict(id="derivatives", what="A page shows a picture by its derivative, made by quill image derive NAME --widths 480,960 (exactly these), again after each change of the source.",
      wrong_call_example="cp inbox/ice-mast.svg images/; echo '![Mast](img:ice-mast@960)' >> pages/sensors/fog.md; quill check; quill image derive ice-mast", error_text=r"quill: \(image\) ",
      cure="Put the source into images/ and run quill image derive NAME --widths 480,960; again when the source changes.", cure_regex=r"(?i)--widths\b|\b480, ?960\b|\bimage derive\b", tasks=[1, 3, 6]),
 dict(id="redirect-form", what="Old addresses are kept with quill redirect add /section/name/ PAGE-ID --kind moved|merged|gone; the file is summed and may not be typed.",
      wrong_call_example="git mv pages/sensors/fog.md pages/buoys/fog.md; quill redirect add pages/sensors/fog.md pages/buoys/fog.md", error_text=r"quill: \(redirect\) ",
      cure="Use quill redirect add /section/name/ PAGE-ID --kind moved (or merged, gone); never edit redirects.tsv.", cure_regex=r"(?i)\bredirect add /|--kind[ =](moved|merged|gone|KIND)", tasks=[2, 4, 6]),
 dict(id="window-day", what="The day of window open --until is day.ROMAN-MONTH.yy (7.III.31), not an ISO date.",
      wrong_call_example="quill window open --by Teige --until 2031-03-07", error_text=r"quill: \(window\) until '",
      cure="Write the day of the window with the month in Roman capitals: 7 March 2031 is 7.III.31.", cure_regex=r"\b\d{1,2}\.[IVX]{1,4}\.\d\d\b|(?i:\broman\b)", tasks=ALL),
 dict(id="window-first", what="quill publish needs an open window (quill window open --by SURNAME --until DAY), and the commit needs it closed.",
      wrong_call_example="quill publish", error_text=r"quill: \(publish\) no window|quill: \(commit\) the window is open|quill: \(window\) by '",
      cure="Open the window with quill window open --by SURNAME before quill publish, and run quill window close before the commit.", cure_regex=r"(?i)\bwindow open\b[^\n]{0,80}\b(--by|before|first|then)\b|\bwindow close\b", tasks=ALL),
]
C = [
 dict(id="late-field", what="Since the new press the late field is issue: N/YYYY; edition is not read any more.",
      wrong_call_example="sed -i 's/^owner: .*/&\\nedition: 8\\/2031/' pages/sensors/fog.md; quill index --full; quill window open --by Teige --until 31C07; quill publish", error_text=r"quill: \(publish\) \S+: late field",
      cure="Give every new or changed page the front matter line issue: 8/2031 before indexing and publishing.", cure_regex=r"(?i)\bissue: ?[`'\"]?(\d+/20\d\d|N/YYYY)", tasks=ALL),
 dict(id="window-day", what="Since the new press the day is two digits of the year, a letter for the month (A is January), two digits of the day: 31C07.",
      wrong_call_example="quill window open --by Teige --until 7.III.31", error_text=r"quill: \(window\) until '",
      cure="Write the day of the window as year, letter of the month and day: 7 March 2031 is 31C07.", cure_regex=r"\b\d\d[A-L]\d\d\b|(?i:\bletter of the month\b|\bmonth letter\b)", tasks=ALL),
]
for name, x in (("QUIRKS", Q), ("CHANGED", C)):
    with open(os.path.join(here, name + ".json"), "w") as f:
        json.dump(x, f, indent=1, ensure_ascii=False)
        f.write("\n")
