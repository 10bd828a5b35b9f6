"""Ways: calls of a project's own programs that worked in earlier runs."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from hardwon.knowledge.evidence.calls import HELP, Call, is_own, runs_one_of
from hardwon.knowledge.evidence.folding import fold_call, shorten_values
from hardwon.knowledge.evidence.inner import failing_call, working_calls
from hardwon.knowledge.reading.authored import made_files

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from hardwon.core.values.run import Step

_PLAIN = re.compile(r"[A-Za-z-][A-Za-z_.:/-]*")  # a word that is no value of one task


class Way(NamedTuple):
    """A call that works in a project, with its record."""

    call: str  # the newest that worked, values of the run folded
    worked: int
    failed: int
    runs: tuple[int, ...]  # the places of the runs in which it worked


def ways_of(runs: Iterable[tuple[str, Sequence[Step]]]) -> list[Way]:
    """The ways that runs show (task and steps of each, oldest first), those of most runs first."""
    found, failed = dict[str, Way](), Counter[str]()
    for number, (task, steps) in enumerate(runs):
        own = made_files(steps)
        for step in steps:
            failing = failing_call(step)
            if failing is not None:
                failed[_form(failing)] += 1
            for call in (call for call in working_calls(step) if _is_way(call, own)):
                known = found.get(_form(call), Way("", 0, 0, ()))
                text = shorten_values(" ".join(fold_call(call.text, task).split()))
                made = dict.fromkeys((*known.runs, number))
                found[_form(call)] = Way(text, known.worked + 1, 0, tuple(made))
    ways = [way._replace(failed=failed[form]) for form, way in found.items()]
    whole = (  # a call without its arguments only asked for its usage
        way for way in ways if not any(other.call.startswith(f"{way.call} ") for other in ways)
    )
    return sorted(whole, key=lambda way: -len(way.runs))


def _form(call: Call) -> str:
    """Equal for calls that differ in values of one task only: its words before a text or JSON."""
    words = re.split(r"[\"'{]", call.text, maxsplit=1)[0].split()
    return " ".join(filter(_PLAIN.fullmatch, words))


def _is_way(call: Call, own: set[str]) -> bool:
    """Whether a call may be a way: agents know their tools, and values of tools are private.

    What runs a file that the run made itself, is none.
    """
    is_known = call.is_tool or not is_own(call) or not HELP.isdisjoint(call.shape.split())
    return not (is_known or runs_one_of(call, own))
