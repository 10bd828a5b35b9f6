"""What runs show without a hold-out: what they were told in time, and what came then."""

from __future__ import annotations

from datetime import timedelta
from random import Random

import pytest

from hardwon.core.values.report import KindObserved
from hardwon.core.values.run import WITHHELD, EndedRun, Shown, Step
from hardwon.knowledge.evidence.inner import with_failure
from hardwon.knowledge.proof.observed import difference, observe
from tests.samples import CODER, NOW


def failing(name: str) -> Step:
    error = f"{name}: no plan {name}_plan is given, name one"
    return with_failure(Step("bash", f"{name} build", error, failed=True), ())


def working(name: str) -> Step:
    return Step("bash", f"{name} build --plan small", "ok")


KIND = next(filter(None, [failing("kit").failure]))


def run(*steps: Step, told: tuple[tuple[str, int], ...] = (), door: str = "start") -> EndedRun:
    """`told`: a kind, and how many steps followed. A step takes half a minute."""
    shown = tuple(Shown("d", door, (kind,), after) for kind, after in told)
    counts = (len(steps), sum(step.failed for step in steps), len(shown))
    ended = NOW + timedelta(seconds=30 * len(steps))
    return EndedRun("i", CODER, "r", "task", NOW, ended, "failed", *counts, (), steps, shown)


CURED = run(failing("kit"), Step("bash", "kit help", "plans: small"), working("kit"))
OTHER = run(Step("bash", "ls", "a"), told=((KIND.kind, 1),))


def test_runs_are_compared_that_came_to_the_same_place() -> None:
    followed = run(working("kit"), told=((KIND.kind, 1),))
    failed = run(failing("kit"), working("kit"), told=((KIND.kind, 2),))

    seen = observe([run(working("kit")), CURED, OTHER, followed, followed, failed])

    assert seen.kinds == (KindObserved(KIND.text, 3, 2, 1, 2, 1),)
    assert (seen.runs, seen.told, seen.followed, seen.failed) == (6, 3, 2, 1)
    assert (seen.untold, seen.failed_untold) == (2, 1)


@pytest.mark.parametrize(
    ("later", "is_told"),
    [
        (run(failing("kit"), told=((KIND.kind, 1),)), True),
        (run(failing("kit"), told=((KIND.kind, 1),), door="action"), True),
        (run(failing("kit"), told=((KIND.kind, 0),)), False),
        (run(failing("kit"), told=((KIND.kind, 1),), door="error"), False),
        (run(failing("kit"), told=((KIND.kind, 1),), door=WITHHELD), False),
    ],
    ids=["at the start", "before the call", "after the failure", "at an error", "withheld"],
)
def test_only_what_was_told_before_the_failure_was_told_in_time(
    later: EndedRun, is_told: bool
) -> None:
    seen = observe([CURED, OTHER, later])

    assert (seen.told, seen.failed_untold) == ((1, 1) if is_told else (0, 2))


def test_what_was_avoided_is_worth_what_getting_past_it_took() -> None:
    followed = run(working("kit"), told=((KIND.kind, 1),))

    seen = observe([CURED, *[followed] * 9])

    assert seen.avoided == 9
    assert seen.calls == pytest.approx(18)  # two calls after the failure
    assert seen.minutes == pytest.approx(9)


def test_a_call_that_a_run_gave_up_after_a_warning_was_avoided() -> None:
    warned = run(Step("bash", "ls", "a"), told=((KIND.kind, 1),), door="action")

    assert observe([CURED, warned]).kinds == (KindObserved(KIND.text, 1, 0, 0, 1, 1),)


def test_without_runs_or_without_a_comparison_there_is_nothing_to_see() -> None:
    assert observe([]).runs == 0
    assert observe([CURED]).told == 0
    assert difference(KindObserved("", told=4, failed=1)) == (0, 0, 0)


FAILS = 0.5  # the share of runs that fail at a place when nobody tells them


def simulate(cut: float, seed: int) -> tuple[list[EndedRun], float]:
    """Runs in 60 places; being told cuts failures by `cut`. Also returns what was truly avoided."""
    chance, runs, avoided = Random(seed), list[EndedRun](), 0.0
    known: set[int] = set()
    names = [f"kit{one}{two}" for one in "abcdefghij" for two in "klmnop"]
    failures = [failing(name).failure for name in names]
    kinds = [failure.kind for failure in failures if failure]
    for _ in range(600):
        place = chance.randrange(60)
        share = FAILS * (1 - cut) if place in known else FAILS
        has_failed = chance.random() < share
        steps = ([failing(names[place])] if has_failed else []) + [working(names[place])]
        told = tuple((kinds[each], len(steps)) for each in known)
        avoided += (FAILS - share) if place in known else 0
        runs.append(run(*steps, told=told))
        known |= {place} if has_failed else set()
    return runs, avoided


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("cut", [0.0, 0.5, 0.95], ids=["no effect", "half", "nearly all"])
def test_the_report_is_right_where_the_truth_is_known(cut: float, seed: int) -> None:
    runs, avoided = simulate(cut, seed)

    seen = observe(runs)

    assert seen.low <= avoided <= seen.high
    assert (seen.low > 0) is (cut > 0)
    assert seen.high - seen.low < 0.5 * seen.told
    assert seen.failed / seen.told == pytest.approx(FAILS * (1 - cut), abs=0.06)
    assert seen.failed_untold / seen.untold == pytest.approx(FAILS, abs=0.1)
