"""Writes QUIRKS.json and CHANGED.json (kept as code because of the escapes)."""
import json, os
here = os.path.dirname(os.path.abspath(__file__))
ASK = "t() { lantern call title.get '{\"title\":\"HM-204\"}' | sed -n 's/.*\"turn\": \"\\(.*\\)\".*/\\1/p'; }; " \
      "ask() { lantern call $1 \"{\\\"title\\\":\\\"HM-204\\\",\\\"turn\\\":\\\"$(t)\\\",\\\"track\\\":\\\"FRA.f\\\",$2}\"; }; "
PUT = "ask track.put '\"file\":\"out/HM-204/fr.srt\"'"
THAW = "ask track.thaw '\"why\":\"TEXT\"' >/dev/null; "
every = [1, 2, 3, 4, 5, 6]
quirks = [
 dict(id="turn", what="Every writing call of lantern wants the field turn, which its help leaves out: the value that title.get of the title shows at that moment. Each write changes it.",
      wrong_call_example="lantern call track.put '{\"title\":\"HM-204\",\"track\":\"FRA.f\",\"file\":\"out/HM-204/fr.srt\"}'",
      error_text=r"lantern 428\b",
      cure="Read \"turn\" with title.get before each writing call and pass it as the field \"turn\"; it is new after every write.",
      cure_regex=r"(?i)\b(track\.(open|thaw|put)|drop\.(make|pull)|term\.set)\b[^\n]{0,200}[\"'`]turn\b|\bturn\\?[\"']\s*:\s*[\\\"']*\$|\bturn\b[^\n]{0,80}(title\.get|\b(every|each|field|fresh|anew|re-?read|re-?fetch\w*)\b)|(title\.get|\b(fresh|current|latest|field|pass\w*))\b[^\n]{0,60}[\"'` ]turn\b", tasks=every),
 dict(id="track-name", what="A track is named by three capital letters of the language and a letter for the way of address (FRA.f, DEU.i, FIN.n), which title.get does not show.",
      wrong_call_example="lantern call drop.list '{\"title\":\"HM-204\",\"track\":\"fr\"}'", error_text=r"lantern 404 no such track",
      cure="Name tracks LLL.w: DEU, FIN, FRA, NLD or POR and f (formal), i (informal) or n (plain), as in FRA.f.",
      cure_regex=r"\b(DEU|FIN|FRA|NLD|POR|LLL|XXX)\.[finw]\b", tasks=every),
 dict(id="frozen", what="A track that was dropped takes no print until track.thaw is called with a reason from why.list.",
      wrong_call_example="make -s subs T=HM-204 L=fr >/dev/null; " + ASK + PUT, error_text=r"lantern 423\b",
      cure="Call track.thaw with why (a code of why.list: CONF, RIGHTS, TERM, TEXT, TOOL) before track.put.",
      cure_regex=r"(?i)track\.thaw|\bthaw(ed|ing)?\b", tasks=[1, 2, 3, 5, 6]),
 dict(id="rough-print", what="make builds a rough print unless told otherwise; the desk takes only fair ones (PRINT=fair).",
      wrong_call_example="make -s subs T=HM-204 L=fr >/dev/null; " + ASK + THAW + PUT, error_text=r"lantern 415\b",
      cure="Build with PRINT=fair (make subs T=HM-204 L=fr PRINT=fair) before track.put.",
      cure_regex=r"\bPRINT\s*=\s*fair\b|--kind[ =]fair\b", tasks=every),
 dict(id="off-the-cut", what="An in-time one to three frames away from a cut in shots.lst is refused; it has to be exactly on the cut. weft.py snap FILE does that.",
      wrong_call_example="sed -i 's/^002 00:00:07:15/002 00:00:12:03/; s/00:00:10:00$/00:00:13:00/; /^003/,$d' titles/HM-204/fr.cue; make -s subs T=HM-204 L=fr", error_text=r"\.cue:\d+: off the cut",
      cure="Run python3 tools/weft.py snap FILE, which puts in-times near a cut onto the cut of shots.lst.",
      cure_regex=r"(?i)weft(\.py)?[\"'`]? snap\b|\bsnap(s|ped|ping)?\b[^\n]{0,80}\b(cuts?|shots?|FILE|cue)\b|\b(in-?times?|in-?points?|starts?)\b[^\n]{0,80}\b(onto?|equal\w*|exactly)\b[^\n]{0,40}\b(cuts?|shots?)\b", tasks=[1, 4, 6]),
 dict(id="unproved", what="drop.make wants the field proof, which its help leaves out: the mark in brackets that make proof prints for the print that was put.",
      wrong_call_example="make -s subs T=HM-204 L=fr PRINT=fair >/dev/null; " + ASK + THAW + PUT + " >/dev/null; ask drop.make '\"order\":\"NK-1\"'", error_text=r"lantern 412\b",
      cure="Run make proof T=… L=… after the last build and give the mark in brackets to drop.make as the field \"proof\".",
      cure_regex=r"(?i)\bproof\\?[\"'`]\s*:|\bproof\b[^\n]{0,120}\b(mark|brackets?|bracketed|field|drop\.make)\b|\b(mark|brackets?|bracketed|field|drop\.make)\b[^\n]{0,120}\bproof\b", tasks=every),
 dict(id="take", what="The pre-commit hook wants the take in the head of every changed source raised by exactly one (1 in a new file), and the dropped print to be of that very file: raise it before the build.",
      wrong_call_example="sed -i 's/Pas cette nuit/Pas ce soir/' titles/HM-204/fr.cue; git commit -qam 'French'", error_text=r"gate \| \S+: (take out of step|not what was dropped)",
      cure="Raise the take in the head of each changed .cue or .tab by one (1 in a new file) before building, putting and dropping.",
      cure_regex=r"(?i)\b(bump|increment|increase|raise|advance)\w*\b[^\n]{0,60}\btake\b|\btake\b[^\n]{0,60}(\b(bump|increment|increase|raise)\w*|\bby (exactly )?(one|1)\b|\+ ?1\b|\bHEAD\b)", tasks=[1, 2, 3, 4, 6]),
 dict(id="screen", what="The commit-msg hook takes at most two lines of at most 37 characters.",
      wrong_call_example="git commit -q --allow-empty -m 'Retime the French track of The Salt Lamp, part four'", error_text=r"gate \| message does not fit the screen",
      cure="Write the commit message in at most two lines of at most 37 characters each.",
      cure_regex=r"(?i)\b37\b[^\n]{0,30}\b(char\w*|columns?|signs|letters|wide|long|limit)\b|\b(lines?|messages?|subjects?|WIDE)\b[^\n]{0,60}\b37\b|(≤|<=) ?37\b", tasks=every),
]
changed = [
 dict(id="track-name", what="After the move a track is named by the two-letter language, a plus and the way of address in full (fr+formal).",
      wrong_call_example="lantern call drop.list '{\"title\":\"HM-204\",\"track\":\"FRA.f\"}'", error_text=r"lantern 404 no such track",
      cure="Name tracks ll+way: fr+formal, de+informal, fi+plain.",
      cure_regex=r"\b[a-z]{2}\+(formal|informal|plain|way)\b", tasks=every),
 dict(id="rough-print", what="After the move the good print is built with GRADE=release; PRINT=fair is no longer heard.",
      wrong_call_example="make -s subs T=HM-204 L=fr PRINT=fair >/dev/null; " + (ASK + THAW + PUT).replace("FRA.f", "fr+formal"), error_text=r"lantern 415\b",
      cure="Build with GRADE=release (make subs T=HM-204 L=fr GRADE=release) before track.put.",
      cure_regex=r"\bGRADE\s*=\s*release\b|--kind[ =]release\b", tasks=every),
]
for name, x in (("QUIRKS", quirks), ("CHANGED", changed)):
    with open(os.path.join(here, name + ".json"), "w") as f:
        json.dump(x, f, indent=1, ensure_ascii=False)
        f.write("\n")
