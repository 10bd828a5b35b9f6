"""A lesson that was offered because of its words takes over the failure that it helped with."""

from __future__ import annotations

from typing import Any

from hardwon import Lesson, Step
from hardwon.core.values.lesson import MINED, Kind, Status, evidence_of
from hardwon.core.values.run import Failure, RunSoFar
from hardwon.engine.recording import Memory, adopt_helpful, note_offer
from hardwon.storage.stores.sqlite import MemoryStore
from tests.samples import CODER, LATER, lesson

LINE = "bash: line 1: pytest: command not found"
FAILURE = Failure("exact", "kind", LINE, LINE)
FAILING = Step("bash", "pytest tests", LINE, failed=True)._replace(failure=FAILURE)
WORKING = Step("bash", "pytest --version", "pytest 8")
TELLING = "tests need the runner: there is no pytest here, call `bin/test tests/test_a.py`"
VAGUE = "the tests of this project live in an environment of their own"


def setting(words: str, **more: Any) -> tuple[MemoryStore, Memory, Lesson]:
    store = MemoryStore()
    known = lesson(words, status=Status.PROVEN, origin="manual")
    written = store.lessons.add(known._replace(**more))
    return store, Memory(CODER, store.lessons, LATER, {}), written


def run(mark: str, *more: str) -> RunSoFar:
    return RunSoFar(steps=(FAILING,), counted=frozenset((mark, *more)))


def test_a_lesson_that_speaks_of_the_failure_takes_it_over_at_once() -> None:
    store, memory, written = setting(TELLING)
    seen = store.lessons.add(lesson("", kinds=("kind",), status=Status.SEEN, met=2))
    mark = note_offer(written, FAILURE, memory)

    marks = adopt_helpful(WORKING, run(mark), memory)

    assert marks == [f"overcome {written.id} kind"]
    assert store.lessons.get(CODER, written.id).kinds == ("kind",)
    assert store.lessons.get(CODER, seen.id).status == Status.SUPERSEDED


def test_what_was_overcome_is_counted_once_a_run() -> None:
    _, memory, written = setting(TELLING)
    mark = note_offer(written, FAILURE, memory)

    assert adopt_helpful(WORKING, run(mark, f"overcome {written.id} kind"), memory) == []


def test_another_tool_that_works_shows_nothing() -> None:
    store, memory, written = setting(TELLING)
    mark = note_offer(written, FAILURE, memory)

    assert adopt_helpful(WORKING._replace(tool="read"), run(mark), memory) == []
    assert store.lessons.get(CODER, written.id).kinds == ()


def test_a_mined_lesson_keeps_to_the_kind_that_it_names() -> None:
    _, memory, written = setting(TELLING, origin=MINED)
    mark = note_offer(written, FAILURE, memory)

    assert adopt_helpful(WORKING, run(mark), memory) == []


def test_an_offer_is_on_record_with_its_number() -> None:
    store, memory, written = setting(VAGUE)
    note_offer(written, FAILURE, memory)
    note_offer(store.lessons.get(CODER, written.id), FAILURE, memory)

    kept = store.lessons.get(CODER, written.id)
    assert evidence_of(kept, Kind.OFFERED) == ("kind 1", "kind 2")


def test_a_lesson_that_does_not_speak_of_the_failure_must_help_twice() -> None:
    store, memory, written = setting("in a fresh checkout call `scripts/bootstrap.sh` first")
    followed = Step("bash", "scripts/bootstrap.sh", "ready")

    adopt_helpful(followed, run(note_offer(written, FAILURE, memory)), memory)
    once = store.lessons.get(CODER, written.id)
    adopt_helpful(followed, run(note_offer(once, FAILURE, memory)), memory)

    assert (once.kinds, evidence_of(once, Kind.HELPED)) == ((), ("kind 1",))
    assert store.lessons.get(CODER, written.id).kinds == ("kind",)


def test_a_lesson_of_every_project_takes_over_no_failure_of_one() -> None:
    everywhere = CODER._replace(project=None)
    store, memory, written = setting(TELLING, scope=everywhere)
    seen = store.lessons.add(lesson("", kinds=("kind",), status=Status.SEEN, met=2))

    adopt_helpful(WORKING, run(note_offer(written, FAILURE, memory)), memory)

    assert store.lessons.get(CODER, written.id).kinds == ()
    assert store.lessons.get(CODER, seen.id).status == Status.SEEN


def test_what_came_between_the_failure_and_the_working_call_does_not_matter() -> None:
    store, memory, written = setting(TELLING)
    past = run(note_offer(written, FAILURE, memory))
    looked = Step("read", "setup.cfg", "[tool]")

    assert adopt_helpful(WORKING, past._replace(steps=(looked, FAILING, looked)), memory) != []
    assert store.lessons.get(CODER, written.id).kinds == ("kind",)
