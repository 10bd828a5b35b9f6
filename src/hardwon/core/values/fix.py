"""The difference between a failure and a success, and how often it helped."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

UNCHANGED = "unchanged"  # the sort for tests that also fail without the run's change
PREPARED = " < "  # in a key: before the calls that came first
TEXT_LIMIT = 600  # characters of a fix
PROVEN_RUNS = 2  # runs in which a fix must have worked
DOUBTED_RUNS = 2  # failed runs after which it must be proven again
FIXES_KEPT = 8  # of one lesson


class Fix(NamedTuple):
    """One fix of a failure kind, with its record."""

    sort: str  # trail, lines, unchanged; others in lessons of older versions
    text: str  # the correction as it is shown; code lines keep newlines and indentation
    key: str  # equal for the same fix in two runs
    call: str = ""  # the recommended call, as typed
    mistake: str = ""  # what was removed, or tried without success
    worked: int = 1  # runs in which it worked
    failed: int = 0  # runs in which it was applied and failed
    said: str = ""  # the answer of a call that explained the failure

    @property
    def is_vague(self) -> bool:
        """Whether it only shows what came before the same call; anything else says more."""
        return PREPARED in self.key and not self.said

    @property
    def is_proven(self) -> bool:
        """Whether it worked in two runs, and has not failed too often since."""
        return self.worked >= PROVEN_RUNS and (
            self.failed < DOUBTED_RUNS or self.worked >= 2 * self.failed
        )


def is_of_test_in(fix: Fix, output: str) -> bool:
    """Whether an output mentions the test that fails without any change."""
    return fix.key.partition(" ")[2] in output


def rank_fixes(fixes: Iterable[Fix]) -> tuple[Fix, ...]:
    """The fixes by their record, the likeliest first."""
    return tuple(sorted(fixes, key=_rank)[:FIXES_KEPT])


def _rank(fix: Fix) -> tuple[bool, bool, bool, int, str]:
    is_empty = fix.key.endswith(PREPARED)
    return is_empty, fix.is_vague, not fix.is_proven, fix.failed - fix.worked, fix.key


def with_success(fixes: tuple[Fix, ...], fix: Fix) -> tuple[Fix, ...]:
    """The fixes after one more run in which this one worked; the newest text is kept."""
    earlier = next((stored for stored in fixes if stored.key == fix.key), None)
    if earlier is None:
        return rank_fixes((*fixes, fix))
    grown = fix._replace(worked=earlier.worked + 1, failed=earlier.failed)
    return rank_fixes(_replaced(fixes, grown))


def with_failure(fixes: tuple[Fix, ...], key: str) -> tuple[Fix, ...]:
    """The fixes after one more run in which this one was applied without success."""
    changed = (fix._replace(failed=fix.failed + (fix.key == key)) for fix in fixes)
    return rank_fixes(changed)


def without_success(fixes: tuple[Fix, ...], key: str) -> tuple[Fix, ...]:
    """The fixes after one success of this one was found to be none: it counts as a failure."""
    changed = (
        fix._replace(worked=fix.worked - 1, failed=fix.failed + 1) if fix.key == key else fix
        for fix in fixes
    )
    return rank_fixes(changed)


def merge_fixes(fixes: Iterable[Fix]) -> tuple[Fix, ...]:
    """The fixes of several lessons, each once, with summed records."""
    by_key: dict[str, Fix] = {}
    for fix in fixes:
        earlier = by_key.get(fix.key)
        by_key[fix.key] = (
            fix
            if earlier is None
            else earlier._replace(
                worked=earlier.worked + fix.worked, failed=earlier.failed + fix.failed
            )
        )
    return rank_fixes(by_key.values())


def _replaced(fixes: tuple[Fix, ...], fix: Fix) -> tuple[Fix, ...]:
    return tuple(fix if stored.key == fix.key else stored for stored in fixes)


def read_fixes(items: Iterable[Any]) -> tuple[Fix, ...]:
    """Fixes from stored or imported records."""
    return tuple(_fix_of_record(*item) for item in items)


def _fix_of_record(
    sort: object,
    text: object,
    key: object,
    call: object = "",
    mistake: object = "",
    worked: Any = 1,
    failed: Any = 0,
    said: object = "",
) -> Fix:
    texts = (str(sort), str(text), str(key), str(call), str(mistake))
    return Fix(*texts, int(worked), int(failed), str(said))
