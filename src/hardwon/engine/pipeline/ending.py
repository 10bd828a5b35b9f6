"""The end of a run: whether it is worth a reflection, what is kept of it, and its outcomes."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from hardwon.core.settings import Reflexion
from hardwon.core.text.clean import clip, clip_middle, one_line
from hardwon.core.values.delivery import DOOR, Door, Outcome, family_of_name
from hardwon.core.values.job import Job, new_job
from hardwon.core.values.run import (
    WITHHELD,
    Author,
    EndedRun,
    Episode,
    RunSoFar,
    Shown,
    Step,
    Trigger,
    run_id,
)
from hardwon.core.values.scope import Scope
from hardwon.knowledge.evidence.cures import telling_parts
from hardwon.storage.ports import Queue, Store

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
    attempt, most = episode.attempt, limit // 3
    while (needed := _bytes(attempt)) > most:
        attempt = clip_middle(attempt, len(attempt) * most // needed)
    episode = episode._replace(attempt=attempt)
    excess = size(episode) - limit
    steps = list(episode.steps)
    # The last steps show what went wrong, so they are shortened last.
    old, fresh = range(len(steps))[:-_FRESH], range(len(steps))[-_FRESH:]
    first = [(place, field) for field in ("output", "args") for place in old]
    last = [(place, field) for place in fresh for field in ("output", "args")]
    for place, field in (*first, *last):
        if excess <= 0:
            break
        text = getattr(steps[place], field)
        short = clip_middle(text, _STUB)
        changed: Any = {field: short}
        steps[place] = steps[place]._replace(**changed)
        excess -= _bytes(text) - _bytes(short)
    return episode._replace(steps=tuple(steps))


def size(episode: Episode) -> int:
    """How many bytes a record needs for what an episode tells; the error is stored twice."""
    texts = (episode.task, episode.attempt, episode.error, episode.error)
    return sum(map(_bytes, (*texts, episode.signals, *episode.steps)))


def _bytes(value: object) -> int:
    """The bytes of a value in JSON, with the characters escaped that the format escapes."""
    text = json.dumps(value, ensure_ascii=False)
    plain = len(text.encode("utf-8", "replace"))
    return plain + 5 * sum(map(text.count, "<>&")) + 3 * sum(map(text.count, "\u2028\u2029"))


SIZE = 40_000  # bytes of all steps
_TASK = 500  # characters
_KINDS = 50
_SHOWN = 200
_WORDS = 24_000  # characters of all that was shown; the words of what came first stay
# Characters of a call and of a failing call's output: the first pair that fits is used.
_CUTS = ((4_000, 800), (1_000, 500), (300, 300), (120, 120))


def archive_run(
    past: RunSoFar,
    scope: Scope,
    run: str,
    *,
    ended: datetime,
    outcome: str,
    by: Author = Author(),
    program: str = "",
) -> EndedRun:
    """The record of an ended run: long texts are cut, counts are complete.

    `by` had it made, with `program`, unless the run itself names somebody, or another.
    """
    person, machine = past.by or by
    failures = [step.failure for step in past.steps if step.failure]
    begun = datetime.fromtimestamp(past.begun, UTC) if past.begun else ended
    # Units of the hold-out are no deliveries: each has one beside it.
    deliveries = [delivery for delivery in past.shown if delivery.door != DOOR]
    return EndedRun(
        id=run_id(run, begun),
        scope=scope,
        run=run,
        task=one_line(past.task, _TASK),
        begun=min(begun, ended),
        ended=ended,
        outcome=outcome,
        made=max(past.made, len(past.steps)),
        failed=sum(step.failed for step in past.steps),
        told=sum(delivery.door != WITHHELD for delivery in deliveries),
        kinds=tuple(dict.fromkeys(failure.text for failure in failures))[:_KINDS],
        steps=_cut_steps(past.steps, past.task),
        shown=_cut_words(deliveries[-_SHOWN:]),
        person=person,
        machine=machine,
        program=past.program or program,
    )


def _cut_words(shown: Sequence[Shown]) -> tuple[Shown, ...]:
    """The deliveries, with the words of those that fit into `_WORDS`."""
    short, room = [], _WORDS
    for delivery in shown:
        text = delivery.text if len(delivery.text) <= room else ""
        room -= len(text)
        short.append(delivery._replace(text=text))
    return tuple(short)


def _cut_steps(steps: Sequence[Step], task: str) -> tuple[Step, ...]:
    """The steps, cut to fit into `SIZE`; if the shortest cut does not fit, the newest steps.

    The output of a step that worked is kept only as far as later steps use what it printed.
    """
    printed = [
        step.output.strip() if step.failed else part
        for step, part in zip(steps, telling_parts(steps, task), strict=True)
    ]
    failures = [
        failure and failure._replace(text=clip(failure.text, 200), line=clip(failure.line, 200))
        for failure in (step.failure for step in steps)
    ]
    for call, output in _CUTS:
        short = [
            step._replace(
                args=clip_middle(step.args, call),
                output=clip_middle(text, output),
                failure=failure,
            )
            for step, text, failure in zip(steps, printed, failures, strict=True)
        ]
        sizes = [len(json.dumps(step).encode()) + 1 for step in short]
        if sum(sizes) <= SIZE:
            return tuple(short)
    while sum(sizes) > SIZE:
        short.pop(0)
        sizes.pop(0)
    return tuple(short)


def settle(past: RunSoFar, run: str, scope: Scope, store: Store) -> None:
    """Note the outcome of every delivery and every unit of a run that has ended."""
    of_deliveries: list[tuple[str, str]] = []
    for name, outcome in outcomes(past):
        if family := family_of_name(name):
            store.units.settle(scope, run, family, outcome)
        else:
            of_deliveries.append((name, outcome))
    store.deliveries.settle(scope, of_deliveries)


def outcomes(past: RunSoFar) -> Iterator[tuple[str, str]]:
    """Every delivery of a run that has ended, with its outcome."""
    for shown in past.shown:
        yield shown.delivery, _outcome(shown, past.steps)


def _outcome(shown: Shown, steps: Sequence[Step]) -> str:
    """The outcome of a delivery, from the steps after it."""
    first = len(steps) - shown.after
    followed = steps[max(0, first) :]
    if shown.door == Door.ACTION:
        if not followed or first < 0:
            return Outcome.UNKNOWN
        if not followed[0].failed:
            return Outcome.WORKED
        return Outcome.SAME if _is_among(shown.kinds, followed[:1]) else Outcome.OTHERWISE
    if shown.door == Door.ERROR:
        if first <= 0:  # the failed step is no longer kept, so a repeat cannot be recognised
            return Outcome.UNKNOWN
        failed = steps[first - 1]
        own_kind = (failed.failure.kind,) if failed.failure else ()
        if _is_among((*shown.kinds, *own_kind), followed):
            return Outcome.REPEATED
        has_worked = any(step.tool == failed.tool and not step.failed for step in followed)
        return Outcome.OVERCOME if has_worked else Outcome.LEFT
    if not shown.kinds:
        return Outcome.UNKNOWN
    if _is_among(shown.kinds, followed):
        return Outcome.REPEATED
    return Outcome.NOT_MET if first >= 0 else Outcome.UNKNOWN  # some steps are no longer kept


def _is_among(kinds: Collection[str], steps: Sequence[Step]) -> bool:
    """Whether one of the steps failed with one of these kinds or exact digests."""
    failures = (step.failure for step in steps if step.failed)
    return any(
        failure and (failure.kind in kinds or failure.exact in kinds) for failure in failures
    )
