#!/bin/bash
. "$(dirname "$0")/lib.sh"
contract gate_event HB-1412
printf '\n[[field]]\nname = "seal_no"\ntype = "text"\ntag = 7\noptional = true\n' >> contracts/gate_event.toml
stencil render gate_event; stencil release gate_event
edit services/gateops/gateops/core.py 'weight_kg=scan.get("weight"))' 'weight_kg=scan.get("weight"), seal_no=seal(scan.get("seal")))' 'def gate_in(' 'def seal(text):
    return "".join((text or "").upper().replace("-", "").split()) or None


def gate_in('
cat >> services/gateops/tests/test_core.py <<'T'

    def test_seal(self):
        self.assertEqual(gate_in({**SCAN, "seal": "ml-de 44"}).seal_no, "MLDE44")
        self.assertIsNone(gate_in(SCAN).seal_no)
T
frag gateops haul skua HB-1412 "Gate events carry the seal number."
ready gateops north
ship HB-1412 25W48-1 "seal number in gate events"
