"""Advice in words and the calls that follow it: commands in backticks, values left out."""

from __future__ import annotations

import re
from itertools import takewhile
from typing import TYPE_CHECKING

from hardwon.core.values.run import Step
from hardwon.knowledge.evidence.calls import acting_calls, calls_of, is_own
from hardwon.knowledge.evidence.common import COMMON, READERS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hardwon.knowledge.evidence.calls import Call

_QUOTED = re.compile(r"`([^`\n]{2,400})`")
_PLACEHOLDER = re.compile(r"<[^<>\n]{1,60}>|…|\.{3}|\$\{?\w+\}?")
_VALUE = "VALUE"  # a word that is never part of a call's kind


def recommended_calls(text: str) -> list[Call]:
    """The calls in backticks; a bare word is the name of a thing, not a call."""
    found = (_calls(_PLACEHOLDER.sub(_VALUE, quoted)) for quoted in _QUOTED.findall(text))
    return [call for calls in found for call in calls if " " in call.kind]


def _calls(command: str) -> list[Call]:
    calls = calls_of(Step("bash", command))
    return [call for call in calls if call.program not in READERS]


def follows(call: Call, advised: Call) -> bool:
    """Whether a call is one of the advised kind: the same program, with all fixed words."""
    return call.program == advised.program and {*advised.kind.split()} <= {*call.kind.split()}


def programs(steps: Iterable[Step]) -> set[str]:
    """The names of the programs and tools that steps call, without those that only look."""
    return {call.program for step in steps for call in acting_calls(step)}


def parts(calls: Iterable[Call]) -> set[str]:
    """The parts of programs that are called: `yard lot` of `yard lot seal 37`, and the tools.

    If the second word is one that everybody uses, the third counts, too: `yard call lot.seal`. The
    parts of programs that everybody uses are no news.
    """
    found: set[str] = set()
    for call in calls:
        is_known = call.is_tool or call.program in COMMON or not is_own(call)
        words = [call.program] if is_known else _first_words(call)
        found.add(" ".join(words[: 3 if COMMON.intersection(words[1:2]) else 2]))
    return found


def _first_words(call: Call) -> list[str]:
    """The words of a call from its program to the first flag that may be followed by a value."""
    words = (word for word in call.kind.split() if not word.startswith("--") and "=" not in word)
    return [*takewhile(lambda word: not word.startswith("-"), words)]
