"""What a loop proved becomes lessons."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import hardwon
from tests.learn.trials.credited import EMPTY, MEAN, judged, reflections
from tests.learn.trials.looped import TASK, reads_the_prompt, wants_42
from tests.learn.trials.test_reflect import REPLY


def test_what_is_learnt_is_what_the_trials_proved(coder: hardwon.Agent) -> None:
    first, helped = reflections(coder, judged(0.0, EMPTY, MEAN), judged(0.5, EMPTY))
    _, useless = reflections(coder, judged(0.5, EMPTY), judged(0.5, EMPTY))

    assert first.self_reflection.lessons_learned == ()  # an error alone proves nothing
    (lesson,) = helped.self_reflection.lessons_learned
    assert lesson.startswith("What got rid of “test_mean: assert 3 == 2 (cart.py)”: docs.md: ")
    assert "+    return 0.0" in lesson
    (lesson,) = useless.self_reflection.lessons_learned
    assert lesson.startswith("What does not help against “test_empty: ")


def test_no_lesson_keeps_a_line_that_the_next_edit_moves(coder: hardwon.Agent) -> None:
    reflections(coder, judged(0.0, EMPTY, MEAN), judged(0.5, EMPTY), judged(0.5, EMPTY))

    lessons = coder.lessons.list()
    texts = [f"{one.situation} {one.mistake} {one.correction}" for one in lessons]
    assert texts
    assert not any("cart.py:" in text.replace("cart.py: -", "") for text in texts)
    assert not any("expect pytest to say" in text for text in texts)


def test_a_failure_that_was_overcome_is_proven_and_one_that_was_not_only_counts(
    coder: hardwon.Agent,
) -> None:
    reflections(coder, judged(0.0, MEAN), judged(0.5, EMPTY))

    lessons = {lesson.mistake[:9]: lesson for lesson in coder.lessons.list(status="all")}
    states = {name: lesson.status for name, lesson in lessons.items()}
    assert states == {"test_mean": "proven", "test_empt": "seen"}
    assert "test_mean" not in lessons["test_empt"].correction


def test_the_next_similar_task_starts_with_the_lesson(coder: hardwon.Agent) -> None:
    first = coder.loops.run(TASK, actor=reads_the_prompt, evaluate=wants_42)
    again = coder.loops.run(TASK, actor=reads_the_prompt, evaluate=wants_42)

    assert (len(first.trials), len(again.trials)) == (2, 1)
    assert again.trials[0].lessons_used == 1
    lesson = coder.lessons.list()[0]
    assert lesson.trigger == "verification"
    assert lesson.origin == f"trials:{first.loop_id}"
    assert "Trial 2 got over it" in lesson.correction


def test_a_task_in_other_words_starts_with_the_lesson(coder: hardwon.Agent) -> None:
    def evaluate(answer: str) -> object:
        return "if not x" in answer or "ZeroDivisionError: division by zero"

    def actor(prompt: str) -> str:
        return "if not x: return 0" if "ZeroDivisionError" in prompt else "sum(x) / len(x)"

    tasks = ("write mean() in stats.py", "write average() in stats.py", "draw a map of the rivers")
    loops = [coder.loops.run(task, actor=actor, evaluate=evaluate) for task in tasks]

    assert [len(loop.trials) for loop in loops] == [2, 1, 2]
    assert [loop.trials[0].lessons_used for loop in loops] == [0, 1, 0]


def test_lessons_can_be_left_to_the_queue_or_off(hw: hardwon.Hardwon, coder: hardwon.Agent) -> None:
    wrong: Any = {"actor": lambda p: "x", "evaluate": lambda said: "no", "max_trials": 1}

    coder.loops.run(TASK, **wrong, lessons="off")
    assert (coder.lessons.list(), hw.queue.waiting()) == ([], [])

    coder.loops.run(TASK, **wrong, lessons="queue")
    assert coder.lessons.list() == []
    assert [job.trigger for job in hw.queue.waiting()] == ["verification"]


def test_what_got_over_a_failure_is_all_that_changed_since(
    coder: hardwon.Agent, tmp_path: Path
) -> None:
    for name, text in {
        "v1": "a\n",
        "v2": "b\n",
        "v3": "c\n",
        ".gitignore": "count\n",
        "check.sh": "for x in a b; do ! grep -qx $x code || { echo error: $x; exit 1; }; done",
    }.items():
        (tmp_path / name).write_text(text)
    subprocess.run(["git", "init", "-q", tmp_path], check=True)

    done = coder.loops.run(
        "Write the code",
        actor="echo >> count; cp v$(wc -l < count) code",
        verify=["sh check.sh"],
        cwd=str(tmp_path),
    )

    assert [trial.failure for trial in done.trials] == ["error: a", "error: b", ""]
    changes = {lesson.mistake: lesson.correction for lesson in coder.lessons.list()}
    assert changes == {
        "error: a": "(Trial 3 got over it: code: -a ⏎ +c)",
        "error: b": "(Trial 3 got over it: code: -b ⏎ +c)",
    }


def test_a_models_advice_names_only_what_the_loop_showed(tmp_path: Path) -> None:
    advice = ["Read `want` in the check.", "Call `solve --fast` first."]
    reply = json.dumps({**REPLY, "actionable_insights": advice, "lessons_learned": []})
    with hardwon.open(tmp_path, model=lambda request: reply) as hw:
        coder = hw.agent("coder")
        coder.loops.run(TASK, actor=reads_the_prompt, evaluate=wants_42)

        (lesson,) = coder.lessons.list()
    assert "Read `want` in the check." in lesson.correction
    assert "solve" not in lesson.correction
