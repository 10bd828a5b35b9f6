"""Items of a playbook in words: their state and what speaks for them."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from hardwon.core.text.clean import plural
from hardwon.core.values.lesson import USER_SUPPLIED, Kind, Lesson, Status, values_of
from hardwon.engine.pipeline import playbook

_WAITS = {Status.CANDIDATE: "contradicts another", Status.QUARANTINED: "held back"}


def describe_item(item: Lesson, shown: Collection[int]) -> dict[str, Any]:
    """An item as plain values; `shown` are the ids of those that the start of a run shows."""
    is_note = item.headline() == "note"
    return {
        "id": item.id,
        "sort": playbook.sort_of(item),
        "states": states(item, is_shown=item.id in shown),
        "is_pinned": playbook.PINNED in item.tags,
        "when": "" if is_note else item.situation,
        "wrong": "" if item.mistake == USER_SUPPLIED else item.mistake,
        "do": item.correction,
        "evidence": evidence(item),
        "met": item.met,
        "saves": round(playbook.saves(item), 2),
        "author": item.author,
    }


def states(item: Lesson, *, is_shown: bool) -> list[str]:
    """What is special about an item; [] for one that is shown like most."""
    found = {
        "pinned": playbook.PINNED in item.tags,
        "doubtful": playbook.is_doubtful(item),
        _WAITS.get(item.status, item.status): item.status != Status.PROVEN,
        "no room at the start": item.status == Status.PROVEN and not is_shown,
    }
    return [state for state, is_so in found.items() if is_so]


def evidence(item: Lesson) -> str:
    """What speaks for an item and against it."""
    worked, failed = (
        len(values_of(item.evidence, kind)) for kind in (Kind.CONFIRMED, Kind.WEAKENED)
    )
    steps = [value.partition(": ")[2] for value in values_of(item.evidence, Kind.SHOWN_BY)]
    parts = (
        "written by a person" if item.author == "person" else "",
        f"seen in {plural(len(steps), 'run')} (steps {steps[-1]})" if steps else "",
        f"worked in {plural(worked, 'later run')}" if worked else "",
        f"failed in {plural(failed, 'later run')}" if failed else "",
        *(f"contradicts #{other}" for other in values_of(item.evidence, Kind.DIFFERS)),
        *values_of(item.evidence, Kind.WITHDRAWN)[-1:],
    )
    return ", ".join(part for part in parts if part)
