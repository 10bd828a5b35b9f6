"""The hold-out through the public face: the coin is tossed once for a run and a family."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from hardwon import Agent, Hardwon, Lesson, Scope
from hardwon.core.settings import load
from hardwon.core.values.delivery import Unit, wording_of
from hardwon.core.values.lesson import EPOCH, Evidence, Kind
from hardwon.core.values.report import Window
from hardwon.engine.pipeline.hold_out import Coin, choose_shown, read_outside
from hardwon.knowledge.ranking.query import Match
from hardwon.knowledge.ranking.scores import Judged
from hardwon.storage.stores.runs import MemoryRun
from hardwon.storage.stores.sqlite import MemoryStore
from tests import stored
from tests.samples import CODER, NOW, lesson
from tests.stored import StoredHardwon
from tests.test_outcomes import BROKEN, MISSING, WORKS, taught


def opened(home: Path, share: float) -> StoredHardwon:
    settings = load(str(home))
    settings = settings._replace(
        proof=settings.proof._replace(share=share),
        hooks=settings.hooks._replace(stop_once=False),  # what was denied is not told again
    )
    return stored.opened(settings=settings)


def asked(agent: Agent) -> list[bool]:
    """What the run is shown before the call and after its failure."""
    before = agent.before_action("bash", BROKEN)
    return [bool(before), bool(agent.after_action("bash", BROKEN, output=MISSING, failed=True))]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    with opened(tmp_path, 0) as hw:
        taught(hw)
    return tmp_path


def test_what_is_withheld_is_shown_at_no_door(home: Path) -> None:
    with opened(home, 1) as hw:
        assert asked(hw.agent("coder", run="r")) == [False, False]


def test_without_a_share_everything_is_shown_and_no_unit_is_kept(home: Path) -> None:
    with opened(home, 0) as hw:
        agent = hw.agent("coder", run="r")
        assert asked(agent) == [True, True]
        agent.after_run(task="x")
        assert hw.store.units.arms(_everything(hw)) == []


def test_all_doors_of_a_run_and_all_processes_agree(home: Path) -> None:
    shown = []
    for number in range(40):
        with opened(home, 0.5) as hw:
            first = bool(hw.agent("coder", run=f"r{number}").before_action("bash", BROKEN))
        with opened(home, 0.5) as hw:
            agent = hw.agent("coder", run=f"r{number}")
            found = agent.after_action("bash", BROKEN, output=MISSING, failed=True)
        assert bool(found) == first
        shown.append(first)

    assert 5 < sum(shown) < 35  # the chance of a fair coin to be beyond: one in a million


def test_both_arms_are_counted_when_their_runs_end(home: Path) -> None:
    with opened(home, 1) as hw:
        agent = hw.agent("coder", run="withheld")
        asked(agent)
        agent.after_run(task="x")
    with opened(home, 1e-12) as hw:
        agent = hw.agent("coder", run="shown")
        assert agent.before_action("bash", BROKEN)
        agent.after_action("bash", WORKS, output="1 passed")
        agent.after_run(task="x")
        arms = hw.store.units.arms(_everything(hw))
        sentence = hw.report("coder").proof

    assert [tuple(one) for one in arms] == [(1, 0, 0, 0, 0), (0, 0, 1, 1, 0)]
    assert sentence == "Not proven yet: 2 of about 1,000 cases."


@pytest.mark.parametrize("change", [{"author": "person"}, {"guard": True}])
def test_guards_and_what_a_person_wrote_are_never_withheld(
    home: Path, change: dict[str, Any]
) -> None:
    with opened(home, 1) as hw:
        agent = hw.agent("coder", run="r")
        (lesson,) = agent.lessons.list()
        hw.store.lessons.update(lesson._replace(**change))

        assert agent.after_action("bash", BROKEN, output=MISSING, failed=True)


def test_a_withheld_lesson_is_not_counted_as_shown(home: Path) -> None:
    with opened(home, 1) as hw:
        agent = hw.agent("coder", run="r")
        before = [lesson.hits for lesson in agent.lessons.list()]
        asked(agent)

        assert [lesson.hits for lesson in agent.lessons.list()] == before
        assert not agent.run.so_far().told


def test_a_withheld_failure_does_not_raise_the_rank_of_its_lesson(home: Path) -> None:
    met = []
    for share in (1.0, 1e-12):  # withheld, shown
        with opened(home, share) as hw:
            agent = hw.agent("coder", run=f"r{share}")
            asked(agent)
            met.append(agent.lessons.list()[0].met)

    assert met == [2, 3]


def test_a_unit_tells_which_words_were_tried_where_and_how_well_they_fitted(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(home, 1) as hw:
        agent = hw.agent("coder", run="r")
        (lesson,) = agent.lessons.list()
        logged: list[Unit] = []
        monkeypatch.setattr(hw.store.units, "log", logged.append)
        asked(agent)

    unit = logged[0]
    assert (unit.lesson, unit.wording) == (lesson.id, wording_of(lesson))
    assert unit.position == 1
    assert unit.score > 0
    assert unit.share == 1
    assert unit.withheld


def test_other_words_are_another_treatment(home: Path) -> None:
    with opened(home, 0.5) as hw:
        for words in ("", "Call bin/test."):
            agent = hw.agent("coder", run=f"r{words}")
            (lesson,) = agent.lessons.list()
            if words:
                worded = lesson._replace(correction=words, author="model", origin="run:x")
                hw.store.lessons.update(worded)
            asked(agent)
            agent.after_run(task="x")

        found = hw.store.units.treatments(_everything(hw))
        assert [one.arms.units for one in found] == [1, 1]
        assert {one.lesson for one in found} == {lesson.id}


def test_what_is_withheld_cannot_be_read_elsewhere(home: Path) -> None:
    with opened(home, 1) as hw:
        agent = hw.agent("coder", run="r")

        assert agent.digest() == ""
        assert agent.readable(agent.lessons.list()) == []
    with opened(home, 0) as hw:
        agent = hw.agent("coder", run="r")
        assert "bin/test" in agent.digest()
        assert agent.readable(agent.lessons.list()) == agent.lessons.list()


def test_runs_that_may_have_read_a_lesson_elsewhere_are_in_no_arm(home: Path) -> None:
    with opened(home, 0.5) as hw:
        asked(hw.agent("coder", run="r"))
        hw.agent("coder").digest()
        asked(hw.agent("coder", run="later"))
        for name in ("r", "later"):
            hw.agent("coder", run=name).end_run()

        (arms,) = hw.store.units.arms(_everything(hw))
        assert (arms.units, arms.unknown) == (1, 1)


def _everything(hw: Hardwon) -> Window:
    return hw.report("coder").window


class Noted:
    """The hold-out of a store, and what was excluded from it."""

    def __init__(self) -> None:
        self.excluded: list[Sequence[str]] = []
        self.logged: list[Unit] = []

    def log(self, unit: Unit) -> None:
        self.logged.append(unit)

    def exclude(self, scope: Scope, families: Sequence[str], at: datetime) -> None:
        self.excluded.append(families)

    def salt(self) -> str:
        return "salt"

    def share(self, tenant: str) -> float | None:
        return None


@pytest.mark.parametrize(
    ("share", "kinds", "excluded"),
    [(0.5, ("k",), [["k"]]), (0.0, ("k",), []), (0.5, (), [])],
    ids=["a family", "no hold-out", "no family"],
)
def test_only_units_of_a_hold_out_are_excluded_by_reading(
    share: float, kinds: tuple[str, ...], excluded: list[list[str]]
) -> None:
    units: Any = Noted()

    read_outside([lesson(kinds=kinds)], Coin(units, share, CODER, MemoryRun(), NOW))

    assert units.excluded == excluded


def test_one_unit_is_logged_for_a_family_and_none_for_a_lesson_of_a_person() -> None:
    store = MemoryStore()
    known = [lesson(str(n), id=n, kinds=(kind,)) for n, kind in enumerate("aab", 1)]
    guard = lesson("g", id=9, kinds=("c",), guard=True)
    found = [Judged(Match(one), 1.0) for one in (*known, guard)]

    choose_shown(found, "turn", Coin(store.units, 0.0001, CODER, MemoryRun(), NOW))

    treatments = store.units.treatments(Window(CODER, EPOCH, is_whole=True))
    assert sorted(treatment.lesson for treatment in treatments) == [1, 3]


def retired(known: Lesson) -> Lesson:
    mark = Evidence(Kind.RETIRED, f"{wording_of(known)}: it hardly helps")
    return known._replace(evidence=(mark,))


def test_a_retired_lesson_is_shown_to_as_few_runs_as_others_are_withheld_from() -> None:
    units: Any = Noted()
    known = lesson(kinds=("k",))

    coin = Coin(units, 0.125, CODER, MemoryRun(), NOW)

    assert coin.shares([known, retired(known)]) == [0.125, 0.875]


def test_the_unit_of_a_family_is_its_first_lesson_that_is_shown() -> None:
    units: Any = Noted()
    first = retired(lesson("old", id=1, kinds=("a",)))
    others = [lesson(str(n), id=n, kinds=("a",)) for n in (2, 3)]
    found = [Judged(Match(one), 0.12346) for one in (first, *others)]

    visible = choose_shown(found, "turn", Coin(units, 1e-12, CODER, MemoryRun(), NOW))

    assert [one.match.lesson.id for one in visible] == [2, 3]
    (unit,) = units.logged
    assert (unit.lesson, unit.withheld, unit.position, unit.score) == (2, False, 2, 0.1235)
