"""Capture: which runs are worth a reflection, and how a long one fits into a record."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from hardwon import Episode, Step
from hardwon.core.settings import Reflexion
from hardwon.core.values.job import new_job
from hardwon.core.values.run import Trigger
from hardwon.engine.pipeline.ending import capture, fit, size, trigger_of
from hardwon.storage.queues.memory import MemoryQueue
from hardwon.storage.queues.records import encode
from tests.samples import CODER, EPISODE, NOW

ON = Reflexion()


def long_run(steps: int, length: int = 20_000) -> Episode:
    every = (Step("bash", "a" * length, "o" * length) for _ in range(steps))
    return Episode(CODER, "task", "attempt", "error", steps=tuple(every))


def test_each_trigger_has_a_switch_of_its_own() -> None:
    doubted, weak = {"verified_with_discrepancy": "true"}, {"refine_low_quality": "true"}

    assert trigger_of(True, {}, ON) == Trigger.ERROR
    assert trigger_of(False, doubted, ON) == Trigger.HALLUCINATION
    assert trigger_of(False, weak, ON._replace(on_low_quality=True)) == Trigger.LOW_QUALITY
    assert trigger_of(True, {}, ON._replace(on_error=False)) is None
    assert trigger_of(False, doubted, ON._replace(on_hallucination=False)) is None
    assert trigger_of(False, weak, ON._replace(on_low_quality=False)) is None


def test_a_forced_reflection_comes_before_any_other_trigger() -> None:
    forced = {"force_reflexion": "true", "verified_with_discrepancy": "true"}

    assert trigger_of(True, forced, ON) == Trigger.MANUAL
    assert trigger_of(True, forced, ON._replace(enabled=False)) is None
    assert trigger_of(False, {"force_reflexion": "false"}, ON) is None


def test_a_captured_run_waits_in_the_queue() -> None:
    queue = MemoryQueue()

    job = capture(EPISODE, Trigger.ERROR, queue=queue, now=NOW)

    assert queue.waiting() == [job]


def test_a_run_that_fits_is_kept_as_it_is() -> None:
    assert fit(EPISODE) == EPISODE


def test_old_steps_give_way_and_the_last_six_stay_whole() -> None:
    episode = long_run(20)
    limit = 8 * 40_000

    kept = fit(episode, limit)

    assert size(kept) <= limit
    assert kept.steps[-6:] == episode.steps[-6:]
    assert all(len(step.output) < 1000 for step in kept.steps[:10])


def test_outputs_give_way_before_calls() -> None:
    episode = long_run(10)

    kept = fit(episode, size(episode) - 30_000)

    assert len(kept.steps[0].output) < 1000
    assert kept.steps[0].args == episode.steps[0].args


def test_the_last_steps_give_way_when_nothing_else_is_left() -> None:
    kept = fit(long_run(6), 20_000)

    assert size(kept) <= 20_000
    assert len(kept.steps) == 6


def test_at_most_64_signals_are_kept() -> None:
    signals = tuple((f"s{number}", "x") for number in range(99))

    assert fit(EPISODE._replace(signals=signals)).signals == signals[:64]


@given(st.text(max_size=3000), st.integers(5_000, 9_000))
def test_any_attempt_fits(attempt: str, limit: int) -> None:
    assert size(fit(EPISODE._replace(attempt=attempt * 20), limit)) <= limit


def test_a_text_in_which_every_character_is_escaped_is_whole_while_it_fits() -> None:
    escaped = EPISODE._replace(task="", error="", steps=(), attempt="<" * 1000)

    assert fit(escaped, 6 * 1000 + 200) == escaped
    assert size(escaped) <= 6 * 1000 + 200


def test_what_gives_way_keeps_its_ends() -> None:
    kept = fit(long_run(8), 8_000)

    assert {(len(step.args), len(step.output)) for step in kept.steps} == {(400, 400)}


def test_no_more_steps_give_way_than_must() -> None:
    episode = long_run(8)
    short = fit(episode, size(episode) - 1)
    exact = fit(episode, size(episode))

    assert exact == episode
    assert [len(step.output) for step in short.steps] == [400, *[20_000] * 7]


def test_a_long_attempt_takes_no_more_than_a_third() -> None:
    kept = fit(EPISODE._replace(attempt="a" * 50_000), 30_000)

    assert 9_900 < len(kept.attempt) <= 10_000


def test_an_episode_leaves_room_for_the_rest_of_its_job() -> None:
    episode = long_run(22)
    room = 896 * 1024 - size(episode)
    last = episode.steps[-1]
    full = episode._replace(steps=(*episode.steps[:-1], last._replace(tool="t" * (room + 4))))
    over = episode._replace(steps=(*episode.steps[:-1], last._replace(tool="t" * (room + 5))))

    assert size(full) == 896 * 1024
    assert fit(full) == full
    assert size(fit(over)) < 896 * 1024


def test_the_outputs_of_all_but_six_steps_give_way_before_any_call() -> None:
    episode = long_run(8)

    kept = fit(episode, size(episode) - 2 * 19_000)

    assert [len(step.output) for step in kept.steps] == [400, 400, *[20_000] * 6]
    assert {len(step.args) for step in kept.steps} == {20_000}


@given(st.text())
@example("<>&")
@example("\u2028\u2029")
@example('"é\n\x00😀')
def test_an_episode_takes_as_many_bytes_as_its_record(text: str) -> None:
    longer = EPISODE._replace(attempt=EPISODE.attempt + text)
    record, longer_record = (
        encode(new_job(episode, Trigger.ERROR, NOW)) for episode in (EPISODE, longer)
    )

    assert size(longer) - size(EPISODE) == len(longer_record) - len(record)


def test_an_attempt_that_fills_the_record_is_whole() -> None:
    episode = EPISODE._replace(attempt="a" * 50_000)

    assert fit(episode, size(episode)) == episode
    assert len(fit(episode, size(episode) - 1).attempt) < 20_000


def test_an_attempt_of_a_third_is_whole_and_the_steps_give_way() -> None:
    episode = long_run(8)._replace(attempt="a" * (10_000 - 2))  # with its quotes

    kept = fit(episode, 30_000)

    assert kept.attempt == episode.attempt
    assert size(kept) <= 30_000


def test_a_long_task_counts() -> None:
    episode = EPISODE._replace(task="t" * 20_000, error="", attempt="a" * 9_000)

    assert len(fit(episode, 24_000).attempt) <= 8_000
