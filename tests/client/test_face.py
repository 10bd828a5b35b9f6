"""The same face, here and on a server: what holds for one holds for the other."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest

import hardwon
from hardwon.client.agent import RemoteAgent
from hardwon.client.lessons import RemoteLessons
from hardwon.client.opening import RemoteHardwon, connect
from hardwon.errors import InvalidInput, NotFound
from hardwon.settings import load
from hardwon.values.delivery import NOTHING
from tests.surfaces.serve.served import served

MKDIR = {"command": "mkdir out/nightly"}
MKDIR_ERROR = "mkdir: cannot create directory 'out/nightly': No such file or directory"


class Face(NamedTuple):
    """A hardwon to use, and how its queue is worked."""

    hw: hardwon.Hardwon
    work: Callable[[], object]


@contextmanager
def here(folder: Path) -> Iterator[Face]:
    with hardwon.open(folder / "home") as hw:
        yield Face(hw, hw.drain)


@contextmanager
def on_a_server(folder: Path) -> Iterator[Face]:
    with served(folder / "server") as server:
        settings = load(str(folder / "client"))
        with connect(server.service.url, key=server.key(), settings=settings, patience=30) as hw:

            def work() -> None:
                hw.send()
                server.hw.drain()

            yield Face(hw, work)


@pytest.fixture(params=[here, on_a_server], ids=lambda one: one.__name__)
def face(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Face]:
    monkeypatch.setenv("HARDWON_HOOKS_WAKE", "false")
    with request.param(tmp_path) as made:
        yield made


def fail_at_the_nightly_folder(coder: hardwon.Agent) -> hardwon.Job | None:
    coder.after_action("bash", MKDIR, output=MKDIR_ERROR, failed=True)
    coder.after_action("bash", {"command": "mkdir -p out/nightly"})
    return coder.after_run(task="Make the folder for the nightly report", error=MKDIR_ERROR)


def test_a_lesson_comes_back_as_a_pitfall_before_the_next_turn(face: Face) -> None:
    coder = face.hw.agent("coder", project="acme/api")

    kept = coder.learn("make the folder of the nightly report with `mkdir -p out/nightly`")
    injection = coder.before_turn("create a folder for the nightly report")

    assert injection.text.startswith("[KNOWN PITFALLS — your prior lessons]\n  - [")
    assert [one.id for one in injection.lessons] == [kept.id]
    assert injection.id
    coder.report(injection, "helped")


def test_a_failure_comes_back_before_the_same_kind_of_call(face: Face) -> None:
    coder = face.hw.agent("coder")
    for _ in range(2):
        job = fail_at_the_nightly_folder(coder)
        assert job
        assert job.trigger == "error"
        face.work()

    assert "`mkdir` with `-p`" in coder.before_action("bash", MKDIR).text
    assert not coder.before_action("bash", {"command": "git status"})


def test_a_failure_comes_back_when_it_is_met_again(face: Face) -> None:
    coder = face.hw.agent("coder")
    fail_at_the_nightly_folder(coder)
    face.work()

    met = coder.after_action("bash", MKDIR, output=MKDIR_ERROR)

    assert "`mkdir` with `-p`" in met.text
    assert met.failed is True


def test_steps_may_be_given_when_the_run_ends(face: Face) -> None:
    coder = face.hw.agent("coder")
    steps = [
        hardwon.Step("bash", "mkdir out/nightly", MKDIR_ERROR, True),
        hardwon.Step("bash", "mkdir -p out/nightly"),
    ]
    for day in ("monday", "tuesday"):
        assert coder.after_run(task=f"Folder for {day}", error=MKDIR_ERROR, steps=steps)
        face.work()

    assert "`mkdir` with `-p`" in coder.before_action("bash", MKDIR).text


def test_nothing_crosses_to_another_agent(face: Face) -> None:
    lesson = face.hw.agent("coder").learn("deploy the kubernetes manifest first")

    stranger = face.hw.agent("writer")

    assert not stranger.before_turn("deploy the kubernetes manifest first")
    assert not stranger.lessons.list()
    with pytest.raises(NotFound):
        stranger.lessons.get(lesson.id)


def test_a_run_without_error_or_signal_is_not_queued(face: Face) -> None:
    assert face.hw.agent("coder").after_run(task="t", attempt="fine") is None
    face.work()
    assert face.hw.queue.waiting() == []


class Odd:
    def __str__(self) -> str:
        return MKDIR_ERROR


OUTPUTS = [MKDIR_ERROR.encode(), OSError(MKDIR_ERROR), Odd(), None, {"stderr": MKDIR_ERROR}]


@pytest.mark.parametrize("output", OUTPUTS, ids=lambda output: type(output).__name__)
def test_a_step_is_recorded_whatever_its_output_is(face: Face, output: object) -> None:
    coder = face.hw.agent("coder")

    assert coder.after_action("bash", MKDIR, output=output, failed=True).failed
    assert coder.after_run(task="Make the folder", error="failed")


@pytest.mark.parametrize("text", ["", "   ", "\x00", "\u202e\u200b", "x" * 4097], ids=ascii)
def test_a_lesson_that_says_nothing_or_too_much_is_refused(face: Face, text: str) -> None:
    with pytest.raises(InvalidInput):
        face.hw.agent("coder").learn(text)
    assert not face.hw.agent("coder").lessons.list()


@pytest.mark.parametrize("name", ["../../etc", "a/b", ".", "..", "naïve", "日本", "a'b\"c;--&?#"])
def test_names_with_slashes_dots_and_quotes_are_just_names(face: Face, name: str) -> None:
    agent = face.hw.agent(name, project=name)
    lesson = agent.learn("canary words here")

    assert agent.lessons.get(lesson.id) == lesson
    assert lesson.scope == agent.scope
    assert agent.before_turn("canary words")


@pytest.mark.parametrize("name", ["", " ", "a\nb", "x\x00y", "n" * 201], ids=ascii)
def test_a_name_that_cannot_be_stored_is_refused(face: Face, name: str) -> None:
    for names in ({"name": name}, {"name": "a", "project": name}):
        with pytest.raises(InvalidInput):
            face.hw.agent(**names)


def test_lessons_are_looked_after(face: Face, tmp_path: Path) -> None:
    lessons = face.hw.agent("coder", project="acme/api").lessons
    first = lessons.add("using tabs", "use spaces", tags=["Style"], importance=0.9)
    second = lessons.add("deploying on a Friday", "wait until Monday")

    assert (first.tags, first.importance) == (("style",), 0.9)
    assert {one.id for one in lessons.list()} == {first.id, second.id}
    assert [one.id for one in lessons.list(limit=1)] == [lessons.list()[0].id]
    assert [one.id for one in lessons.search("friday")] == [second.id]
    edited = lessons.edit(first.id, correction="use four spaces", tags=["style", "python"])
    assert lessons.get(first.id) == edited
    assert [one.act for one in lessons.history(first.id)] == ["edit"]
    assert lessons.history()[0].before.correction == "use spaces"
    assert lessons.undo().correction == "use spaces"
    assert lessons.verdict(first.id) is None
    assert lessons.exposures(first.id) == []
    assert lessons.guard(second.id, call="deploy now").guard
    assert face.hw.agent("coder", project="acme/api").before_action("bash", "deploy now").denied
    lessons.delete(first.id)
    with pytest.raises(NotFound):
        lessons.get(first.id)
    assert lessons.undo(first.id).correction == "use spaces"
    with pytest.raises(InvalidInput):
        lessons.edit(second.id, id=7)  # type: ignore[call-arg]
    with pytest.raises(InvalidInput):
        lessons.list(limit=0)


def test_a_pack_moves_from_one_agent_to_another(face: Face, tmp_path: Path) -> None:
    giver, taker = face.hw.agent("giver").lessons, face.hw.agent("taker").lessons
    giver.add("deploying", "drain the node first")
    (tmp_path / "pack.jsonl").write_text(giver.export())
    (tmp_path / "pack.md").write_text(giver.export(form="markdown"))

    (held,) = taker.import_from(str(tmp_path / "pack.jsonl"))
    assert held.status == "quarantined"
    assert taker.approve(held.id).status == "proven"
    assert [one.id for one in taker.revoke(held.origin)] == [held.id]
    (own,) = taker.import_from(str(tmp_path / "pack.md"), trust=True)
    assert own.status == "proven"


def test_a_search_is_explained(face: Face) -> None:
    coder = face.hw.agent("coder")
    lesson = coder.learn("make the nightly folder with `mkdir -p`")

    (judged,) = coder.explain("turn", "make the nightly folder")

    assert judged.match.lesson.id == lesson.id
    assert judged.verdict == ""
    assert judged.score > 0
    assert "mkdir -p" in coder.digest() or coder.digest() == ""


def test_goals_and_runs_are_told(face: Face) -> None:
    coder = face.hw.agent("coder")

    job = coder.goals.ended("g1", "deploy the service", "failed", error="node not drained")
    face.work()

    assert job
    assert job.trigger == "goal"
    assert [one.subject for one in coder.goals.reflections("g1")] == ["g1"]
    assert coder.goals.context("g1").text
    assert coder.runs.context() == NOTHING
    assert coder.dreams.list() == []


def test_a_report_counts_the_same(face: Face) -> None:
    coder = face.hw.agent("coder")
    fail_at_the_nightly_folder(coder)
    face.work()

    report = face.hw.report("coder")

    assert sum(count for _, count in report.met) == 1
    assert [one.met for one in report.failures] == [1]
    assert face.hw.report(whole=True).window.is_whole
    assert face.hw.spent().calls == 0


def test_an_untried_verb_says_where_it_is_done(tmp_path: Path) -> None:
    with on_a_server(tmp_path) as face:
        for verb in (face.hw.drain, face.hw.check, lambda: face.hw.agent("a").answers.imagine("q")):
            with pytest.raises(InvalidInput, match="where the server runs"):
                verb()
        with pytest.raises(InvalidInput, match="key decides"):
            face.hw.agent("a", tenant="other")


def signatures(kind: type) -> dict[str, object]:
    members = inspect.getmembers(kind, inspect.isfunction)
    return {name: inspect.signature(one) for name, one in members if not name.startswith("_")}


@pytest.mark.parametrize(
    ("remote", "local"),
    [
        (RemoteHardwon, hardwon.Hardwon),
        (RemoteAgent, hardwon.Agent),
        (RemoteLessons, type(hardwon.open("memory:").agent("a").lessons)),
    ],
)
def test_every_verb_takes_the_same(remote: type, local: type) -> None:
    there, own = signatures(remote), signatures(local)

    differing = [name for name, one in own.items() if _arguments(one) != _arguments(there[name])]

    assert differing == []


def _arguments(signature: object) -> list[str]:
    assert isinstance(signature, inspect.Signature)
    return [f"{one.kind} {one.name}: {one.annotation}" for one in signature.parameters.values()]
