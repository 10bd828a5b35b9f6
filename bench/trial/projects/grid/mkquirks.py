"""Writes QUIRKS.json (kept as code because of the escapes)."""
import json, os
here = os.path.dirname(os.path.abspath(__file__))
ALL = [1, 2, 3, 4, 5, 6]
MEM = "sed -i 's/^memory_mb = 512/memory_mb = 640/' services/billing/env/prod.toml; "
NOTE = """printf 'unit = "prod:c4/billing"\\nundo_to = 69\\nrisk = "low"\\n' > changes/next/billing.toml; """
GO = "trellis pin services/billing; trellis plan prod:c4/billing >/dev/null; "
COMMIT = NOTE + "git add -A; git commit -q -m x; "
P = "plans/prod-c4-billing.plan"
quirks = [
 dict(id="unit-address", what="A unit is addressed ENV:CELL/SERVICE, with the cell that its file names; trellis state ls lists the addresses.",
      wrong_call_example="trellis plan prod/billing", error_text=r"plan: \S+: no unit",
      cure="Address a unit as ENV:CELL/SERVICE, for example prod:c4/billing (trellis state ls billing).",
      cure_regex=r"(?i)\b(dev|stage|prod):c[1-4]/[a-z]|\bENV\W{0,2}:\W{0,2}CELL|trellis state ls", tasks=ALL),
 dict(id="pins", what="After a file of a service was edited its digests must be taken anew with trellis pin, else plan refuses.",
      wrong_call_example=MEM + "trellis plan prod:c4/billing", error_text=r"plan: \S+: \S+ digest mismatch",
      cure="Run trellis pin services/NAME after each edit, before trellis plan.", cure_regex=r"(?i)\btrellis pin\b|[\"']trellis[\"'], *[\"']pin\b", tasks=ALL),
 dict(id="ledger", what="The ledger of the environment must be edited along: used and spare of the cell follow from replicas times module weight plus queues.",
      wrong_call_example="sed -i 's/^replicas = 4/replicas = 7/' services/billing/env/prod.toml; " + "trellis pin services/billing; trellis plan prod:c4/billing", error_text=r"plan: c\d: out of balance",
      cure="Edit environments/ENV/ledger.toml: used of the cell changes by the replicas times the weight of the module version plus 1 for each queue, and spare = total - used.",
      cure_regex=r"(?i)\bledger\.toml\b|\bledger\b[^\n]{0,80}\b(used|spare)\b|\b(used|spare)\b[^\n]{0,80}\bledger\b", tasks=[1, 2, 3, 5]),
 dict(id="way-back", what="The pre-commit hook wants changes/next/SERVICE.toml with unit, undo_to (the serial of the unit in the state) and risk.",
      wrong_call_example=MEM + "git commit -q -am x", error_text=r"pre-commit: \S+: no way back",
      cure="Write changes/next/SERVICE.toml with unit, undo_to = serial of the unit now (trellis state show) and risk = low, mid or high; commit it along.",
      cure_regex=r"(?i)\bundo_to\b|\bchanges/next\b", tasks=ALL),
 dict(id="on-record", what="apply takes only a plan that is committed in HEAD as it is: commit first, then apply.",
      wrong_call_example=MEM + GO + "trellis apply " + P, error_text=r"apply: \S+: not on record",
      cure="Commit the plan file in plans/ before trellis apply.",
      cure_regex=r"(?is)\bcommit\w*\b[^\n]{0,60}\bplans?\b[^\n]{0,60}\b(before|first|then|prior)\b|\bplans?\b[^\n]{0,60}\bcommitted\b|\b(before|first|prior|then)\b[^\n]{0,60}\bcommit\w*\b[^\n]{0,40}\bplans?\b|\bgit commit\b.{0,900}\btrellis apply\b", tasks=ALL),
 dict(id="window", what="apply wants the window of the environment open; it shuts by itself after the last wave.",
      wrong_call_example=MEM + GO + COMMIT + "trellis apply " + P, error_text=r"apply: (dev|stage|prod) is shut",
      cure="Run trellis window ENV open before trellis apply.", cure_regex=r"(?i)\btrellis window\b|[\"']trellis[\"'], *[\"']window\b|\bwindow (dev|stage|prod|ENV|<env>) open\b", tasks=ALL),
 dict(id="waves", what="A plan of more steps than the burst is applied in waves of three: --wave 1, --wave 2 and so on.",
      wrong_call_example=MEM + GO + COMMIT + "trellis window prod open; trellis apply " + P, error_text=r"apply: \d+ steps, burst \d",
      cure="Run trellis apply PLAN --wave 1, then --wave 2, until the unit has its new serial.", cure_regex=r"(?i)--wave\b", tasks=ALL),
 dict(id="registry", what="The last part of a new name must be in the nouns of policies/registry/TEAM.toml; it is looked at only by apply.",
      wrong_call_example="""printf '\\n[[alert]]\\nname = "fin.billing.late"\\nsignal = "p95_ms"\\nabove = 5\\npage = "fin"\\n' >> services/billing/env/prod.toml; """ + GO + COMMIT + "trellis window prod open; trellis apply " + P + " --wave 1",
      error_text=r"apply: \S+: not registered", cure="Add the last part of the name to nouns in policies/registry/TEAM.toml.",
      cure_regex=r"(?i)\bpolicies/registry\b|\bnouns\b|\bregistry/\w+\.toml\b", tasks=[2, 4, 6]),
]
with open(os.path.join(here, "QUIRKS.json"), "w") as f:
    json.dump(quirks, f, indent=1, ensure_ascii=False)
    f.write("\n")
