"""What `import hardwon` promises."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import hardwon
from hardwon.core.errors import InvalidInput, NotFound, StorageError
from hardwon.core.settings import load
from hardwon.core.values.delivery import NOTHING
from hardwon.models.scripted import Scripted

PUBLIC = [
    *("Agent", "Delivery", "Episode", "Hardwon", "HardwonError", "Injection", "Job", "Lesson"),
    *("Reflection", "Scope", "Settings", "Signature", "Step", "Trigger", "aopen", "attach", "open"),
    "wrap",
]
HEAVY = ["asyncio", "socket", "ssl", "http", "urllib.request", "httpx2", "click", "mcp", "pydantic"]
MKDIR = {"command": "mkdir out/nightly"}
MKDIR_ERROR = "mkdir: cannot create directory 'out/nightly': No such file or directory"


@pytest.fixture
def hw(tmp_path: Path) -> hardwon.Hardwon:
    return hardwon.open(tmp_path / "home")


def fail_at_the_nightly_folder(coder: hardwon.Agent, task: str = "t") -> hardwon.Job | None:
    coder.after_action("bash", MKDIR, output=MKDIR_ERROR, failed=True)
    coder.after_action("bash", {"command": "mkdir -p out/nightly"})
    return coder.after_run(task=task, error=MKDIR_ERROR)


def test_the_public_names_are_frozen() -> None:
    assert sorted(hardwon.__all__) == PUBLIC
    assert len(hardwon.__all__) <= 20
    assert all(getattr(hardwon, name) is not None for name in PUBLIC)


def test_importing_hardwon_loads_nothing_heavy() -> None:
    code = f"import sys, hardwon; print([m for m in {HEAVY!r} if m in sys.modules])"

    printed = subprocess.check_output([sys.executable, "-c", code], text=True)

    assert printed.strip() == "[]"


def test_opening_and_recalling_loads_nothing_heavy(tmp_path: Path) -> None:
    heavy = [*HEAVY, "dataclasses", "inspect", "logging", "pathlib", "tomllib"]
    code = (
        f"import sys, hardwon; hardwon.open({str(tmp_path)!r}).agent('a').before_turn('some words')"
        f"\nprint([m for m in {heavy!r} if m in sys.modules])"
    )

    env = {**os.environ, "PYTHONPATH": str(Path(hardwon.__file__).parents[1])}
    printed = subprocess.check_output([sys.executable, "-S", "-c", code], text=True, env=env)

    assert printed.strip() == "[]"


def test_nothing_crosses_to_another_agent_or_tenant(hw: hardwon.Hardwon) -> None:
    hw.agent("coder").learn("deploy the kubernetes manifest first")

    for stranger in (hw.agent("writer"), hw.agent("coder", tenant="other")):
        assert not stranger.before_turn("deploy the kubernetes manifest first")
        assert not stranger.lessons.list()
        with pytest.raises(NotFound):
            stranger.lessons.get(1)


DISCREPANCY = {"verified_with_discrepancy": "true", "verifier_discrepancies": "a ≠ b"}
POOR = {"refine_low_quality": "true"}


@pytest.mark.parametrize(
    ("switches", "told", "trigger"),
    [
        ({}, {}, None),
        ({}, {"error": "boom"}, "error"),
        ({}, {"signals": {"force_reflexion": "true"}}, "manual"),
        ({}, {"signals": DISCREPANCY}, "hallucination"),
        ({}, {"signals": POOR}, None),
        ({}, {"signals": {"verified_with_discrepancy": "yes"}}, None),
        ({"QUALITY_REFLEXION_ON_LOW_QUALITY": "true"}, {"signals": POOR}, "low_quality"),
        ({"REFLEXION_ENABLED": "off"}, {"error": "boom"}, None),
        ({"REFLEXION_ON_ERROR": "off"}, {"error": "boom"}, None),
    ],
)
def test_a_run_is_queued_by_the_gates_that_are_on(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    switches: dict[str, str],
    told: dict[str, Any],
    trigger: str | None,
) -> None:
    for name, value in switches.items():
        monkeypatch.setenv(f"HARDWON_{name}", value)
    hw = hardwon.open(tmp_path)

    job = hw.agent("coder").after_run(task="t", attempt="a", **told)

    assert (job and job.trigger) == trigger
    assert [waiting.trigger for waiting in hw.queue.waiting()] == [trigger] * bool(trigger)


def test_nothing_is_kept_when_persist_is_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("HARDWON_REFLEXION_PERSIST", "false")
    hw = hardwon.open(tmp_path)
    coder = hw.agent("coder")
    coder.after_run(task="t", error="boom: it broke")

    with caplog.at_level("INFO", "hardwon"):
        tally = hw.drain()

    assert tally.done == 1
    assert not coder.lessons.list()
    assert "LESSON:" in caplog.text


def test_a_lesson_learnt_by_hand_has_the_published_words(hw: hardwon.Hardwon) -> None:
    text = "when editing large Go files use Edit, not full rewrite"

    lesson = hw.agent("coder").learn(text)

    assert lesson.render() == (
        f"LESSON: {text}\n"
        "MISTAKE: (user-supplied lesson; no automatic mistake detection)\n"
        f"CORRECTION: {text}\n"
        "TRIGGER: manual"
    )
    assert lesson.all_tags() == ("reflexion", "trigger:manual", "user-supplied")
    assert lesson.category == "lesson"


def test_a_model_may_word_the_lesson_or_skip_it(tmp_path: Path) -> None:
    model = Scripted(
        [
            "<situation>s</situation><correction>do that</correction><tags>Go, Big File</tags>",
            "<skip>nothing actionable</skip>",
        ]
    )
    hw = hardwon.open(tmp_path, model=model)
    coder = hw.agent("coder")
    coder.after_run(task="one", error="boom")
    coder.after_run(task="two", error="bang")

    assert hw.drain().done == 2

    (lesson,) = coder.lessons.list()
    assert (lesson.correction, lesson.tags) == ("do that", ("go", "big-file"))
    assert lesson.author == "scripted"


def test_the_doors_never_raise(hw: hardwon.Hardwon, tmp_path: Path) -> None:
    coder = hw.agent("coder")
    hw.close()
    (tmp_path / "home" / "hardwon.db").write_bytes(b"this is not a database at all" * 100)

    assert coder.before_turn("some words here") is NOTHING
    assert coder.before_action("bash", object()) is NOTHING
    assert not coder.after_action("bash", {"command": "x"}, output="boom", failed=True)


class Odd:
    def __str__(self) -> str:
        return MKDIR_ERROR


OUTPUTS = [MKDIR_ERROR.encode(), OSError(MKDIR_ERROR), Odd(), None, {"stderr": MKDIR_ERROR}]


@pytest.mark.parametrize("output", OUTPUTS, ids=lambda output: type(output).__name__)
def test_a_step_is_recorded_whatever_its_output_is(hw: hardwon.Hardwon, output: object) -> None:
    coder = hw.agent("coder")

    coder.after_action("bash", MKDIR, output=output, failed=True)
    job = coder.after_run(task="Make the folder", error="failed")

    assert job is not None
    (step,) = job.episode.steps
    assert MKDIR_ERROR in step.output or output is None


def test_a_run_is_queued_whatever_its_task_is(hw: hardwon.Hardwon) -> None:
    messages = [{"role": "user", "content": "make the folder"}]

    job = hw.agent("coder").after_run(task=messages, attempt=None, error=b"boom")  # type: ignore[arg-type]

    assert job is not None
    assert ("make the folder" in job.episode.task, job.episode.error) == (True, "boom")


def test_a_model_may_be_given_by_its_name(hw: hardwon.Hardwon, tmp_path: Path) -> None:
    (tmp_path / "answers").write_text("<situation>s</situation><correction>do that</correction>")

    with hardwon.open("memory:", model=f"scripted:{tmp_path / 'answers'}") as worded:
        worded.agent("coder").after_run(task="one", error="boom")
        worded.drain()

        assert [kept.correction for kept in worded.agent("coder").lessons.list()] == ["do that"]


@pytest.mark.parametrize("model", ["gpt-5", 5, object()])
def test_a_model_that_cannot_be_used_is_refused_at_once(model: object) -> None:
    with pytest.raises(InvalidInput, match="model"):
        hardwon.open("memory:", model=model)  # type: ignore[call-overload]


BAD = ["", "   ", "\x00", "\u202e\u200b", "x" * 4097]


@pytest.mark.parametrize("text", BAD, ids=repr)
def test_a_lesson_that_says_nothing_or_too_much_is_refused(hw: hardwon.Hardwon, text: str) -> None:
    with pytest.raises(InvalidInput):
        hw.agent("coder").learn(text)
    assert not hw.agent("coder").lessons.list()


def test_a_lesson_is_cleaned_before_it_is_kept(hw: hardwon.Hardwon) -> None:
    lesson = hw.agent("coder").learn("use \x1b[31mred\x1b[0m\x00 \ud800care\u202e")

    assert lesson.correction == "use red care"


@pytest.mark.parametrize("name", ["../../etc", "a/b", ".", "..", "naïve", "日本", "a'b\"c;--"])
def test_names_with_slashes_dots_and_quotes_are_just_names(
    hw: hardwon.Hardwon, name: str, tmp_path: Path
) -> None:
    agent = hw.agent(name, project=name, tenant=name)
    agent.learn("canary words here")

    assert agent.before_turn("canary words")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["home"]


def test_an_unknown_backend_is_refused() -> None:
    with pytest.raises(InvalidInput, match="mystery"):
        hardwon.open("mystery://host/db")


def test_memory_needs_no_disk(tmp_path: Path) -> None:
    with hardwon.open("memory:", settings=load(str(tmp_path / "none"))) as hw:
        coder = hw.agent("coder")
        for _ in range(2):
            fail_at_the_nightly_folder(coder)
        hw.drain()
        assert coder.before_action("bash", MKDIR)
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize(
    ("handle", "old", "new", "asked"),
    [
        ("hardwon", "waiting", "queue.waiting", ()),
        ("hardwon", "dead", "queue.dead", ()),
        ("hardwon", "queue_status", "queue.status", ()),
        ("hardwon", "embed", "vectors.fill", ()),
        ("hardwon", "embedded", "vectors.counts", ()),
        ("agent", "goal_ended", "goals.ended", ("g", "make it", "failed")),
        ("agent", "goal_context", "goals.context", ()),
        ("agent", "reflections", "goals.reflections", ()),
        ("agent", "run_ended", "runs.ended", ("build",)),
        ("agent", "run_context", "runs.context", ()),
        ("agent", "imagine", "answers.imagine", ("q",)),
    ],
)
def test_old_names_work_and_warn(
    hw: hardwon.Hardwon, handle: str, old: str, new: str, asked: tuple[str, ...]
) -> None:
    own: Any = hw if handle == "hardwon" else hw.agent("a")
    space, _, verb = new.partition(".")

    with pytest.warns(DeprecationWarning, match=f"{old} is now {new}"):
        by_old_name = getattr(own, old)(*asked)

    again = getattr(getattr(own, space), verb)(*asked)
    assert by_old_name == again if handle == "hardwon" else type(by_old_name) is type(again)


def test_a_loop_of_trials_is_still_run_by_its_old_name(hw: hardwon.Hardwon) -> None:
    with pytest.warns(DeprecationWarning, match=r"trials is now loops\.run"):
        trials = getattr(hw.agent("a"), "trials")  # noqa: B009 - the type checker knows better

    assert trials("x", actor=lambda prompt: "42", evaluate=lambda answer: answer == "42").passed


def test_a_name_that_never_was_is_no_attribute(hw: hardwon.Hardwon) -> None:
    for handle in (hw, hw.agent("a")):
        with pytest.raises(AttributeError, match="nonsense"):
            getattr(handle, "nonsense")  # noqa: B009 - the type checker knows better


def test_a_home_that_cannot_be_made_names_the_path_and_the_remedy(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(StorageError, match=r"file.*HARDWON_HOME"):
        hardwon.open(tmp_path / "file" / "home")


def test_the_same_verbs_work_with_asyncio(tmp_path: Path) -> None:
    async def run() -> str:
        async with hardwon.aopen(tmp_path) as hw:
            coder = hw.agent("coder", project="acme")
            await coder.learn("deploy the manifest before the service")
            assert len(await coder.lessons.list()) == 1
            found = await coder.before_turn("deploy the service")
            await coder.after_run(task="t", error="boom")
            assert (await hw.drain()).done == 1
            return str(found)

    assert "manifest" in asyncio.run(run())


def test_drain_works_inside_a_running_loop(tmp_path: Path) -> None:
    hw = hardwon.open(tmp_path)
    hw.agent("coder").after_run(task="t", error="boom")

    async def run() -> int:
        return hw.drain().done

    assert asyncio.run(run()) == 1


@pytest.mark.parametrize(
    "told",
    [
        {"error": "boom", "signals": {"score": 0.3, 3: None}},
        {"signals": {"verified_with_discrepancy": True}},
        {"error": "boom", "steps": [hardwon.Step("search", {"limit": 500}, b"too many", True)]},  # type: ignore[arg-type]
    ],
)
def test_what_a_program_tells_of_its_run_may_be_of_any_kind(
    tmp_path: Path, told: dict[str, Any]
) -> None:
    with hardwon.open(tmp_path) as hw:
        assert hw.agent("coder").after_run(task="find it", **told)

        assert hw.drain().done == 1


def test_what_is_closed_keeps_no_file_of_its_home_open(tmp_path: Path) -> None:
    def held() -> list[str]:
        places = (Path("/proc/self/fd") / name for name in os.listdir("/proc/self/fd"))
        return [str(place.readlink()) for place in places if place.is_symlink()]

    if not Path("/proc/self/fd").exists():
        pytest.skip("no list of open files here")
    hw = hardwon.open(tmp_path / "home")
    hw.agent("coder").learn("Use mkdir -p")
    assert any(str(tmp_path) in path for path in held())

    hw.close()
    assert not any(str(tmp_path) in path for path in held())

    with hw:
        hw.agent("coder").learn("Use rm -r")
        assert any(str(tmp_path) in path for path in held())
    assert not any(str(tmp_path) in path for path in held())


@pytest.mark.parametrize("name", ["", " ", "a\nb", "x\x00y", "n" * 201, "\ud800"], ids=repr)
def test_a_name_that_cannot_be_stored_is_refused(hw: hardwon.Hardwon, name: str) -> None:
    for names in ({"name": name}, {"name": "a", "project": name}, {"name": "a", "tenant": name}):
        with pytest.raises(InvalidInput):
            hw.agent(**names)
