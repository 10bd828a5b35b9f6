"""Writes QUIRKS.json (kept as code because of the escapes)."""
import json, os
here = os.path.dirname(os.path.abspath(__file__))
ALL = [1, 2, 3, 4, 5, 6]
E = "sed -i 's/^replicas .*/replicas  8/' units/%s/nw1/ledger-api.unit; "
PRE = E + "cellmap draw nw1.%s >/dev/null; plumb check ledger-api@nw1.%s --yard %s >/dev/null; "
T = PRE % ("trial", "trial", "trial", "clay")
P = PRE % ("prod", "prod", "prod", "granite")
TRIAL = T + "lath bolt take nw1.trial >/dev/null; lath plan ledger-api@nw1.trial >/dev/null; lath stage pl-0311 --cause tide >/dev/null; lath apply st-0188 >/dev/null; "
PROD = P + "lath bolt take nw1.prod >/dev/null; lath plan ledger-api@nw1.prod >/dev/null; lath stage pl-0312 --cause tide"
quirks = [
 dict(id="address-form", what="Targets are unit@region.env and cells are region.env (small to large), not paths or env/region/unit.",
      wrong_call_example="lath plan prod/nw1/ledger-api", error_text=r"(lath|plumb|cellmap): L04: ",
      cure="Write targets as unit@region.env (ledger-api@nw1.prod) and cells as region.env (nw1.prod).",
      cure_regex=r"(?i)\b[a-z][a-z-]+@(nw1|se2|ap3|ca4)\.(bench|trial|prod)\b|<?\b(unit|name|service|svc)\b>?@<?(region|reg|cell)\b>?|<?\bregion\b>?\.<?env", tasks=ALL),
 dict(id="yard-option", what="plumb needs --yard with the yard named in envs/ENV.env (sand, clay, granite); its help leaves the option out.",
      wrong_call_example="plumb check ledger-api@nw1.prod", error_text=r"plumb: P11: ",
      cure="Give plumb --yard with the environment's yard from envs/*.env: sand for bench, clay for trial, granite for prod.",
      cure_regex=r"(?i)--yard\b|\byard\b[^\n]{0,40}\b(clay|granite|sand)\b", tasks=ALL),
 dict(id="map-behind", what="lath plan refuses until the map of the cell is drawn again with cellmap draw after an edit.",
      wrong_call_example=E % "trial" + "lath plan ledger-api@nw1.trial", error_text=r"lath: L12: ",
      cure="After editing units run cellmap draw for each touched cell before lath plan, and commit the maps.",
      cure_regex=r"(?i)cellmap\W{0,3}draw|\bre-?draw\w*\b[^\n]{0,40}\bmaps?\b", tasks=ALL),
 dict(id="bolt-first", what="lath stage (and apply) need the cell to be locked with lath bolt take; it is to be freed afterwards.",
      wrong_call_example=T + "lath plan ledger-api@nw1.trial >/dev/null; lath stage pl-0311 --cause tide", error_text=r"lath: L21: ",
      cure="Lock each cell with lath bolt take before staging and free it with lath bolt free after the apply.",
      cure_regex=r"(?i)\bbolt\W{0,3}take\b|\btake\b (a |the |its )?bolts?\b|\bbolt\b (the |each |every |its )?cells?\b", tasks=ALL),
 dict(id="stage-cause", what="lath stage needs --cause with a word of policies/causes.tbl; its help leaves the option out.",
      wrong_call_example=T + "lath plan ledger-api@nw1.trial >/dev/null; lath stage pl-0311", error_text=r"lath: L30: ",
      cure="Stage with --cause and a word from policies/causes.tbl (tide, mend, renew, raise, strike, rule).",
      cure_regex=r"(?i)--cause\b|\bcauses\.tbl\b", tasks=ALL),
 dict(id="settle-trial", what="A prod stage is refused until the same change was applied in trial and settled with lath settle.",
      wrong_call_example=TRIAL + PROD, error_text=r"lath: L55: ",
      cure="Apply the change in trial first and run lath settle on the trial stage before staging prod.",
      cure_regex=r"(?i)\blath\W{0,3}settle\b|\bsettle\b[^\n]{0,80}\b(trial|prod|stage|before|first)\b|\btrial\b[^\n]{0,80}\bsettled?\b", tasks=ALL),
 dict(id="second-guild", what="A prod apply needs reeve second by the guild that policies/seconds.tbl names for each keeper on the stage (never the keeper's own).",
      wrong_call_example=TRIAL + "lath settle st-0188 >/dev/null; " + PROD + " >/dev/null; lath apply st-0189", error_text=r"lath: L42: |reeve: R03: ",
      cure="Before a prod apply enter reeve second STAGE --guild with the guild from policies/seconds.tbl for every keeper on the stage.",
      cure_regex=r"(?i)\breeve\W{0,3}second\b|\bseconds\.tbl\b|--guild\b", tasks=ALL),
 dict(id="reach-mark", what="The commit-msg hook wants the subject to begin with [rN], N being the count of unit files in the commit.",
      wrong_call_example="git commit -q --allow-empty -m 'More replicas'", error_text=r"commit-msg: G07: ",
      cure="Begin the commit subject with [rN] where N is the number of .unit files the commit touches.",
      cure_regex=r"(?i)\[r(<?n>?|\d+|<?count>?|#|x)\]", tasks=ALL),
]
with open(os.path.join(here, "QUIRKS.json"), "w") as f:
    json.dump(quirks, f, indent=1, ensure_ascii=False)
    f.write("\n")
