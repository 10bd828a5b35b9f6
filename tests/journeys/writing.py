"""A program that keeps lessons without a pause: `python writing.py HOME NAME COUNT`."""

from __future__ import annotations

import sys

import hardwon

home, name, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
refused = 0
with hardwon.open(home) as hw:
    agent = hw.agent(name)
    for number in range(count):
        try:
            agent.learn(f"Use the port {number} for {name}", situation=f"port {number} of {name}")
        except hardwon.HardwonError:
            refused += 1
print(refused)
