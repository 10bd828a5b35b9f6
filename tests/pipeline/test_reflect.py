"""From a job to a lesson, by any model."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

import hardwon
from hardwon import Scope, Step
from hardwon.core.errors import BadReply
from hardwon.core.values.job import new_job
from hardwon.core.values.lesson import RULES, Evidence, Kind, Status
from hardwon.engine.pipeline.reflect import attempt_text, known_lesson, reflect, request
from hardwon.knowledge.reading.mistakes import failure_of
from hardwon.models.rules import Rules
from hardwon.models.scripted import Scripted
from hardwon.storage.ports import Model, Reply, Request
from hardwon.storage.stores.sqlite import MemoryStore
from tests.models.server import LESSON
from tests.samples import CODER, EPISODE, FAILED, NOW, WORKED, job, lesson


def test_the_question_holds_the_sections_of_the_protocol() -> None:
    asked = request(job("Make it"), "SYSTEM")

    assert asked.prompt.startswith("TASK:\nMake it\n\nATTEMPT:\n")
    assert "FAILED: mkdir out/nightly" in asked.prompt
    assert "ok: mkdir -p out/nightly" in asked.prompt
    assert "OUTCOME (why we are reflecting):\nERROR: mkdir failed" in asked.prompt
    assert asked.prompt.endswith("TRIGGER: error")


def test_a_bad_reply_is_asked_for_once_more() -> None:
    model = Scripted(["I would rather not use tags", LESSON])

    lesson = asyncio.run(reflect(job(), model=model, system="s"))

    assert lesson
    assert lesson.correction == "take an umbrella"
    assert "could not be used" in model.requests[1].prompt


def test_two_bad_replies_are_permanent() -> None:
    with pytest.raises(BadReply):
        asyncio.run(reflect(job(), model=Scripted(["no", "no"]), system="s"))


def test_a_lesson_knows_where_it_comes_from() -> None:
    made = job()

    lesson = asyncio.run(reflect(made, model=Scripted([LESSON]), system="s"))

    assert lesson
    assert lesson.author == "scripted"
    assert lesson.origin == "run:library"
    assert lesson.evidence == (Evidence("job", made.id, made.enqueued_at.timestamp()),)
    assert lesson.signatures


@pytest.mark.parametrize(
    ("model", "steps", "status"),
    [
        (Rules(), (FAILED, WORKED), Status.CANDIDATE),
        (Rules(), (FAILED,), Status.SEEN),
        (Scripted([LESSON]), (FAILED,), Status.PROVEN),
    ],
)
def test_what_rules_say_of_an_error_has_yet_to_prove_itself(
    model: Model, steps: tuple[Step, ...], status: str
) -> None:
    made = new_job(EPISODE._replace(steps=steps), "error", NOW)

    lesson = asyncio.run(reflect(made, model=model, system="s"))

    assert lesson
    assert lesson.status == status


@pytest.mark.parametrize(("steps", "met"), [((FAILED, WORKED), 0), ((), 1)])
def test_a_failure_that_was_counted_at_its_step_is_not_counted_again(
    steps: tuple[Step, ...], met: int
) -> None:
    made = new_job(EPISODE._replace(steps=steps), "error", NOW)

    lesson = asyncio.run(reflect(made, model=Scripted([LESSON]), system="s"))

    assert lesson
    assert lesson.met == met


def test_no_secret_reaches_a_model(tmp_path: Path) -> None:
    token = "gh" + "p_" + "a1B2" * 9
    model = Scripted([LESSON])
    with hardwon.open(tmp_path, model=model) as hw:
        hw.agent("coder").after_run(
            task=f"push with {token}",
            attempt=f"git push https://{token}@host/x",
            error=f"denied for {token}",
            steps=[FAILED._replace(output=f"denied {token}"), WORKED],
        )
        hw.drain()

    assert token not in str(model.requests)


@pytest.mark.parametrize(
    ("signals", "error", "trigger"),
    [
        ({}, TimeoutError("worker took 10 min"), "error"),
        (
            {"verified_with_discrepancy": "true", "verifier_discrepancies": "x"},
            None,
            "hallucination",
        ),
        ({"refine_low_quality": "true", "refine_low_quality_reason": "x"}, None, "low_quality"),
        ({"force_reflexion": "true"}, None, "manual"),
    ],
)
def test_every_trigger_fires(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    signals: dict[str, str],
    error: object,
    trigger: str,
) -> None:
    monkeypatch.setenv("HARDWON_QUALITY_REFLEXION_ON_LOW_QUALITY", "true")
    with hardwon.open(tmp_path, model=Scripted([LESSON])) as hw:
        agent = hw.agent("coder")
        agent.after_run(task="t", attempt="a", error=error, signals=signals)
        hw.drain()

        assert [one.trigger for one in agent.lessons.list()] == [trigger]


def is_known(scope: Scope = CODER, **of_run: str) -> bool:
    """Whether the lesson of a run spares the model for a run with this task and error."""
    first, store = job(), MemoryStore()
    failure = failure_of(first.episode)
    assert failure
    evidence = (Evidence(Kind.JOB, first.id),)
    store.lessons.add(lesson(scope=scope, kinds=(failure.kind,), evidence=evidence))
    asked = new_job(first.episode._replace(**of_run), "error", NOW)  # type: ignore[arg-type]
    return known_lesson(asked, lessons=store.lessons, now=NOW) is not None


def test_the_very_same_run_again_needs_no_model() -> None:
    assert is_known()


def test_another_task_or_attempt_is_another_run() -> None:
    assert not is_known(task="another task")
    assert not is_known(attempt="another way")


def test_a_lesson_that_holds_everywhere_does_not_answer_for_a_project() -> None:
    assert not is_known(scope=CODER.everywhere())


def test_the_attempt_is_told_before_the_steps_around_the_failure() -> None:
    calls = [Step("bash", f"call {number}", f"output {number}") for number in range(12)]
    calls[4] = calls[4]._replace(failed=True)
    episode = EPISODE._replace(attempt="a" * 1000, steps=tuple(calls), error="")

    attempt, *steps = attempt_text(episode).split("\n\n")

    assert len(attempt) == 900
    lines = "\n".join(steps).splitlines()
    assert (lines[0], lines[-2]) == ("ok: call 2", "ok: call 9")
    assert "FAILED: call 4" in lines


def test_without_an_attempt_or_steps_nothing_stands_in_their_place() -> None:
    assert attempt_text(EPISODE._replace(attempt="tried", steps=())) == "tried"
    assert attempt_text(EPISODE._replace(attempt="")).startswith("FAILED: ")


def test_long_calls_and_outputs_are_cut() -> None:
    long = FAILED._replace(args="a" * 999, output="o" * 999)
    call, output = attempt_text(EPISODE._replace(attempt="", steps=(long,))).split("\n", 1)

    assert (len(call), len(output)) == (len("FAILED: ") + 300, 300)


def test_the_author_is_the_model_that_answered() -> None:
    class Anonymous:
        name = "mine"

        async def complete(self, request: Request) -> Reply:
            return Reply(LESSON, model=request.system)

    named = asyncio.run(reflect(job(), model=Anonymous(), system="other"))
    unnamed = asyncio.run(reflect(job(), model=Anonymous(), system=""))

    assert named
    assert unnamed
    assert (named.author, unnamed.author) == ("other", "mine")


def test_each_section_of_the_question_has_its_limit() -> None:
    episode = EPISODE._replace(task="t" * 9000, attempt="", error="e" * 9000)
    long = FAILED._replace(args="a" * 300, output="o" * 300)
    long_job = new_job(episode._replace(steps=(long,) * 9), "error", NOW)

    task, rest = request(long_job, "s").prompt.removeprefix("TASK:\n").split("\n\nATTEMPT:\n")
    attempt, rest = rest.split("\n\nOUTCOME (why we are reflecting):\n")
    outcome = rest.removesuffix("\n\nTRIGGER: error")

    assert (len(task), len(attempt), len(outcome)) == (4000, 1500, 800)


@pytest.mark.parametrize(("sure", "status"), [(0.5, Status.CANDIDATE), (0.49, Status.SEEN)])
def test_rules_that_are_half_sure_name_a_fix(sure: float, status: str) -> None:
    model = Scripted([f"{LESSON}<confidence>{sure}</confidence>"])
    model.name = RULES

    found = asyncio.run(reflect(job(), model=model, system="s"))

    assert found
    assert found.status == status


def test_only_the_call_that_failed_is_warned_about() -> None:
    def calls(*steps: Step) -> tuple[str, ...]:
        made = new_job(EPISODE._replace(steps=steps), "error", NOW)
        found = asyncio.run(reflect(made, model=Scripted([LESSON]), system="s"))
        assert found
        return found.calls

    other = Step("bash", "make all", "make: *** no rule", failed=False)
    assert calls(FAILED, other) == calls(FAILED) != ()
