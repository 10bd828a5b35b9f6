"""The fixes that runs show, over the table of hand-made cases."""

from __future__ import annotations

import pytest

from hardwon.failures.fixes import applies, fixes_shown
from hardwon.values.step import Step
from tests.failures.fix_cases import CASES as FIRST
from tests.failures.fix_cases import FixCase
from tests.failures.more_fix_cases import MORE

CASES = (*FIRST, *MORE)


def steps_of(case: FixCase) -> list[Step]:
    """The steps of a case; a bare text is a command."""
    steps = []
    for call, output in case.steps:
        tool, args = call if isinstance(call, tuple) else ("bash", call)
        steps.append(Step(tool, args, output.removeprefix("!"), output.startswith("!")))
    return steps


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name.replace(" ", "-"))
def test_a_run_shows_its_fix_or_none(case: FixCase) -> None:
    fixes = [fix for _, fix in fixes_shown(steps_of(case))]

    assert [fix.sort for fix in fixes] == ([] if case.sort is None else [case.sort])
    for fix in fixes:
        assert all(words in fix.text for words in case.says), fix.text
        assert not any(words in fix.text + fix.key for words in case.never), fix.text


@pytest.mark.parametrize(
    "case", [c for c in CASES if c.sort], ids=lambda c: c.name.replace(" ", "-")
)
def test_the_step_that_shows_a_fix_applies_it(case: FixCase) -> None:
    steps = steps_of(case)
    ((_, fix),) = fixes_shown(steps)

    since = steps if fix.sort in {"preparation", "unchanged", "lines"} else steps[-1:]
    if "before anything" not in case.name and not fix.key.endswith("listed"):
        assert any(applies(fix, step) for step in since), fix
