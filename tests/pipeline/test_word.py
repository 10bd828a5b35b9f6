"""A model words what the runs show about one kind of failure."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import pytest

import hardwon
from hardwon import Scope
from hardwon.api import Agent, Hardwon
from hardwon.models.scripted import Scripted
from hardwon.pipeline.word import ORIGIN, due, evidence_text, is_due, noted, worded
from hardwon.ports import Reply, Request
from hardwon.stores.memory import MemoryStore
from hardwon.values.evidence import Evidence, Kind, values_of
from hardwon.values.fix import Fix
from hardwon.values.lesson import MINED, RULES, Lesson
from tests.samples import CODER, NOW, lesson

FAILING, WORKING = "mkdir out/nightly", "mkdir -p out/nightly"
ERROR = "mkdir: cannot create directory ‘out/nightly’: No such file or directory"
GOOD = (
    "<situation>When you make a folder below one that may be missing</situation>"
    "<mistake>mkdir makes one level only, so it fails without its parent</mistake>"
    "<correction>Use `mkdir -p`, which makes the parents too</correction>"
    "<tags>mkdir</tags>"
)


class Model:
    """Answers in turn, the last answer again and again; remembers what it was asked."""

    def __init__(self) -> None:
        self.answers = [GOOD]
        self.asked: list[str] = []

    def __call__(self, request: Request) -> str:
        self.asked.append(request.prompt)
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


@pytest.fixture
def model() -> Model:
    return Model()


@pytest.fixture
def hw(model: Model) -> Iterator[Hardwon]:
    with hardwon.open("memory:", model=model) as opened:
        yield opened


def _run(hw: Hardwon, *, is_fixed: bool = True) -> Agent:
    """One run that meets the failure, and perhaps overcomes it."""
    agent = hw.agent("coder", project="p")
    agent.after_action("bash", {"command": FAILING}, output=ERROR, failed=True)
    if is_fixed:
        agent.after_action("bash", {"command": WORKING}, output="", failed=False)
    agent.after_run(task="Make the nightly report", error=ERROR)
    hw.drain()
    return agent


def _lessons(agent: Agent) -> list[Lesson]:
    return [lesson for lesson in agent.lessons.list() if lesson.kinds]


def test_a_fix_that_a_run_shows_is_worded_once(hw: Hardwon, model: Model) -> None:
    agent = _run(hw)

    (lesson,) = _lessons(agent)
    assert lesson.correction == "Use `mkdir -p`, which makes the parents too"
    assert lesson.status == "proven"
    assert [fix.worked for fix in lesson.fixes] == [1]
    assert len(model.asked) == 1
    assert FAILING in model.asked[0]
    assert WORKING in model.asked[0]
    assert "Make the nightly report" not in model.asked[0]


def test_the_worded_lesson_is_found_at_the_same_failure(hw: Hardwon) -> None:
    agent = _run(hw)

    told = hw.agent("coder", project="p").after_action(
        "bash", {"command": "mkdir a/b"}, output=ERROR.replace("out/nightly", "a/b"), failed=True
    )

    assert [lesson.id for lesson in told.lessons] == [lesson.id for lesson in _lessons(agent)]
    assert "makes the parents too" in told.text


def test_the_same_failure_again_asks_no_model(hw: Hardwon, model: Model) -> None:
    for _ in range(4):
        agent = _run(hw)
    assert len(model.asked) == 1

    agent = _run(hw)
    assert len(model.asked) == 2  # met five times as often as when it was first asked

    for _ in range(20):
        agent = _run(hw)
    assert len(model.asked) == 2  # it has seen that the fix works: that is not news again
    assert len(_lessons(agent)) == 1


def test_another_fix_is_news_where_no_model_has_spoken(hw: Hardwon, model: Model) -> None:
    model.answers = ["<skip>nothing actionable</skip>"]
    _run(hw)
    _run(hw)
    assert len(model.asked) == 1  # the same fix again tells a model nothing that it did not know

    for _ in range(2):
        agent = hw.agent("coder", project="p")
        agent.after_action("bash", {"command": FAILING}, output=ERROR, failed=True)
        agent.after_action("bash", {"command": "mkdir out"}, output="", failed=False)
        agent.after_action("bash", {"command": FAILING}, output="", failed=False)
        agent.after_run(task="Make the nightly report", error=ERROR)
        hw.drain()

    assert len(model.asked) == 2


def test_a_failure_without_a_fix_is_shown_when_it_recurs(hw: Hardwon, model: Model) -> None:
    for _ in range(3):
        _run(hw, is_fixed=False)
    assert not model.asked

    _run(hw, is_fixed=False)

    assert "MET IN: 4 runs" in model.asked[0]


def test_tests_that_fail_anyway_need_no_model(hw: Hardwon, model: Model) -> None:
    red = "FAILED tests/test_io.py::test_pipe - OSError: broken pipe\n1 failed, 40 passed in 2s"
    agent = hw.agent("coder")
    agent.after_action("bash", {"command": "sed -i 's/a/b/' src/io.py"}, failed=False)
    for command in ("pytest tests/test_io.py", "git stash && pytest tests/test_io.py"):
        agent.after_action("bash", {"command": command}, output=red, failed=True)
    agent.after_run(task="Mend the pipe", error=red)
    hw.drain()

    assert not model.asked


def test_what_the_evidence_does_not_hold_is_asked_for_again(hw: Hardwon, model: Model) -> None:
    model.answers = [GOOD.replace("mkdir -p`", "mkdir --parents`"), GOOD]

    agent = _run(hw)

    assert "--parents" in model.asked[1]
    assert "the evidence does not hold --parents" in model.asked[1]
    assert "mkdir -p" in _lessons(agent)[0].correction


def test_a_model_that_insists_on_its_inventions_is_not_believed(hw: Hardwon, model: Model) -> None:
    model.answers = [GOOD.replace("mkdir -p`", "mkdir --parents`")]

    (lesson,) = _lessons(_run(hw))

    assert "--parents" not in lesson.correction
    assert lesson.correction == "Call `mkdir` with `-p`."  # what the rules found stays


@pytest.mark.parametrize("answer", ["<skip>nothing actionable</skip>", "garbage"])
def test_a_model_without_an_answer_leaves_the_lesson_of_the_rules(
    hw: Hardwon, model: Model, answer: str
) -> None:
    model.answers = [answer]

    (lesson,) = _lessons(_run(hw))

    assert lesson.author == "rules"
    asked = len(model.asked)
    hw.drain()
    assert len(model.asked) == asked


def test_no_value_of_one_customer_reaches_the_model(hw: Hardwon, model: Model) -> None:
    agent = hw.agent("clerk")
    error = json.dumps({"error": "payment method not found"})
    for _ in range(4):
        for card in ("credit_card_7334", "credit_card_9981"):
            call, is_wrong = {"reservation_id": "ZFA04Y", "payment_id": card}, "7334" in card
            agent.after_action("book", call, output=error if is_wrong else "ok", failed=is_wrong)
        agent.after_run(task="Book it for Mei", error=error)
        hw.drain()

    assert model.asked
    assert all(value not in text for text in model.asked for value in ("7334", "9981", "ZFA04Y"))


def test_a_run_told_as_text_is_reflected_on_as_before(hw: Hardwon, model: Model) -> None:
    hw.agent("coder").after_run(task="Deploy it", attempt="kubectl apply", error="boom: no context")
    hw.drain()

    assert "TASK:\nDeploy it" in model.asked[0]


def test_two_kinds_with_the_same_cure_share_a_lesson(hw: Hardwon, model: Model) -> None:
    again = GOOD.replace("which makes the parents too", "which makes all the parents too")
    model.answers = [GOOD, again]
    agent = _run(hw)
    other = "mkdir: parents are missing, folder denied"
    agent.after_action("bash", {"command": "mkdir a/b"}, output=other, failed=True)
    agent.after_action("bash", {"command": "mkdir -p a/b"}, output="", failed=False)
    agent.after_run(task="Make another folder", error=other)
    hw.drain()

    (lesson,) = _lessons(agent)
    assert len(model.asked) == 2
    assert (len(lesson.kinds), lesson.met) == (2, 2)
    assert lesson.correction == "Use `mkdir -p`, which makes the parents too"


def test_two_kinds_with_other_cures_keep_their_lessons(hw: Hardwon, model: Model) -> None:
    other = GOOD.replace("Use `mkdir -p`, which makes the parents too", "Run `chmod u+w` first")
    model.answers = [GOOD, other]
    agent = _run(hw)
    denied = "mkdir: folder denied, not writable"
    agent.after_action("bash", {"command": "mkdir locked"}, output=denied, failed=True)
    agent.after_action("bash", {"command": "chmod u+w ."}, output="", failed=False)
    agent.after_action("bash", {"command": "mkdir locked"}, output="", failed=False)
    agent.after_run(task="Make another folder", error=denied)
    hw.drain()

    assert len(_lessons(agent)) == 2


def test_an_answer_that_says_nothing_makes_no_lesson(hw: Hardwon, model: Model) -> None:
    empty = "<situation>1 runs</situation><mistake>1 runs</mistake><correction>1 runs</correction>"
    model.answers = [f"{empty}<tags>mkdir</tags>"]  # what a small model has answered

    (lesson,) = _lessons(_run(hw))

    assert lesson.author == "rules"


def test_the_evidence_is_told_in_sections() -> None:
    cures = tuple(Fix("call", f"cure {n}", f"call {n}", worked=n) for n in range(6))
    pieces = (Evidence(Kind.CASE, "one", 1.0), Evidence(Kind.CASE, "two", 2.0))
    tried = Evidence(Kind.TRIED, "in vain", 3.0)
    known = lesson(situation="x" * 500, met=3, fixes=cures, evidence=(*pieces, tried))

    told = evidence_text(known).split("\n\n")

    assert told == [
        f"FAILURE: {'x' * 399}…",
        "MET IN: 3 runs",
        "RUN 1:\none",
        "RUN 2:\ntwo",
        "TRIED WITHOUT EFFECT: in vain",
        *(f"RULES SAY (worked in {n} runs):\ncure {n}" for n in range(4)),
    ]
    again = known._replace(origin=ORIGIN, mistake="m", correction="c")
    assert evidence_text(again).endswith("THE LESSON SO FAR:\nm\nc")


CURE = Fix("call", "Use `mkdir -p`.", "call flags mkdir -p", worked=2)
LATER_CURE = Fix("call", "Use `install -d`.", "call install -d", worked=2)
ONCE, LATER_ONCE = CURE._replace(worked=1), LATER_CURE._replace(worked=1)
CASE = Evidence(Kind.CASE, "mkdir out failed", 1.0)


def mined(**more: Any) -> Lesson:
    values = {"origin": MINED, "author": RULES, "met": 4, "evidence": (CASE,), "id": 7, **more}
    return lesson("Use `mkdir -p`.", **values)


@pytest.mark.parametrize(
    ("known", "is_one"),
    [
        (mined(), True),
        (mined(met=3), False),
        (mined(met=1, fixes=(CURE,)), True),
        (mined(author="person"), False),
        (mined(evidence=()), False),
        (mined(fixes=(CURE._replace(sort="unchanged"),)), False),
        (noted(mined(), NOW), False),
        (noted(mined(), NOW)._replace(met=20), True),
        (noted(mined(), NOW)._replace(met=19), False),
        (noted(mined(), NOW)._replace(fixes=(CURE,)), True),
        (noted(mined(), NOW)._replace(fixes=(CURE._replace(worked=1),)), True),
        (noted(mined(fixes=(CURE,)), NOW)._replace(fixes=(CURE, LATER_CURE)), True),
        (noted(mined(fixes=(ONCE,)), NOW)._replace(fixes=(ONCE, LATER_ONCE)), False),
        (noted(mined(fixes=(CURE,)), NOW)._replace(met=99), False),
        (noted(mined(fixes=(CURE._replace(worked=1),)), NOW)._replace(met=20), True),
        (noted(mined(), NOW)._replace(fixes=(CURE,), origin=ORIGIN), False),
    ],
)
def test_a_model_is_asked_about_what_is_new_and_recurs(known: Lesson, is_one: bool) -> None:
    assert is_due(known) is is_one


def test_lessons_with_fixes_are_worded_first_then_those_met_most_often() -> None:
    store = MemoryStore()
    for known in (mined(met=5), mined(met=9), mined(met=9), mined(fixes=(CURE,))):
        store.lessons.add(known)
    store.lessons.add(mined(scope=Scope("acme", "coder", None), met=99))

    assert [one.id for one in due(CODER, lessons=store.lessons)] == [4, 2, 3, 1]


GROUNDED = "<situation>mkdir out failed</situation>{0}<correction>Use `mkdir -p` there</correction>"
USABLE = GROUNDED.format("<mistake>one level only</mistake>")


def test_a_model_has_two_tries() -> None:
    model = Scripted(["no blocks", GROUNDED.format("<mistake> </mistake>"), USABLE])

    assert asyncio.run(worded(mined(), model=model, system="s")) is None
    assert len(model.requests) == 2
    assert {request.max_tokens for request in model.requests} == {800}
    assert "could not be used" in model.requests[1].prompt


def test_what_a_model_words_is_a_new_lesson_by_its_name() -> None:
    known = mined(calls=("mkdir",), hits=3, tags=("old",))
    new = asyncio.run(worded(known, model=Scripted([USABLE]), system="s"))

    assert new is not None
    assert (new.id, new.met, new.hits, new.calls, new.fixes) == (0, 0, 0, (), ())
    assert (new.author, new.origin, new.status) == ("scripted", ORIGIN, "proven")
    assert (new.job, new.tags) == ("worded:7:4:0", ("old",))
    assert values_of(new.evidence, Kind.JOB) == (new.job,)


def test_no_more_than_two_kinds_are_put_to_a_model_after_one_job(model: Model) -> None:
    with hardwon.open("memory:", model=model) as hw:
        agent = hw.agent("coder", project="p")
        for name in ("tar", "mkdir", "cp"):
            agent.after_action("bash", f"{name} out", output=f"{name}: {name} trouble", failed=True)
            agent.after_action("bash", f"{name} -p out", failed=False)
        agent.after_run(task="x", error="it went wrong")
        hw.drain()

    kinds = {prompt.splitlines()[0] for prompt in model.asked if prompt.startswith("FAILURE: ")}
    assert len(kinds) == 2


def test_an_anonymous_answer_is_of_the_model_that_was_asked() -> None:
    class Anonymous:
        name = "mine"

        async def complete(self, request: Request) -> Reply:
            return Reply(USABLE, model=request.system)

    authors = [
        asyncio.run(worded(mined(), model=Anonymous(), system=system)) for system in ("", "other")
    ]

    assert [new.author for new in authors if new] == ["mine", "other"]


def test_a_model_is_told_at_most_eight_of_its_inventions() -> None:
    names = [f"`bin/invented{letter}`" for letter in "abcdefghi"]
    model = Scripted([USABLE.replace("there", " ".join(names)), USABLE])

    assert asyncio.run(worded(mined(), model=model, system="s"))
    told = model.requests[1].prompt.partition("the evidence does not hold ")[2]
    assert sum(f"invented{letter}" in told for letter in "abcdefghi") == 8
