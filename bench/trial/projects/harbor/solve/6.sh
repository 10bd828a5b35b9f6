#!/bin/bash
. "$(dirname "$0")/lib.sh"
contract quote_ended HB-1444
python3 - > contracts/quote_ended.toml <<'PY'
print('name = "quote_ended"\nsince = "2025-12"')
for i, f in enumerate("quote_id:id shipper:id ended_on:date value_cents:int reason:enum".split()):
    n, t = f.split(":")
    print(f'\n[[field]]\nname = "{n}"\ntype = "{t}"\ntag = {i + 1}')
print('values = ["aged", "withdrawn"]')
PY
stencil render quote_ended; stencil release quote_ended
edit services/quotes/quotes/core.py 'import cents
' 'import cents
from wire.quote_ended import QuoteEnded
'
cat >> services/quotes/quotes/core.py <<'T'


def ended(quotes, today):
    out = []
    for q in quotes:
        if q["state"] == "withdrawn":
            on, reason = q["withdrawn_on"], "withdrawn"
        elif q["state"] == "open" and day(q["valid_until"]) < day(today):
            on, reason = q["valid_until"], "aged"
        else:
            continue
        out.append(QuoteEnded(quote_id=q["id"], shipper=q["shipper"], ended_on=on, value_cents=cents(q["value"]), reason=reason))
    return out
T
edit services/quotes/tests/test_core.py 'import accept, make' 'import accept, ended, make'
cat >> services/quotes/tests/test_core.py <<'T'

    def test_ended(self):
        self.assertEqual([e.reason for e in ended([self.q], "2025-11-16")], ["aged"])
        self.assertEqual(ended([self.q], "2025-11-15"), [])
T
frag quotes haul eider HB-1444 "A message when a quote ends."
ready quotes attic
ship HB-1444 25W50-1 "message when a quote ends"
