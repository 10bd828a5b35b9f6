"""Which tests try a mutant."""

from __future__ import annotations

from tests.mutation.mutants import Mutant, source
from tests.mutation.near import Reach, chosen

OWN, OTHER = "tests/ranking/test_odds.py", "tests/test_doors.py"
RUNS = {"ranking/odds.py": set(range(1, 400))}


def at(text: str) -> Mutant:
    place = source("ranking/odds.py").index(text)
    return Mutant("ranking/odds.py", place, text, "0", ())


def test_those_that_run_the_statement_come_first_then_the_others_of_its_module() -> None:
    reached = {
        f"{OWN}::looks_at_a_constant": Reach(0.1, False, {}),
        f"{OTHER}::runs": Reach(2.0, False, RUNS),
        f"{OWN}::runs": Reach(1.0, False, RUNS),
        f"{OTHER}::runs_something_else": Reach(0.1, False, {"doors.py": {1}}),
        f"{OTHER}::starts_a_process": Reach(0.5, True, {}),
    }
    expected = [
        f"{OWN}::runs",
        f"{OTHER}::runs",
        f"{OWN}::looks_at_a_constant",
        f"{OTHER}::starts_a_process",
    ]

    for text in ("EVERY = 0", "by.kinds * 10"):
        assert chosen(at(text), reached) == expected


def test_any_test_may_notice_what_none_is_known_to_run() -> None:
    assert chosen(at("by.kinds * 10"), {f"{OWN}::looks": Reach(0.1, False, {})}) == []
