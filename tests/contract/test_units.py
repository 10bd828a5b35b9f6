"""What every store must do with the two arms of a hold-out."""

from __future__ import annotations

from datetime import timedelta

import pytest

from hardwon import Scope
from hardwon.core.values.delivery import Unit
from hardwon.core.values.report import Window
from hardwon.knowledge.proof.effect import Arms, Stratum, Treatment, alike
from hardwon.storage.ports import Store
from tests.samples import CODER, NOW, lesson

WINDOW = Window(CODER, NOW - timedelta(days=1))
SHOWN = Unit(CODER, "r1", "k", "error", False, 0.1, NOW)
WITHHELD = SHOWN._replace(run="r2", withheld=True)


def test_the_coin_of_a_store_is_secret_and_stays(store: Store) -> None:
    assert len(store.units.salt()) == 32
    assert store.units.salt() == store.units.salt()


def test_units_are_counted_in_their_arm(store: Store) -> None:
    for unit in (SHOWN, WITHHELD, SHOWN._replace(run="r3"), SHOWN._replace(run="r4")):
        store.units.log(unit)
    store.units.settle(CODER, "r1", "k", "not met")
    store.units.settle(CODER, "r2", "k", "repeated")
    store.units.settle(CODER, "r3", "k", "unknown")

    assert store.units.arms(WINDOW) == [Arms(1, 0, 1, 1, 2)]


def test_only_the_first_exposure_and_the_first_outcome_count(store: Store) -> None:
    store.units.log(SHOWN)
    store.units.log(SHOWN._replace(door="turn", withheld=True))
    store.units.settle(CODER, "r1", "k", "repeated")
    store.units.settle(CODER, "r1", "k", "not met")

    assert store.units.arms(WINDOW) == [Arms(1, 1)]


def test_doors_and_shares_are_counted_apart(store: Store) -> None:
    store.units.log(SHOWN)
    store.units.log(SHOWN._replace(run="r2", door="action"))
    store.units.log(SHOWN._replace(run="r3", share=0.2))

    assert store.units.arms(WINDOW) == [Arms(unknown=1)] * 3


@pytest.mark.parametrize("other", [Scope("other", "coder", "api"), Scope("acme", "coder", "web")])
def test_units_of_another_place_are_not_counted(store: Store, other: Scope) -> None:
    store.units.log(SHOWN._replace(scope=other))
    store.units.log(SHOWN._replace(at=NOW - timedelta(days=2)))
    store.units.settle(CODER, "r1", "k", "repeated")

    assert store.units.arms(WINDOW) == []
    store.forget(other.tenant)
    assert store.units.arms(Window(other, WINDOW.since)) == []


def test_a_lesson_is_counted_by_its_words_and_by_share(store: Store) -> None:
    own = SHOWN._replace(lesson=7, wording="a", position=2, score=3.5)
    for unit, outcome in (
        (own, "not met"),
        (own._replace(run="r2", withheld=True), "repeated"),
        (own._replace(run="r3", share=0.02), "repeated"),
        (own._replace(run="r4", wording="b"), "unknown"),
        (own._replace(run="r5", lesson=3), "not met"),
        (SHOWN._replace(run="r6"), "not met"),  # nobody noted the lesson
    ):
        store.units.log(unit)
        store.units.settle(CODER, unit.run, "k", outcome)

    assert store.units.treatments(WINDOW) == [
        Treatment(CODER, 3, "a", (Arms(1),)),
        Treatment(CODER, 7, "a", (Arms(1, 1), Arms(1, 0, 1, 1))),
        Treatment(CODER, 7, "b", (Arms(unknown=1),)),
    ]
    assert store.units.treatments(WINDOW._replace(since=NOW + timedelta(1))) == []


def test_what_was_read_elsewhere_is_in_no_arm(store: Store) -> None:
    units = [
        SHOWN,
        SHOWN._replace(run="r2", family="other"),
        SHOWN._replace(run="r3", at=NOW + timedelta(hours=2)),
        SHOWN._replace(run="r4", scope=CODER._replace(project="web")),
    ]
    for unit in units:
        store.units.log(unit)
    assert store.units.arms(WINDOW) == [Arms(unknown=3)]

    store.units.exclude(CODER, ["k"], NOW + timedelta(hours=1))
    for unit in units:
        store.units.settle(unit.scope, unit.run, unit.family, "repeated")

    assert store.units.arms(WINDOW) == [Arms(2, 2, unknown=1)]
    assert store.units.arms(WINDOW._replace(is_whole=True)) == [Arms(3, 3, unknown=1)]


def test_what_was_settled_before_it_was_read_elsewhere_counts(store: Store) -> None:
    store.units.log(SHOWN)
    store.units.settle(CODER, "r1", "k", "repeated")
    assert store.units.arms(WINDOW) == [Arms(1, 1)]

    store.units.exclude(CODER, ["k"], NOW)

    assert store.units.arms(WINDOW) == [Arms(1, 1)]


def test_each_tenant_has_its_share(store: Store) -> None:
    assert store.units.share("acme") is None

    store.units.set_share("acme", 0.1)
    store.units.set_share("acme", 0.025)

    assert store.units.share("acme") == 0.025
    assert store.units.share("other") is None
    store.forget("acme")
    assert store.units.share("acme") is None


def test_units_are_counted_by_project_door_and_author(store: Store) -> None:
    mine = store.lessons.add(lesson("rules", author="rules"))
    theirs = store.lessons.add(lesson("model", author="a-model"))
    web = CODER._replace(project="web")
    for unit in (
        SHOWN._replace(lesson=mine.id),
        WITHHELD._replace(lesson=theirs.id),
        SHOWN._replace(run="r3", lesson=987_654),
        SHOWN._replace(scope=web, run="r4", door="turn", lesson=mine.id, share=0.2),
    ):
        store.units.log(unit)
    store.units.settle(CODER, "r1", "k", "not met")
    store.units.settle(CODER, "r2", "k", "repeated")

    whole = Window(CODER, WINDOW.since, is_whole=True)
    assert store.statistics.strata(whole) == [
        Stratum("api", "error", "", 0.1, Arms(unknown=1)),
        Stratum("api", "error", "a-model", 0.1, Arms(withheld=1, withheld_repeats=1)),
        Stratum("api", "error", "rules", 0.1, Arms(shown=1)),
        Stratum("web", "turn", "rules", 0.2, Arms(unknown=1)),
    ]
    assert len(store.statistics.strata(WINDOW)) == 3
    assert alike(store.statistics.strata(WINDOW)) == store.units.arms(WINDOW)
