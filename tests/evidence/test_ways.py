"""Ways: calls that worked in earlier runs."""

from hardwon.core.values.run import Failure, Step
from hardwon.knowledge.evidence.ways import ways_of


def _step(command: str, *, failed: bool = False) -> Step:
    failure = Failure("x", "k", "yard: no", f"yard: no {command}") if failed else None
    return Step("Bash", command, "", failed, failure)


RUNS = [
    ("a", [_step("ls"), _step("yard take amber"), _step("yard stage a@1 --window 26w14.4")]),
    ("b", [_step("yard stage b", failed=True), _step("yard take blue"), _step("git status")]),
    ("c", [_step("yard take amber"), _step("yard stage c@2 --window 26w15.1")]),
]


def test_own_calls_are_ways_with_their_record() -> None:
    ways = {way.call: way for way in ways_of(RUNS)}

    stage = ways["yard stage c@2 --window 26w15.1"]
    assert ways.keys() == {"yard take amber", "yard take blue", stage.call}
    assert (stage.runs, stage.worked) == ((0, 2), 2)


def test_a_failure_of_another_form_is_not_counted_against_a_call() -> None:
    steps = [_step("./yard.sh staging", failed=True), _step("sh yard.sh staging")]

    (way,) = ways_of([("t", steps)])

    assert (way.call, way.worked, way.failed) == ("sh yard.sh staging", 1, 0)


def test_a_call_for_help_is_no_way() -> None:
    assert ways_of([("t", [_step("yard --help"), _step("yard help take")])]) == []


def test_a_call_without_the_arguments_of_another_is_no_way() -> None:
    steps = [_step("yard stage"), _step("yard stage a@1 --window 26w14.4")]

    assert [way.call for way in ways_of([("t", steps)])] == ["yard stage a@1 --window 26w14.4"]


def test_flags_of_a_program_that_everybody_knows_are_no_news() -> None:
    assert ways_of([("t", [_step("git config --list --local")])]) == []
