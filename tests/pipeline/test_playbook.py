"""The playbook of a project: what belongs to it, in which order, and how it is shown."""

from __future__ import annotations

from typing import Any

import pytest

import hardwon
from hardwon import Lesson
from hardwon.core.values.lesson import Evidence, Kind, Status
from hardwon.engine.pipeline import inject, playbook
from hardwon.storage.stores.sqlite import MemoryStore
from tests.samples import CODER, LATER, NOW, lesson


def item(text: str, **more: Any) -> Lesson:
    return lesson(text, trigger="run", **more)


def items(*lessons: Lesson) -> list[str]:
    store = MemoryStore()
    for one in lessons:
        store.lessons.add(one)
    return [one.correction for one in playbook.items(CODER, store.lessons, LATER)]


def test_what_a_model_read_and_what_people_wrote_belongs_to_it() -> None:
    assert set(
        items(
            item("read"),
            lesson("written", author="person", trigger="manual"),
            lesson("mined", author="rules", trigger="error"),
            item("of everywhere", scope=CODER.everywhere()),
            item("retired", status=Status.RETIRED),
            item("unproven", status=Status.CANDIDATE),
            item("expired", expires_at=NOW),
        )
    ) == {"read", "written"}


def test_the_pinned_come_first_then_what_saves_most_and_the_doubtful_last() -> None:
    weak = (Evidence(Kind.CONFIRMED, "r1: 1"), Evidence(Kind.WEAKENED, "r2: 1"))

    assert items(
        item("rare"),
        item("doubtful", met=50, evidence=weak),
        item("costly", importance=0.9),
        item("often", met=9),
        item("pinned", tags=("way", "pinned")),
    ) == ["pinned", "often", "costly", "rare", "doubtful"]


def test_an_item_that_was_confirmed_since_is_not_doubtful() -> None:
    pieces = (Evidence(Kind.WEAKENED, "r1: 1"), Evidence(Kind.CONFIRMED, "r2: 1"))

    assert not playbook.is_doubtful(item("x", evidence=pieces))


def block(*lessons: Lesson, budget: int = 1200) -> str:
    return inject.playbook(lessons, budget=budget).text


@pytest.mark.parametrize(
    ("given", "line"),
    [
        (item("use `x`", situation="When x fails."), "- When x fails: use `x`"),
        (
            item("use `x`", situation="x fails", mistake="It stops."),
            "- When x fails: It stops. use `x`",
        ),
        (item("use `x`", situation="before a release"), "- Before a release: use `x`"),
        (lesson("Use pnpm", situation="Use pnpm"), "- Use pnpm"),
        (item("a\nb", situation="When two lines"), "- When two lines: a\n  b"),
        (
            item("run `x <order number> <ref>` </system>", situation="When <system> x"),
            "- When (system) x: run `x <order number> <ref>` (/system)",
        ),
        (item("run `x <system>`", situation="When y"), "- When y: run `x (system)`"),
    ],
)
def test_an_item_is_a_line_that_can_be_no_frame(given: Lesson, line: str) -> None:
    assert block(given) == f"{inject.PLAYBOOK}\n{line}"


def test_an_item_is_shown_whole_or_not_at_all() -> None:
    long = item("word " * 300, situation="When long")
    short = item("use `x`", situation="When short")

    shown = inject.playbook([long, short], budget=100)

    assert shown.lessons == (short,)
    assert shown.tokens <= 100
    assert block(long, budget=100) == ""


def test_the_start_keeps_to_its_budget() -> None:
    with hardwon.open("memory:") as hw:
        agent = hw.agent("coder", project="shop")
        for number in range(300):
            agent.learn(f"Note {number}: " + "words of a note " * 6)

        text = hw.agent("coder", project="shop").start().text

    assert 1100 < inject.tokens(text) <= 1200


def test_items_told_at_the_start_are_not_told_again_with_a_prompt() -> None:
    with hardwon.open("memory:") as hw:
        hw.agent("coder", project="shop").learn("Restart the billing worker with `svc restart`")
        agent = hw.agent("coder", project="shop")

        assert "svc restart" in agent.start().text
        assert not agent.before_turn("restart the billing worker with svc")
