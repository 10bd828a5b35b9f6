"""Where an id comes from, learnt from counts over many runs.

A run that invents an id and gives up does not show the right source; the calls of other runs do.
"""

from __future__ import annotations

from hardwon._cold import re
from hardwon.failures.authored import fields
from hardwon.failures.fix_case import line_of
from hardwon.failures.fix_source import is_id_name, is_refused, taken_from
from hardwon.values.fix import PROVEN, Fix

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import NamedTuple

    from hardwon.failures.order_counts import FeatureCounts
    from hardwon.values.step import Step
else:
    from hardwon._cold.namedtuple import NamedTuple

_TOOLS = 8  # at most, other tools of the run that may be the source
_ROLES = ("id", "id_", "_id")
_WORKED = 5  # calls that worked with an id from that source, at least
_NEARLY = 0.9


class PossibleSource(NamedTuple):
    """An invented argument, and a place that it may have to be taken from."""

    feature: str  # that calls have which take it from there
    key: str
    tool: str
    role: str


def possible_sources(step: Step, before: Sequence[Step]) -> list[PossibleSource]:
    """The places that an invented id of a failing call may have to be taken from."""
    line = line_of(step)
    if not is_refused(line):
        return []
    arguments = fields(step.args)
    made_up = [
        key for key in arguments if is_id_name(key) and _is_made_up(arguments[key], line, before)
    ]
    return [source for key in made_up for source in _places(step.tool, key, before)]


def counted_source(
    sources: Sequence[PossibleSource], counts_of: Callable[[str], FeatureCounts], tool: str
) -> Fix | None:
    """The fix to use the source with which nearly all calls worked, the most used of them."""
    proven = [(counts_of(source.feature), source) for source in sources]
    proven = [(calls, source) for calls, source in proven if _works(calls)]
    if not proven:
        return None
    _, best = max(proven, key=lambda pair: (pair[0].made, pair[1].feature))
    words, key = taken_from(best.key, best.tool, (best.role,))
    return Fix("argument", f"`{tool}`: {words}", f"argument {tool} {key}", worked=PROVEN)


def _works(calls: FeatureCounts) -> bool:
    worked = calls.made - calls.failed
    return worked >= _WORKED and worked >= _NEARLY * calls.made


def _is_made_up(value: object, line: str, before: Sequence[Step]) -> bool:
    """Whether the error quotes a value that no result of the run holds."""
    if not isinstance(value, str) or f"'{value}'" not in re.sub(r"[\"`]", "'", line):
        return False
    return not value or not any(value in step.output for step in before)


def _places(tool: str, key: str, before: Sequence[Step]) -> Iterator[PossibleSource]:
    tools = dict.fromkeys(step.tool for step in reversed(before) if not step.failed)
    for source_tool in [name for name in tools if name != tool][:_TOOLS]:
        for role in (*_ROLES, key):
            feature = f"{tool.lower()} {key} comes from {source_tool.lower()}.{role}"
            yield PossibleSource(feature, key, source_tool, role)
