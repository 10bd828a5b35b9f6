"""Capture: decide whether a run is worth a reflection, and queue a durable job."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from hardwon.core.settings import Reflexion
from hardwon.core.text.clean import clip_middle
from hardwon.core.values.job import Job, new_job
from hardwon.core.values.run import Episode, RunSoFar, Trigger, run_id
from hardwon.storage.ports import Queue

RECORD_BYTES = 896 * 1024  # of an episode; the rest of a job fits into 1 MiB with it
_STUB = 400  # characters that remain of an old output or call
_SIGNALS_KEPT = 64
_SAID = "said after step "  # the signal of a further prompt
_NO_TASK = "(unknown task)"
_FRESH = 6  # last steps; they are shortened only if nothing else is left to shorten


def trigger_of(has_error: bool, signals: Mapping[str, str] | None, gates: Reflexion) -> str | None:
    """The trigger of a reflection on this run; None if the run is not worth one. Cheap."""
    if not (has_error or signals) or not gates.enabled:
        return None
    flags = signals or {}
    if flags.get("force_reflexion") == "true":
        return Trigger.MANUAL
    if gates.on_error and has_error:
        return Trigger.ERROR
    if gates.on_hallucination and flags.get("verified_with_discrepancy") == "true":
        return Trigger.HALLUCINATION
    if gates.on_low_quality and flags.get("refine_low_quality") == "true":
        return Trigger.LOW_QUALITY
    return None


def capture(episode: Episode, trigger: str, *, queue: Queue, now: datetime) -> Job:
    """The job for this episode, safe in the queue when this returns."""
    job = new_job(fit(episode), trigger, now)
    queue.put(job)
    return job


def of_run(ended: Episode, name: str, past: RunSoFar) -> Episode:
    """The episode of a whole run, for the model that reads it: all that the person said in it."""
    (_, task), *later = past.prompts or ((0, ended.task),)
    begun = datetime.fromtimestamp(past.begun, UTC)
    said = tuple((f"{_SAID}{made}", text) for made, text in later)
    signals = (("run", run_id(name, begun)), *said, *ended.signals)
    return ended._replace(task=task or _NO_TASK, signals=signals)


def prompts_of(episode: Episode) -> list[tuple[int, str]]:
    """What the person said in a run, each with the number of steps before it."""
    said = ((name, text) for name, text in episode.signals if name.startswith(_SAID))
    later = [(int(name.removeprefix(_SAID)), text) for name, text in said]
    return [(0, episode.task), *later]


def fit(episode: Episode, limit: int = RECORD_BYTES) -> Episode:
    """The episode in at most `limit` bytes; outputs of old steps are shortened first."""
    episode = episode._replace(signals=episode.signals[:_SIGNALS_KEPT])
    if size(episode) <= limit:
        return episode
    episode = episode._replace(attempt=_within(episode.attempt, limit // 3))
    excess = size(episode) - limit
    steps = list(episode.steps)
    for place, field in _giving_way(len(steps)):
        if excess <= 0:
            break
        text = getattr(steps[place], field)
        short = clip_middle(text, _STUB)
        changed: Any = {field: short}
        steps[place] = steps[place]._replace(**changed)
        excess -= _bytes(text) - _bytes(short)
    return episode._replace(steps=tuple(steps))


def _giving_way(count: int) -> Iterator[tuple[int, str]]:
    """Which text of which step to shorten next; the last steps show what went wrong."""
    old, fresh = range(count)[:-_FRESH], range(count)[-_FRESH:]
    yield from ((place, field) for field in ("output", "args") for place in old)
    yield from ((place, field) for place in fresh for field in ("output", "args"))


def _within(text: str, limit: int) -> str:
    """The text in at most `limit` bytes; its middle is cut out."""
    while (size := _bytes(text)) > limit:
        text = clip_middle(text, len(text) * limit // size)
    return text


def size(episode: Episode) -> int:
    """How many bytes a record needs for what an episode tells; the error is stored twice."""
    texts = (episode.task, episode.attempt, episode.error, episode.error)
    return sum(map(_bytes, (*texts, episode.signals, *episode.steps)))


def _bytes(value: object) -> int:
    """The bytes of a value in JSON, with the characters escaped that the format escapes."""
    text = json.dumps(value, ensure_ascii=False)
    plain = len(text.encode("utf-8", "replace"))
    return plain + 5 * sum(map(text.count, "<>&")) + 3 * sum(map(text.count, "\u2028\u2029"))
