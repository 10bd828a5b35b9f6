"""Apply the reader's changes to a playbook, item by item; each can be taken back."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from hardwon.core.values.lesson import (
    Change,
    Evidence,
    Kind,
    Lesson,
    Status,
    join_evidence,
    kept_calls,
    unique,
)
from hardwon.core.values.run import Step, Trigger
from hardwon.core.values.scope import Scope
from hardwon.engine.pipeline.playbook import WITHDRAW, withdrawn
from hardwon.engine.pipeline.screen import screen_lesson
from hardwon.knowledge.evidence.keys import failed_key
from hardwon.knowledge.reading.call_keys import blamed_keys
from hardwon.learn.reader.answer import Answer, Item
from hardwon.learn.reader.checks import Refusal, check_items, contradicts, is_same
from hardwon.storage.ports import Store

ORIGIN = "reader"  # of the items that a model read in a run; the run follows
CHANGE = "change"  # the act in the history of a lesson
_SURE = 0.8
_COST = {"pitfall": 0.6, "way": 0.6, "fact": 0.5}  # the importance of an item, by its sort
_EACH_FAILURE, _MOST_COST = 0.1, 0.9


class Reading(NamedTuple):
    """A run that was read: where, by whom, and what it showed."""

    scope: Scope
    job: str
    run: str  # its id
    author: str
    task: str
    steps: tuple[Step, ...]
    now: datetime


class Outcome(NamedTuple):
    """What came of an answer."""

    added: tuple[Lesson, ...] = ()
    changed: tuple[Lesson, ...] = ()
    confirmed: tuple[Lesson, ...] = ()
    withdrawn: tuple[Lesson, ...] = ()
    refused: tuple[Refusal, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.added or self.changed or self.confirmed or self.withdrawn)


def apply(answer: Answer, known: Mapping[int, Lesson], *, by: Reading, store: Store) -> Outcome:
    """Change the playbook as the answer says, as far as the steps support it.

    `known` are the items by the numbers that the answer uses. Call it inside `store.together()`.
    """
    change = [item for item in answer.change if item.id in known]
    new = check_items(answer.add, task=by.task, steps=by.steps, known={})
    better = check_items(change, task=by.task, steps=by.steps, known=known)
    items = list(known.values())
    added: list[Lesson] = []
    confirmed: list[Lesson] = []
    for number, item in enumerate(new.items, start=1):
        twin = next((lesson for lesson in (*items, *added) if is_same(item, lesson)), None)
        if twin is not None:
            confirmed += [] if twin in added else [_confirm(twin, by, store)]
        else:
            added.append(_add(item, number, items, by, store))
    changed = [_change(known[item.id], item, by, store) for item in better.items]
    touched = {lesson.id for lesson in (*changed, *confirmed)}
    for number in answer.confirm:
        if number in known and known[number].id not in touched:
            confirmed.append(_confirm(known[number], by, store))
    gone = [
        _withdraw(known[number], why, by, store)
        for number, why in answer.withdraw
        if number in known and known[number].id not in touched
    ]
    refused = (*new.refused, *better.refused)
    return Outcome(tuple(added), tuple(changed), tuple(confirmed), tuple(gone), refused)


def _add(item: Item, number: int, items: Sequence[Lesson], by: Reading, store: Store) -> Lesson:
    lesson = new_item(item, by)._replace(job=f"{by.job}:{number}")
    opposed = [other for other in items if contradicts(item, lesson.kinds, other)]
    if opposed:  # a person decides; until then it is shown at its failure only
        differs = (Evidence(Kind.DIFFERS, str(other.id)) for other in opposed)
        evidence = join_evidence(lesson.evidence, differs)
        lesson = lesson._replace(status=Status.CANDIDATE, evidence=evidence)
    return store.lessons.add(screen_lesson(lesson).with_dates(by.now, keeps_dates=False))


def new_item(item: Item, by: Reading) -> Lesson:
    """The lesson of an item, with the failures and calls of the steps that it cites."""
    failed = _failing_steps(item, [by.steps[number - 1] for number in item.steps])
    failures = [step.failure for step in failed if step.failure]
    keys = [key for step in failed for key in _keys(step, by.task)]
    return Lesson(
        scope=by.scope,
        situation=f"When {item.when}",
        mistake=item.wrong,
        correction=item.do,
        tags=(item.sort,) if item.sort else (),
        trigger=Trigger.RUN,
        signatures=unique(tuple(failure.exact for failure in failures if failure.exact)),
        kinds=unique(tuple(failure.kind for failure in failures)),
        calls=kept_calls(unique(tuple(keys))),
        evidence=_evidence(item.steps, by),
        origin=f"{ORIGIN}:{by.run}",
        author=by.author,
        importance=min(_MOST_COST, _COST.get(item.sort, 0.5) + _EACH_FAILURE * len(failed)),
        confidence=_SURE,
    )


def _failing_steps(item: Item, cited: Sequence[Step]) -> list[Step]:
    """The failing steps that a pitfall is about: those whose error shares most with its words."""
    failing = [step for step in cited if step.failure and step.failure.is_telling]
    if item.sort not in {"pitfall", ""}:
        return []
    words = _words(f"{item.when} {item.wrong} {item.do}")
    said = [_words(step.failure.line) - _words(step.args) for step in failing if step.failure]
    shared = [len(words & of_error) for of_error in said]
    least = max(shared, default=0) / 2
    return [step for step, count in zip(failing, shared, strict=True) if count >= least]


def _words(text: str) -> set[str]:
    return set(re.findall(r"[a-z0-9_]{4,}(?:\.[a-z0-9_]+)*", text.lower()))


def _keys(step: Step, task: str) -> tuple[str, ...]:
    """The failing call as it was typed, and as later runs may make it."""
    line = step.failure.line if step.failure else ""
    return (*blamed_keys(step.tool, step.args, line)[:1], *failed_key(step, task))


def _change(lesson: Lesson, item: Item, by: Reading, store: Store) -> Lesson:
    """The item with its new words; a person's item stays, and the new words wait beside it."""
    complete = item._replace(
        when=item.when or lesson.situation.removeprefix("When "),
        do=item.do or lesson.correction,
        wrong=item.wrong or lesson.mistake,
    )
    new = new_item(complete, by)
    if lesson.author == "person":
        differs = join_evidence(new.evidence, (Evidence(Kind.DIFFERS, str(lesson.id)),))
        new = new._replace(
            status=Status.CANDIDATE, evidence=differs, job=f"{by.job}:change:{lesson.id}"
        )
        return store.lessons.add(screen_lesson(new).with_dates(by.now, keeps_dates=False))
    changed = lesson._replace(
        situation=new.situation,
        mistake=new.mistake,
        correction=new.correction,
        signatures=unique((*lesson.signatures, *new.signatures)),
        kinds=unique((*lesson.kinds, *new.kinds)),
        calls=kept_calls(unique((*lesson.calls, *new.calls))),
        evidence=join_evidence(lesson.evidence, new.evidence, (_confirmation(by),)),
        author=by.author,
        importance=max(lesson.importance, new.importance),
        met=lesson.met + 1,
        updated_at=by.now,
    )
    store.history.note(Change(lesson, CHANGE, by.now))
    changed = screen_lesson(changed)
    store.lessons.update(changed)
    return changed


