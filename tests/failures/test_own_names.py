"""Whether a run made a name itself is seen in what it called and printed."""

from __future__ import annotations

import pytest

from hardwon.core.values.run import Step
from hardwon.knowledge.reading.reading import is_own_module, is_target, is_written

FAILED = Step("bash", "python run", "No module named 'shop'", failed=True)


def ran(command: str, output: str = "") -> Step:
    return Step("bash", command, output)


@pytest.mark.parametrize(
    ("step", "is_own"),
    [
        (ran("cat > shop.py"), True),
        (ran("mkdir shop"), True),
        (ran("mkdir -p lib/shop"), True),
        (ran("mkdir shopping"), False),
        (ran("touch a shop b"), True),
        (ran("ls shop/"), True),
        (ran("ls ./shop/a"), True),
        (ran("ls /w/shop/a"), True),
        (ran("ls /w/lib/shop/a"), False),
        (ran("ls /usr/lib/python3.11/site-packages/shop/"), False),
        (ran("ls my_shop/"), False),
        (ran("python -c 'APPS = [\"shop\"]'"), True),
        (ran("python -c 'require(\"shop\")'"), False),
        (ran("pip install shop"), False),
        (ran("ls", "shop/\nREADME"), True),
        (ran("ls", "./shop/a.py"), True),
        (ran("ls", "lib/deep/shop/a.py"), False),
        (ran("ls", "shop"), False),
    ],
)
def test_a_module_is_the_runs_own(step: Step, is_own: bool) -> None:
    assert is_own_module("shop", FAILED, [step]) is is_own


def test_sixty_steps_are_looked_back() -> None:
    made, other = ran("mkdir shop"), ran("make")

    assert is_own_module("shop", FAILED, [made, *[other] * 59])
    assert not is_own_module("shop", FAILED, [made, *[other] * 60])
    assert is_written("shop", FAILED, [made, *[other] * 59])
    assert not is_written("shop", FAILED, [made, *[other] * 60])


@pytest.mark.parametrize(
    ("call", "is_named"),
    [("manage test shop", True), ("manage test 'shop'", True), ("pip install shop", False)],
)
def test_a_call_names_what_it_works_on(call: str, is_named: bool) -> None:
    assert is_target("shop", ran(call)) is is_named


def test_a_name_is_written_as_a_whole_word() -> None:
    assert is_written("shop", FAILED, [ran("use(shop)")])
    assert not is_written("shop", FAILED, [ran("use(shops)")])
