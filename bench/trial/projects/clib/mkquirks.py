"""Writes QUIRKS.json and CHANGED.json (kept as code because of the escapes)."""
import json, os
here = os.path.dirname(os.path.abspath(__file__))
ADD = "echo 'PLV_API int plv_ring_room(const plv_ring *r);' >> include/plover/ring.h; printf '\\nint plv_ring_room(const plv_ring *r) {\\n    return (int)(r->size - r->used);\\n}\\n' >> src/ring.c; "
ALL, REL = [1, 2, 3, 4, 5, 6], [2, 3, 5, 6]
Q = [
 dict(id="pressed-headers", what="Headers in include/plover/gen carry a seal over spec/codes.def and VERSION; after a change of either (a stamp too) kiln press has to write them anew.",
      wrong_call_example="echo 'PLV_E_BUSY -9 \"busy\"' >> spec/codes.def; kiln build", error_text=r"kiln/K11 ",
      cure="Run kiln press after changing spec/codes.def or VERSION (so also after a stamp), never edit gen/ by hand.", cure_regex=r"(?i)\bkiln press\b|\bpress\b[^\n]{0,60}\b(gen/|codes\.h|headers)|\bre-?press", tasks=[1, 2, 3, 5, 6]),
 dict(id="drawn-ordinals", what="Ordinals in abi/plover.syms are drawn with kiln abi draw NAME, which records them in abi/draws; a counted-on number is refused.",
      wrong_call_example=ADD.replace("ring_room", "ring_left") + "echo 'plv_ring_left @28' >> abi/plover.syms; kiln build", error_text=r"kiln/K2[12] ",
      cure="Get the ordinal with kiln abi draw NAME and put the line it prints (name and @ordinal) into abi/plover.syms; commit abi/draws.", cure_regex=r"(?i)\babi draw\b|\bdrawn? (an? |the |its )?(abi )?ordinal|\bordinals? (\w+ ){0,3}drawn\b", tasks=[1, 3, 4, 5, 6]),
 dict(id="test-image", what="kiln test reads fixtures from build/field.img, baked with kiln image bake --slots N (power of two, room for all fixtures); each build empties build/.",
      wrong_call_example="kiln build; kiln test", error_text=r"kiln/K4[1234] ",
      cure="After each kiln build run kiln image bake --slots 8 (a power of two that holds every fixture) before kiln test.", cure_regex=r"(?i)\bimage bake\b|--slots\b|\bbake\b[^\n]{0,40}\b(image|field\.img)", tasks=ALL),
 dict(id="cost-grid", what="Figures in bench/baseline.tsv are the cost of kiln bench rounded up to a multiple of 16.",
      wrong_call_example=ADD + "kiln abi draw plv_ring_room >> abi/plover.syms; printf 'plv_ring_room\\t13\\n' >> bench/baseline.tsv; kiln build; git add -A; git commit -m room", error_text=r"kiln/K3[123] ",
      cure="Round the figure of kiln bench up to the next multiple of 16 for the row in bench/baseline.tsv (name, tab, figure); also when a function's cost changed.", cure_regex=r"(?i)\bmultiples? of (16|sixteen)\b|\bgrid of (16|sixteen)\b|\b(round\w*|ceil\w*)\b[^\n]{0,50}\b(16|sixteen)\b|// ?16\b", tasks=ALL),
 dict(id="fragment-form", what="A fragment is changes/TICKET.KIND with kind add, mend or drop and one line '[module] text' of at most 64 characters; checked at commit and stamp.",
      wrong_call_example="echo 'Rings tell their room' > changes/230.md; kiln stamp 104d", error_text=r"kiln/K6[23] ",
      cure="Name the fragment changes/TICKET.KIND with kind add, mend or drop (231.add) and write one line: [module] text, at most 64 characters.", cure_regex=r"(?i)\bTICKET>?\.<?KIND\b|\b\d{3}\.(add|mend|drop)\b|\badd\W{1,3}(or )?mend\W{1,3}(or )?drop\b", tasks=ALL),
 dict(id="version-mark", what="kiln stamp takes a mark, not a version: major digit, two digits of the minor, a letter for the patch (1.4.3 is 104d), as the tags have it.",
      wrong_call_example="echo '[ring] more' > changes/230.add; kiln stamp 1.4.3", error_text=r"kiln/K71 ",
      cure="Give kiln stamp a mark: major, two digits of the minor, a letter for the patch with a for 0 (1.5.0 is 105a, 1.4.3 is 104d).", cure_regex=r"(?i)\b[1-9]0\d[a-z]\b|\bletter\b[^\n]{0,30}\bpatch\b|\bpatch\b[^\n]{0,40}\bletter\b", tasks=REL),
 dict(id="lint-slip", what="The pre-commit hook wants a lint slip for the staged tree; only kiln lint --mode ink after git add writes one, plain lint does not.",
      wrong_call_example="echo >> docs/modules.md; git add -A; kiln lint; git commit -m 'Tidy the page'", error_text=r"kiln/K5[12] ",
      cure="Stage everything, then run kiln lint --mode ink right before git commit.", cure_regex=r"(?i)--mode[ =]ink\b|\bink[- ]mode\b|\bmode:? [`'\"]?ink\b", tasks=ALL),
 dict(id="crate-order", what="kiln pack takes begin, then put notes, abi, headers, objects in this order, then close; a wrong stage throws the crate away.",
      wrong_call_example="echo '[ring] more' > changes/230.add; kiln stamp 104d; kiln press; kiln build; kiln image bake --slots 8; kiln test; kiln pack begin; kiln pack put headers", error_text=r"kiln/K8[12] ",
      cure="Pack in the order kiln pack begin, put notes, put abi, put headers, put objects, kiln pack close; after a refusal begin again.", cure_regex=r"(?i)\bnotes\b\W+(then |before |put |kiln pack put |pack put )*\W*abi\b\W+(then |before |put |kiln pack put |pack put )*\W*headers\b|\bpack put notes\b", tasks=REL),
]
C = [
 dict(id="version-mark", what="After the refit a mark is M, the major, and two digits each for minor and patch (1.4.3 is M1.04.03); the old marks with a letter are refused.",
      wrong_call_example="echo '[ring] more' > changes/230.add; kiln stamp 104d", error_text=r"kiln/K71 ",
      cure="Give kiln stamp a mark like M1.05.00: M, the major, two digits of the minor, two digits of the patch number.", cure_regex=r"\bM\d\.\d\d\.\d\d\b|\bM(MAJOR|X|x|<major>)\.", tasks=REL),
 dict(id="lint-slip", what="After the refit the slip is written by kiln lint --mode wax; ink is no mode any more.",
      wrong_call_example="echo >> docs/modules.md; git add -A; kiln lint --mode ink && git commit -m 'Tidy the page'", error_text=r"kiln/K5[12] ",
      cure="Stage everything, then run kiln lint --mode wax right before git commit.", cure_regex=r"(?i)\bwax\b", tasks=ALL),
]
for name, x in (("QUIRKS", Q), ("CHANGED", C)):
    with open(os.path.join(here, name + ".json"), "w") as f:
        json.dump(x, f, indent=1, ensure_ascii=False)
        f.write("\n")