def _confirm(lesson: Lesson, by: Reading, store: Store) -> Lesson:
    evidence = join_evidence(lesson.evidence, _evidence((), by), (_confirmation(by),))
    confirmed = lesson._replace(met=lesson.met + 1, evidence=evidence, updated_at=by.now)
    store.lessons.update(confirmed)
    return confirmed


def _withdraw(lesson: Lesson, why: str, by: Reading, store: Store) -> Lesson:
    """The item, retired with the reason; a person's item is only marked as doubtful."""
    marked = lesson._replace(evidence=join_evidence(lesson.evidence, _evidence((), by)))
    if lesson.author == "person":
        doubt = Evidence(Kind.WEAKENED, f"{by.run}: {why}", by.now.timestamp())
        marked = marked._replace(
            evidence=join_evidence(marked.evidence, (doubt,)), updated_at=by.now
        )
    else:
        store.history.note(Change(lesson, WITHDRAW, by.now))
        marked = withdrawn(marked, why or "the reader withdrew it", by.now)
    store.lessons.update(marked)
    return marked


def _evidence(steps: Sequence[int], by: Reading) -> tuple[Evidence, ...]:
    """The job, and the steps of the run that show an item."""
    moment = by.now.timestamp()
    shown = Evidence(Kind.SHOWN_BY, f"{by.run}: {', '.join(map(str, steps))}", moment)
    return (Evidence(Kind.JOB, by.job, moment), *((shown,) if steps else ()))


def _confirmation(by: Reading) -> Evidence:
    return Evidence(Kind.CONFIRMED, by.run, by.now.timestamp())
