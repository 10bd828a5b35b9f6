"""What a run tried between two failures of one kind is told in words that help another run."""

from __future__ import annotations

import pytest

from hardwon.failures.tried_in_vain import tried_in_vain
from hardwon.values.step import Step


def failing(call: str, output: str) -> Step:
    return Step("bash", call, output, failed=True)


@pytest.mark.parametrize(
    ("first", "last", "output", "tried"),
    [
        ("pytest a.py", "python -m pytest a.py", "No module named pytest", ["`python -m pytest`"]),
        ("python -m pytest a.py", "pytest a.py", "pytest: command not found", ["`pytest`"]),
        ("python a.py", "pytest a.py", "TypeError: f() takes 1 argument", []),
        ("pytest a.py", "cat a.py", "cat: a.py: No such file or directory", []),
    ],
)
def test_another_start_is_told_where_it_says_something(
    first: str, last: str, output: str, tried: list[str]
) -> None:
    steps = [failing(first, output), failing(last, output)]

    assert tried_in_vain(steps, 0) == tried


def test_what_was_installed_in_vain_is_told() -> None:
    steps = [
        failing("python a.py", "No module named kit"),
        Step("bash", "pip install kit"),
        failing("python a.py", "No module named kit"),
    ]

    assert tried_in_vain(steps, 0) == ["`pip install kit`"]


def test_three_things_that_were_tried_are_told_each_once() -> None:
    between = [Step("bash", f"pip install {name}") for name in ("a", "a", "b", "c", "d")]
    steps = [failing("kit", "no"), *between, failing("kit", "no")]

    assert tried_in_vain(steps, 0) == ["`pip install a`", "`pip install b`", "`pip install c`"]


@pytest.mark.parametrize(
    ("call", "is_told"),
    [
        ("pip install " + "k" * 68, True),
        ("pip install " + "k" * 69, False),
        ("git pull", False),
        ("ls", False),
        ("pip install /home/kim/kit", False),
        ("pip install own", False),
        ("pip install kit", True),
    ],
)
def test_only_a_short_general_preparation_is_told(call: str, is_told: bool) -> None:
    made = Step("bash", "mkdir own")
    steps = [made, failing("kit", "no"), Step("bash", call), failing("kit", "no")]

    assert bool(tried_in_vain(steps, 1)) is is_told


def test_a_preparation_that_failed_was_not_tried() -> None:
    steps = [failing("kit", "no"), failing("pip install kit", "denied"), failing("kit", "no")]

    assert tried_in_vain(steps, 0) == []
