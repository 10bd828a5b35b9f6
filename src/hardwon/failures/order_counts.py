"""The order of two calls on one object, learnt from counts over many runs."""

from __future__ import annotations

from hardwon._cold import re
from hardwon.failures.fix_order import order_fix
from hardwon.failures.fix_tool import is_look
from hardwon.values.fix import PROVEN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import NamedTuple

    from hardwon.values.fix import Fix
else:
    from hardwon._cold.namedtuple import NamedTuple

_AFTER = r"(?P<tool>\S+) \S.* after (?P<other>\S+)"
_RUNS = 3  # failing calls, at least
_WORKED = 5  # calls that worked without the other call before them, at least
_NEARLY = 0.9


class FeatureCounts(NamedTuple):
    """How many calls with a feature were made, and how many of them failed with one kind."""

    made: int
    failed: int


def counted_order(
    features: Iterable[str], counts_of: Callable[[str], FeatureCounts], typed: Mapping[str, str]
) -> Fix | None:
    """The fix to keep an order, if another call came before nearly all failures and no success.

    A reading call changes nothing, so no order with it is needed. `typed`: the tools of the run
    as they are written, by their names in features.
    """
    matches = [match for feature in sorted(features) if (match := re.fullmatch(_AFTER, feature))]
    for match in matches:
        tool = match["tool"]
        written, other = (typed.get(name, name) for name in (tool, match["other"]))
        if (
            other != written
            and not is_look(other)
            and _decides(counts_of(match[0]), counts_of(f"runs {tool}"))
        ):
            return order_fix(written, other)._replace(worked=PROVEN)
    return None


def _decides(after: FeatureCounts, every: FeatureCounts) -> bool:
    """Whether nearly all calls `after` the other one fail, and nearly no others."""
    worked = every.made - every.failed - (after.made - after.failed)
    return (
        after.failed >= _RUNS
        and after.failed >= _NEARLY * every.failed
        and after.failed >= _NEARLY * after.made
        and worked >= _WORKED
    )
