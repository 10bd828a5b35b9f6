"""What every store must do with runs that have ended."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from hardwon import Scope
from hardwon.core.errors import NotFound
from hardwon.core.values.lesson import Evidence, Kind
from hardwon.core.values.report import ListQuery, Met, Place, Window
from hardwon.core.values.run import EndedRun, Failure, Shown, run_id
from hardwon.storage.ports import Store
from tests.samples import CODER, FAILED, NOW, WORKED, lesson

HOUR = timedelta(hours=1)
TESTER = Scope("acme", "tester", "api")
STRANGER = Scope("other", "coder", "api")
ACME = Place("acme")
STEPS = (FAILED._replace(failure=Failure("e", "k", "mkdir: no such file", "mkdir")), WORKED)
SHOWN = (Shown("d1", "error", ("k",), 1, (7,)),)


def ended(
    name: str, at: datetime = NOW, scope: Scope = CODER, task: str = "Make the folder"
) -> EndedRun:
    return EndedRun(
        run_id(name, at - HOUR),
        scope,
        name,
        task,
        at - HOUR,
        at,
        "recovered",
        made=2,
        failed=1,
        told=1,
        kinds=("mkdir: no such file",),
        steps=STEPS,
        shown=SHOWN,
        person="Ada",
        machine="a1",
    )


def names(store: Store, place: Place = ACME, **wanted: object) -> list[str]:
    asked = ListQuery(place)._replace(**wanted)  # type: ignore[arg-type]
    return [one.run for one in store.ended_runs.recent(asked)]


def test_a_run_is_kept_with_its_steps_and_what_it_was_shown(store: Store) -> None:
    store.ended_runs.keep(ended("aaaa"))

    assert store.ended_runs.get(ACME, ended("aaaa").id) == ended("aaaa")
    assert store.ended_runs.get(ACME, ended("aaaa").id[:6]) == ended("aaaa")


def test_a_list_has_no_steps_and_the_newest_first(store: Store) -> None:
    for number, name in enumerate(("aaaa", "bbbb", "cccc")):
        store.ended_runs.keep(ended(name, NOW + number * HOUR))

    assert names(store) == ["cccc", "bbbb", "aaaa"]
    brief = ended("cccc", NOW + 2 * HOUR)._replace(steps=(), shown=())
    assert store.ended_runs.recent(ListQuery(ACME))[0] == brief


def test_pages_show_every_run_once(store: Store) -> None:
    for number in range(11):
        store.ended_runs.keep(ended(f"run{number:x}", NOW + (number // 3) * HOUR))

    seen, after = [], None
    while page := store.ended_runs.recent(ListQuery(ACME, after=after, limit=4)):
        seen += page
        after = page[-1].ended.timestamp(), page[-1].id

    assert len({one.id for one in seen}) == len(seen) == 11
    assert [one.ended for one in seen] == sorted((one.ended for one in seen), reverse=True)


def test_a_run_that_goes_on_replaces_what_was_kept_of_it(store: Store) -> None:
    first = ended("aaaa")
    later = first._replace(run="bbbb", task="Go on", begun=NOW, ended=NOW + HOUR)
    later = later._replace(outcome="worked", made=9, failed=3, told=2, kinds=())
    later = later._replace(steps=STEPS[1:], shown=())
    store.ended_runs.keep(first)
    store.ended_runs.keep(later)

    assert len(store.ended_runs.recent(ListQuery(ACME))) == 1
    assert store.ended_runs.get(ACME, first.id) == later


@pytest.mark.parametrize(
    ("place", "seen"),
    [
        (ACME, {"own", "tester", "all"}),
        (Place("acme", "coder"), {"own", "all"}),
        (Place("acme", None, "api"), {"own", "tester"}),
        (Place("acme", "coder", ""), {"all"}),
        (Place("other"), {"stranger"}),
    ],
)
def test_nothing_of_another_place_is_seen(store: Store, place: Place, seen: set[str]) -> None:
    owners = {"own": CODER, "all": CODER.everywhere(), "tester": TESTER, "stranger": STRANGER}
    for name, scope in owners.items():
        store.ended_runs.keep(ended(name, scope=scope))

    assert set(names(store, place)) == seen
    for name, scope in owners.items():
        run = ended(name, scope=scope)
        if name in seen:
            assert store.ended_runs.get(place, run.id) == run
        else:
            with pytest.raises(NotFound):
                store.ended_runs.get(place, run.id)


@pytest.mark.parametrize("other", [TESTER, CODER._replace(project=None), STRANGER])
def test_a_run_of_another_scope_does_not_replace_it(store: Store, other: Scope) -> None:
    store.ended_runs.keep(ended("aaaa"))

    store.ended_runs.keep(ended("aaaa", scope=other, task="owned"))

    assert store.ended_runs.get(ACME._replace(agent="coder"), ended("aaaa").id) == ended("aaaa")


@pytest.mark.parametrize("identity", ["", "nothing", "%", "_"])
def test_a_run_that_is_not_there_is_not_found(store: Store, identity: str) -> None:
    store.ended_runs.keep(ended("aaaa"))

    with pytest.raises(NotFound):
        store.ended_runs.get(ACME, identity)


def test_a_list_may_be_of_those_whose_task_holds_a_text(store: Store) -> None:
    store.ended_runs.keep(ended("aaaa", task="Build the Docs"))
    store.ended_runs.keep(ended("bbbb"))

    assert names(store, text="the docs") == ["aaaa"]


def test_old_runs_and_those_beyond_the_limit_are_forgotten(store: Store) -> None:
    for number in range(6):
        store.ended_runs.keep(ended(f"run{number}", NOW - number * HOUR))
    store.ended_runs.keep(ended("stranger", NOW - 99 * HOUR, STRANGER))

    assert store.ended_runs.prune("acme", before=NOW - 4.5 * HOUR, most=3) == 3

    assert names(store) == ["run0", "run1", "run2"]
    assert names(store, Place("other")) == ["stranger"]


def test_an_old_run_is_cut_to_the_steps_that_lessons_cite(store: Store) -> None:
    cited, confirmed, plain = (ended(name, NOW - 9 * HOUR) for name in ("cite", "conf", "gone"))
    young, stranger = ended("young"), ended("strange", NOW - 9 * HOUR, STRANGER)
    for run in (cited, confirmed, plain, young, stranger):
        store.ended_runs.keep(run)
    pieces = (
        Evidence(Kind.SHOWN_BY, f"{cited.id}: 2"),
        Evidence(Kind.CONFIRMED, confirmed.id),
        Evidence(Kind.TASK, f"{plain.id}: 1"),
    )
    item = store.lessons.add(lesson(evidence=pieces))

    for _ in range(2):  # the second time nothing is left to cut
        store.ended_runs.cut("acme", before=NOW - HOUR)

        assert sorted(names(store)) == ["cite", "conf", "young"]
        assert names(store, Place("other")) == ["strange"]
        first, second = store.ended_runs.get(ACME, cited.id).steps
        assert "not kept" in first.args
        assert second == WORKED
        assert store.ended_runs.get(ACME, confirmed.id) == confirmed._replace(steps=(), shown=())
        latest = store.ended_runs.latest(Window(CODER, NOW - 99 * HOUR), limit=9)
        assert list(latest) == [young]

    store.lessons.delete(CODER, item.id)
    assert store.ended_runs.cut("acme", before=NOW - HOUR) == 2
    assert names(store) == ["young"]


def test_runs_follow_their_scope_and_go_with_their_tenant(store: Store) -> None:
    apart = CODER._replace(project="api@apart-0123456789abcdef")
    store.ended_runs.keep(ended("aaaa", scope=apart))
    store.ended_runs.keep(ended("stranger", scope=STRANGER))

    store.move(apart, CODER)
    assert [one.scope for one in store.ended_runs.recent(ListQuery(ACME))] == [CODER]

    store.forget("acme")
    assert names(store) == []
    assert names(store, Place("other")) == ["stranger"]


def test_the_newest_of_a_time_come_with_their_steps_oldest_first(store: Store) -> None:
    for number in range(5):
        store.ended_runs.keep(ended(f"run{number}", NOW - number * HOUR))
    store.ended_runs.keep(ended("tester", scope=TESTER))

    own = store.ended_runs.latest(Window(CODER, NOW - 3.5 * HOUR), limit=3)

    assert list(own) == [ended(f"run{number}", NOW - number * HOUR) for number in (2, 1, 0)]
    assert len(list(store.ended_runs.latest(Window(CODER, NOW - 3.5 * HOUR), limit=9))) == 4
    assert len(list(store.ended_runs.latest(Window(CODER, NOW, is_whole=True), limit=9))) == 2


def test_the_last_note_about_a_past_session_is_kept_for_its_agent(store: Store) -> None:
    store.ended_runs.note_past(CODER, "a1", "open")
    store.ended_runs.note_past(CODER, "a1", "later")

    digests = ["a1", *(f"{number:x}" for number in range(2000))]
    assert store.ended_runs.past(CODER, digests) == {"a1": "later"}
    assert store.ended_runs.past(TESTER, digests) == {}


def test_a_note_is_not_kept_when_what_it_stands_for_is_not(store: Store) -> None:
    def fail() -> None:
        with store.together():
            store.ended_runs.note_past(CODER, "a1", "")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()

    assert not store.ended_runs.past(CODER, ["a1"])


def test_runs_are_found_by_the_failure_that_they_met_and_by_their_person(store: Store) -> None:
    store.ended_runs.keep(ended("aaaa"))
    store.ended_runs.keep(ended("bbbb")._replace(person="Ben", machine="b1"))
    store.ended_runs.keep(ended("cccc")._replace(kinds=("mkdir: no such file or folder",)))

    assert sorted(names(store, met="mkdir: no such file")) == ["aaaa", "bbbb"]
    assert sorted(names(store, person="Ada")) == ["aaaa", "cccc"]
    assert names(store, person="Ada", met="mkdir: no such file") == ["aaaa"]
    assert names(store, met="mkdir") == []


def test_whose_runs_met_a_failure_is_counted(store: Store) -> None:
    for number, name in enumerate(("aaaa", "bbbb")):
        store.ended_runs.keep(ended(name, NOW + number * HOUR))
    store.ended_runs.keep(ended("cccc")._replace(person="Ben", machine="b1", program="codex"))
    store.ended_runs.keep(ended("dddd")._replace(kinds=("another",)))

    asked = ListQuery(ACME, met="mkdir: no such file")

    found = store.ended_runs.who_met(asked)
    assert found == [
        Met(CODER, "Ada", "a1", 2, NOW + HOUR),
        Met(CODER, "Ben", "b1", 1, NOW, "codex"),
    ]
    assert store.ended_runs.who_met(asked._replace(limit=1)) == found[:1]
    assert store.ended_runs.who_met(asked._replace(place=Place("globex"))) == []
