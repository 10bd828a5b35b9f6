"""What runs show without a hold-out."""

from __future__ import annotations

from hardwon.core.values.report import BeforeAfter
from hardwon.core.values.run import WITHHELD, EndedRun, Failure, Shown, Step
from hardwon.knowledge.proof.observed import observed
from tests.samples import CODER, NOW

WORKED = Step("bash", "make")


def failing(kind: str) -> Step:
    return Step("bash", "make", "error", True, Failure("e", kind, f"text of {kind}"))


def run(*steps: Step, told: tuple[tuple[str, int], ...] = (), door: str = "turn") -> EndedRun:
    """`told`: a kind, and how many steps followed."""
    shown = tuple(Shown("d", door, (kind,), after) for kind, after in told)
    counts = (len(steps), sum(step.failed for step in steps), len(shown))
    return EndedRun("i", CODER, "r", "task", NOW, NOW, "failed", *counts, (), steps, shown)


def test_a_failure_that_an_earlier_run_met_has_come_back() -> None:
    seen = observed([run(failing("a"), failing("a")), run(failing("b")), run(failing("a"))])

    assert (seen.runs, seen.repeats, seen.warned) == (3, 1, 0)


def test_only_what_was_told_before_the_failure_is_a_warning() -> None:
    first = run(failing("a"))
    before = run(WORKED, failing("a"), told=(("a", 2),))
    after = run(WORKED, failing("a"), told=(("a", 0),))
    withheld = run(WORKED, failing("a"), told=(("a", 2),), door=WITHHELD)

    assert observed([first, before]).warned == 1
    assert observed([first, after]).warned == 0
    assert observed([first, withheld]).warned == 0


def test_runs_since_a_failure_was_met_are_counted_until_one_is_told_and_after() -> None:
    told_after = run(failing("a"), told=(("a", 0),))
    runs = [run(WORKED), run(failing("a")), run(WORKED), told_after, run(failing("a")), run(WORKED)]

    seen = observed(runs)

    assert seen.kinds == (BeforeAfter("text of a", 2, 1, 2, 1),)
    assert (seen.runs_before, seen.met_before, seen.runs_after, seen.met_after) == (2, 1, 2, 1)


def test_a_failure_of_which_the_run_had_been_told_is_one_after() -> None:
    told_before = run(WORKED, failing("a"), told=(("a", 2),))

    seen = observed([run(failing("a")), run(WORKED), told_before, run(WORKED)])

    assert seen.kinds == (BeforeAfter("text of a", 1, 0, 2, 1),)


def test_a_failure_that_no_kept_run_met_before_has_no_before() -> None:
    told = run(failing("a"), told=(("a", 0),))

    assert not observed([run(WORKED), told, run(WORKED)]).kinds


def test_without_runs_there_is_nothing_to_see() -> None:
    assert observed([]).runs == 0
