"""What reports, lessons and items say about themselves, in words that terminal and pages share."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any

from hardwon.core.text.clean import plural
from hardwon.core.values.delivery import Outcome
from hardwon.core.values.job import Job
from hardwon.core.values.lesson import (
    LIVE,
    USER_SUPPLIED,
    Change,
    Evidence,
    Kind,
    Lesson,
    Status,
    evidence_of,
)
from hardwon.core.values.report import KindObserved, LessonState, LessonVerdict, PartEffect, Report
from hardwon.core.values.run import EndedRun, RunSoFar, Shown, Step, timeline
from hardwon.engine.pipeline import playbook
from hardwon.knowledge.proof.effect import OFF
from hardwon.knowledge.proof.verdicts import TOO_FEW
from hardwon.knowledge.reading.guards import guard_of

GOOD, BAD, OPEN = "good", "bad", "open"
_AUTHORS = {"rules": "rules", "model": "a model", "person": "a person"}
_TONES = {
    **dict.fromkeys((Outcome.WORKED, Outcome.OVERCOME, Outcome.NOT_MET, "helped"), GOOD),
    **dict.fromkeys((Outcome.SAME, Outcome.REPEATED, Outcome.LEFT), BAD),
}
STATES = {
    Status.SEEN: "met, no fix known",
    Status.CANDIDATE: "one run shows a fix",
    Status.PROVEN: "worked again, or vouched for",
    Status.RETIRED: "did not help, or expired",
    Status.QUARANTINED: "waits for a person",
    Status.SUPERSEDED: "merged into another",
}
STATE_NAMES = {Status.QUARANTINED: "held back", Status.SUPERSEDED: "merged"}  # others: as stored
FAILURE_STATES = {
    "open": "no fix known",
    "known": "fix known",
    "returned": "came back",
    "resolved": "resolved",
    "muted": "muted",
}
EVIDENCE = {
    Kind.MET: "met",
    Kind.TRIED: "tried without effect",
    Kind.SESSION: "read in",
    Kind.JOB: "reflected on in job",
    Kind.PARENT: "made of lesson",
    Kind.APPROVED: "approved by",
    Kind.QUARANTINED: "held back",
    Kind.RETIRED: "retired, shown to few runs from now on",
    Kind.SHOWN_BY: "shown by the steps of run",
    Kind.CONFIRMED: "worked in run",
    Kind.WEAKENED: "failed in run",
    Kind.WITHDRAWN: "withdrawn",
    Kind.DIFFERS: "contradicts lesson",
    Kind.NOTE: "note",
}
DOORS = {
    "start": "when a run began",
    "turn": "with a prompt",
    "action": "before a call",
    "error": "after a failure",
    "loop": "to a run that went in circles",
}
TOGETHER = "All these intervals hold at once, with 95 %, however often you look."
EMPTY = "Nothing was recorded here in this time."


def evidence(lesson: Lesson) -> Iterator[tuple[Evidence, str, str, datetime | None]]:
    """What a lesson is made of, for people: the piece, its name, its words, and when it came."""
    for piece in lesson.evidence:
        if label := EVIDENCE.get(piece.kind):
            is_retired = piece.kind == Kind.RETIRED  # a digest of the wording stands before it
            words = piece.value.partition(": ")[2] if is_retired else piece.value
            at = datetime.fromtimestamp(piece.at, UTC) if piece.at > 0 else None
            yield piece, label, words, at


def events(run: RunSoFar | EndedRun) -> Iterator[tuple[int, Step | Shown]]:
    """What happened in a run, in order; with each step its number, the forgotten ones counted."""
    number = max(0, run.made - len(run.steps))
    for event in timeline(run.steps, run.shown):
        number += isinstance(event, Step)
        yield number, event


def retries(jobs: Iterable[Job]) -> list[Job]:
    """The jobs that wait to be tried again, the next first."""
    return sorted((job for job in jobs if job.last_error), key=lambda job: job.due)


def tone(outcome: str) -> str:
    """Whether an outcome speaks for the lesson, against it, or neither."""
    return _TONES.get(outcome, OPEN)


def tones(outcomes: dict[str, int]) -> dict[str, int]:
    """How many outcomes there are of each class, in a fixed order."""
    counts = dict.fromkeys((GOOD, BAD, OPEN), 0)
    for outcome, count in outcomes.items():
        counts[tone(outcome)] += count
    return counts


def state_name(status: str) -> str:
    """The one word for the state of a lesson, wherever people read it."""
    return STATE_NAMES.get(status, status)


def place(report: Report) -> str:
    """Which agents and projects the report covers."""
    scope = report.window.scope
    tenant = "" if scope.tenant == "default" else f" of tenant {scope.tenant}"
    part = report.window.part
    if part is not None:
        agent = f"agent {part.agent}" if part.agent else "every agent"
        project = f"project {part.project}" if part.project else "no project"
        return f"{agent}, {'every project' if part.project is None else project}{tenant}"
    if report.window.is_whole:
        return f"every agent and project{tenant}"
    project = f"project {scope.project}" if scope.project else "no project"
    return f"{project}, agent {scope.agent}{tenant}"


def period(report: Report) -> str:
    """The period of the report."""
    return f"{day(report.window.since.date())} to {day(report.at.date())} {report.at:%Y}"


def day(moment: date) -> str:
    """A day without its year."""
    return f"{moment.day} {moment:%b}"


def days(report: Report) -> list[int]:
    """Failures per day, for every day of the period, oldest first."""
    return spread(report, report.met)


def spread(report: Report, counted: tuple[tuple[date, int], ...]) -> list[int]:
    """A count for every day of the period; 0 where nothing was counted."""
    return by_day(counted, report.window.since.date(), report.at.date())


def by_day(counted: tuple[tuple[date, int], ...], first: date, last: date) -> list[int]:
    """A count for every day from the first to the last."""
    counts = dict(counted)
    return [counts.get(first + timedelta(days=at), 0) for at in range((last - first).days + 1)]


def states(report: Report) -> list[tuple[LessonState, str]]:
    """The states of lessons in order, with their meanings."""
    order = [*LIVE, Status.RETIRED, Status.QUARANTINED, Status.SUPERSEDED]
    by_status = {state.status: state for state in report.lessons}
    return [(by_status[status], STATES[status]) for status in order if status in by_status]


def span(time: timedelta) -> str:
    """A duration in days, or in hours if it is short."""
    hours = int(time.total_seconds() // 3600)
    return f"{hours // 24} days" if hours >= 48 else f"{hours} hours"


def money(report: Report) -> str:
    """What models have cost today."""
    spent = report.spent
    calls, tokens = plural(spent.calls, "model call"), plural(spent.tokens, "token")
    return f"{calls}, {tokens}, ${spent.money:.2f}"


def queue(report: Report) -> str:
    """The counts of the queue."""
    counts = report.queue
    text = f"{counts.pending:,} waiting, {counts.in_flight:,} in flight, {counts.dead:,} given up"
    return f"{text}; see `hardwon reflect failed`" if counts.dead else text


def verdict(judged: LessonVerdict) -> str:
    """The verdict on a lesson."""
    return f"{judged.verdict}, retired" if judged.is_retired else judged.verdict


def rates(judged: LessonVerdict) -> str:
    """How often its failure came back in both arms; "" while there are too few runs."""
    if not judged.shown or not judged.withheld or judged.verdict.startswith(TOO_FEW):
        return ""
    with_it = f"{judged.shown_repeats / judged.shown:.0%} with"
    without = f"{judged.withheld_repeats / judged.withheld:.0%} without it"
    runs = f"{judged.shown:,} and {judged.withheld:,} runs"
    return f"its failure came back in {with_it} and {without} ({runs})"


def part(effect: PartEffect) -> str:
    """The name of a part of all lessons."""
    if effect.by == "door":
        return f"shown {DOORS.get(effect.name, effect.name)}"
    if effect.by == "project":
        return f"project {effect.name}" if effect.name else "no project"
    return f"worded by {_AUTHORS[effect.name]}" if effect.name in _AUTHORS else effect.name


def part_rates(effect: PartEffect) -> str:
    """How often the failure came back in both arms of a part."""
    if not effect.shown or not effect.withheld:
        return f"{effect.shown:,} shown, {effect.withheld:,} withheld"
    with_them = f"{effect.shown_repeats / effect.shown:.1%} with"
    without = f"{effect.withheld_repeats / effect.withheld:.1%} without"
    counts = f"{effect.shown:,} and {effect.withheld:,} cases"
    return f"came back in {with_them} and {without} ({counts})"


def savings(report: Report) -> list[str]:
    """What runs were told in time and what that saved, in sentences; empty if nothing was told."""
    seen = report.observed
    proven = [] if report.proof in ("", OFF) else [report.proof]
    if not seen.told:
        return proven
    avoided = seen.told - seen.followed - seen.failed
    sentences = [
        *proven,
        f"{plural(seen.told, 'time')} a run was told in time of a failure that lay ahead: "
        f"{seen.followed:,} followed what had worked, {avoided:,} did not meet it, {seen.failed:,} "
        f"failed all the same ({seen.failed / seen.told:.0%}).",
    ]
    if not seen.untold:
        return [*sentences, "Every run was told, so there is nothing to compare this with."]
    sentences.append(
        f"Runs that came to the same place without being told failed in "
        f"{seen.failed_untold / seen.untold:.0%} of {plural(seen.untold, 'case')}."
    )
    return [*sentences, *_estimate(report)]


def _estimate(report: Report) -> list[str]:
    """What was saved, as an estimate with its rule; or that nothing is certain."""
    seen = report.observed
    if seen.high < 0:
        return ["Runs that were told failed more often: look at what they were told."]
    if round(seen.low) < 1:
        return ["That is no difference beyond chance."]
    saved = (
        f"About {seen.avoided:,.0f} failures avoided (95 %: {seen.low:,.0f} to {seen.high:,.0f})"
    )
    cost = f"about {saving(report)} saved"
    rule = (
        "An estimate: the difference of the two shares, times what runs needed to get past these "
        f"failures when nobody told them. All that was told took {plural(report.tokens, 'token')}."
    )
    return [f"{saved}, {cost}.", rule]


def saving(report: Report) -> str:
    """The calls and the time that were saved, by estimate; "" if that may be chance."""
    seen = report.observed
    if round(seen.low) < 1:
        return ""
    is_short = seen.minutes < 120
    time = f"{seen.minutes:,.0f} minutes" if is_short else f"{seen.minutes / 60:,.1f} hours"
    return f"{seen.calls:,.0f} calls and {time}"


def kind_observed(kind: KindObserved) -> str:
    """How often runs failed at one kind of failure, told in time and not."""
    told = f"failed {kind.failed:,} of {plural(kind.told, 'time')} told"
    return f"{told}, {kind.failed_untold:,} of {kind.untold:,} not told"


_WAITS = {Status.CANDIDATE: "contradicts another", Status.QUARANTINED: "held back"}


def describe_item(item: Lesson, shown: Collection[int]) -> dict[str, Any]:
    """An item as plain values; `shown` are the ids of those that the start of a run shows."""
    states = {  # what is special about it; nothing for one that is shown like most
        "pinned": playbook.PINNED in item.tags,
        "doubtful": playbook.is_doubtful(item),
        _WAITS.get(item.status, item.status): item.status != Status.PROVEN,
        "no room at the start": item.status == Status.PROVEN and item.id not in shown,
    }
    worked, failed = (len(evidence_of(item, kind)) for kind in (Kind.CONFIRMED, Kind.WEAKENED))
    steps = [value.partition(": ")[2] for value in evidence_of(item, Kind.SHOWN_BY)]
    evidence = (
        "written by a person" if item.author == "person" else "",
        f"seen in {plural(len(steps), 'run')} (steps {steps[-1]})" if steps else "",
        f"worked in {plural(worked, 'later run')}" if worked else "",
        f"failed in {plural(failed, 'later run')}" if failed else "",
        *(f"contradicts #{other}" for other in evidence_of(item, Kind.DIFFERS)),
        *evidence_of(item, Kind.WITHDRAWN)[-1:],
    )
    return {
        "id": item.id,
        "sort": playbook.sort_of(item),
        "states": [state for state, is_so in states.items() if is_so],
        "is_pinned": playbook.PINNED in item.tags,
        "when": "" if item.headline() == "note" else item.situation,
        "wrong": "" if item.mistake == USER_SUPPLIED else item.mistake,
        "do": item.correction,
        "needed": f"needed again {plural(item.met - 1, 'time')}" if item.met > 1 else "",
        "evidence": ", ".join(piece for piece in evidence if piece),
        "met": item.met,
        "saves": round(playbook.saves(item), 2),
        "author": item.author,
    }


_SAME, _GONE, _NEW = "same", "gone", "new"  # parts of a difference
_ALIKE = 0.5  # calls with less in common are not compared word by word
_COMPARED = ("status", "situation", "mistake", "correction", "tags", "guard")


def cases(lesson: Lesson) -> list[dict[str, Any]]:
    """What runs called: the call that failed and the one that worked, the likeliest first."""
    found = []
    for fix in lesson.fixes:
        if fix.mistake and fix.call and fix.mistake != fix.call:
            old, new = _pieces(fix.mistake), _pieces(fix.call)
            likeness = difflib.SequenceMatcher(a=old, b=new, autojunk=False).ratio()
            changes = diff(fix.mistake, fix.call) if likeness > _ALIKE else []
            found.append({"failed": fix.mistake, "worked": fix.call, "diff": changes})
    return found


def _pieces(text: str) -> list[str]:
    return re.findall(r"\s+|\w+|[^\w\s]", text)


def diff(before: str, after: str) -> list[tuple[str, str]]:
    """The differences of two texts, word by word: (same | gone | new, text)."""
    old, new = _pieces(before), _pieces(after)
    parts: list[tuple[str, str]] = []
    matcher = difflib.SequenceMatcher(a=old, b=new, autojunk=False)
    for _, start, end, first, last in matcher.get_opcodes():
        removed, added = "".join(old[start:end]), "".join(new[first:last])
        if removed == added:
            parts.append((_SAME, removed))
        else:
            parts += [(mark, text) for mark, text in ((_GONE, removed), (_NEW, added)) if text]
    return parts


def fixes(lesson: Lesson) -> list[dict[str, Any]]:
    """The fixes of a lesson, with their counts."""
    return [
        {**fix._asdict(), "is_proven": fix.is_proven, "tried": fix.worked + fix.failed}
        for fix in lesson.fixes
    ]


def provenance(lesson: Lesson) -> list[dict[str, Any]]:
    """The origin of a lesson, oldest first as far as times are known."""
    rows = []
    for piece, label, words, at in evidence(lesson):
        is_lesson = piece.kind in (Kind.PARENT, Kind.DIFFERS) and words.isdecimal()
        told, number = label[0].upper() + label[1:], int(words) if is_lesson else None
        rows.append({"told": told, "value": words, "lesson": number, "at": at or ""})
    return rows


def describe_verdict(judged: LessonVerdict) -> dict[str, Any]:
    """What the hold-out shows about a lesson: in how many of its runs the failure came back."""
    return {
        "lesson": judged.lesson,
        "text": judged.text,
        "verdict": verdict(judged),
        "helps": judged.helps,
        "shown": [judged.shown_repeats, judged.shown],
        "withheld": [judged.withheld_repeats, judged.withheld],
    }


def describe_changes(lesson: Lesson, changes: Sequence[Change]) -> list[dict[str, Any]]:
    """Each change, newest first, with what it changed."""
    rows, after = [], _texts(lesson)
    for change in changes:
        before = _texts(change.before)
        changed = [name for name in before if before[name] != after[name]]
        fields = [{"name": name, "diff": diff(before[name], after[name])} for name in changed]
        rows.append({"act": change.act, "at": change.at, "fields": fields})
        after = before
    return rows


def _texts(lesson: Lesson) -> dict[str, str]:
    """What a change of a lesson may change, as texts."""
    texts = {}
    for name in _COMPARED:
        value = getattr(lesson, name)
        if isinstance(value, bool):
            value = "yes" if value else "no"
        texts[name] = ", ".join(value) if isinstance(value, tuple) else str(value)
    texts["denied calls"] = "\n".join(guard_of(lesson).calls if lesson.guard else ())
    return texts


def life(lesson: Lesson) -> list[dict[str, Any]]:
    """The main dates of a lesson: made, approved, last shown."""
    moments = [("made", lesson.created_at)]
    for piece in lesson.evidence:
        if piece.kind == Kind.APPROVED and piece.at > 0:
            moments.append(("approved", datetime.fromtimestamp(piece.at, UTC)))
    if lesson.hits:
        moments.append(("last shown", lesson.last_seen_at))
    moments.sort(key=lambda moment: moment[1])
    return [{"what": event, "at": at} for event, at in moments]
