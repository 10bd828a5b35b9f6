"""Sessions of one agent, written and read."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

from hardwon import Step
from hardwon.learn.transcripts.agents import KINDS, read
from hardwon.learn.transcripts.transcript import FinishedCall, Message, Moment, SessionPlace

FAILED = Step("bash", "make test", "make: *** No rule to make target 'test'.  Stop.", failed=True)


def only(home: Path, agent: str) -> tuple[SessionPlace, list[Moment], Counter[str]]:
    (found,) = KINDS[agent].find(str(home))
    reading = read(found)
    moments = list(reading.moments())
    return found, moments, reading.skipped


def write(path: Path, records: list[Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(one) + "\n" for one in records), encoding="utf-8")


def said(moments: list[Moment]) -> list[tuple[str, str]]:
    return [(one.who, one.text) for one in moments if isinstance(one, Message)]


def steps(moments: list[Moment]) -> list[Step]:
    return [one.step for one in moments if isinstance(one, FinishedCall)]
