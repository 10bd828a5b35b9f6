"""One dream: look at every lesson, decide what to change, change it, write a report.

Recurring errors and proposals against them come by rules, or worded by a model.
"""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import nullcontext
from typing import Any, NamedTuple
from uuid import uuid4

from hardwon.core.errors import BadReply, HardwonError, NotFound, Unavailable
from hardwon.core.text.clean import clip, one_line, plural
from hardwon.core.text.grounding import fold_text, is_generic, keep_supported
from hardwon.core.text.protocol import SCHEMA, json_object, parse, schema_of, text_in, texts_in
from hardwon.core.text.redact import redact
from hardwon.core.time_limits import run_sync
from hardwon.core.values.dream import CONSOLIDATING, DISPUTED, Dream, DreamState, Edit, Words
from hardwon.core.values.lesson import Kind, Lesson, Status, evidence_of
from hardwon.core.values.reflection import Reflection
from hardwon.core.values.scope import Scope
from hardwon.engine.pipeline.screen import screen_lesson
from hardwon.engine.runtime import Runtime, prompt_text
from hardwon.knowledge.ranking.duplicates import (
    Conflict,
    Sketch,
    compare,
    is_warning,
    particulars,
    sketch,
)
from hardwon.knowledge.reading.signature import fold
from hardwon.learn.maintenance import apply
from hardwon.models import ask
from hardwon.storage.ports import Request

log = logging.getLogger("hardwon")
_CHUNK = 500  # lessons in one transaction: other writers get their turn in between
_MERGED = 500  # most lessons merged into one; the next dream merges the remainder
_LOOKED_AT = 5000  # most runs, and most goals, of all projects together
_PACE = 500  # lessons between two looks at the clock
_EVIDENCE_SHOWN = 5
_LISTED = 25
_TITLES = {
    "merged": "Merged",
    "promoted": "Promoted to all projects",
    "reworded": "Reworded",
    "disputed": "Contradictions",
    "retired": "Retired",
}


class Stopped(Exception):
    """The dream ends here; what it has done stays, and can be undone."""


class Consolidation:
    """The state of one dream: what it has found so far."""

    def __init__(
        self,
        engine: Runtime,
        scope: Scope,
        *,
        dry_run: bool,
        stop: Callable[[], bool],
        tell: Callable[[int, int], None],
    ) -> None:
        self.engine = engine
        self.dry_run = dry_run
        self.asked = scope  # the scope the dream was requested in
        self.scope = scope.everywhere()
        self.now = engine.clock()
        self.lessons = 0
        self.projects: set[str] = set()
        self.sketches: list[Sketch] = []
        self.unworded: list[tuple[Scope, int]] = []
        self.edits: list[Edit] = []
        self.conflicts: list[Conflict] = []
        self.near: list[tuple[int, int]] = []
        self.past = Memories()
        self.patterns: list[RecurringError] = []
        self.reflection = ""
        self.improvements: tuple[str, ...] = ()
        self.troubles: list[str] = []
        self._stop = stop
        self.tell = tell
        self._end = time.monotonic() + engine.settings.dream.budget.total_seconds()

    def describe_past(self) -> str:
        """What was looked at, in words."""
        goals = len({(goal.scope, goal.subject) for goal in self.past.goals})
        runs = plural(len(self.past.runs), "run")
        return f"{plural(self.lessons, 'lesson')}, {plural(goals, 'goal')}, {runs}"

    def check_time(self) -> None:
        """Raise Stopped when it is time to stop."""
        if self._stop() or time.monotonic() > self._end:
            raise Stopped

    def pace(self, items: Iterable[Any]) -> Iterator[Any]:
        """The items, with a look at the clock now and then."""
        for number, item in enumerate(items):
            if number % _PACE == 0:
                self.check_time()
            yield item


def dream(work: Consolidation) -> Dream:
    """Consolidate the lessons of an agent; return the dream's row with its report."""
    engine, row = work.engine, Dream(str(uuid4()), work.scope, work.now)
    if work.dry_run:
        return _run_to_end(work, row)
    with apply.lease(engine, row) or nullcontext():
        engine.store.dreams.save(row)
        try:
            row = _run_to_end(work, row)
        except BaseException:
            apply.mark_dead(engine, row)
            raise
        engine.store.dreams.save(row)
    return row


def _run_to_end(work: Consolidation, row: Dream) -> Dream:
    """Run the dream; its row with the results."""
    began = time.monotonic()
    state, applied = _run(work, row.id)
    row = row._replace(
        duration_seconds=round(time.monotonic() - began, 3),
        memories_consolidated=sum(
            len(edit.lessons) for edit in applied if edit.kind in CONSOLIDATING
        ),
        reflection=work.reflection[:2000],
        improvements=work.improvements,
        state=state,
    )
    return row._replace(report=report(row, work, applied))


def _run(work: Consolidation, dream_id: str) -> tuple[str, list[Edit]]:
    """Run the phases in order; how it ended, and the edits made (or proposed by a dry run)."""
    applied: list[Edit] = []
    try:
        for number, phase in enumerate(PHASES):
            work.tell(number, len(PHASES))
            work.check_time()
            try:
                phase(work)
            except Stopped:
                raise
            except Exception as error:  # the other phases go on
                log.exception("the dream's phase %r failed", phase.__name__)
                work.troubles.append(f"{phase.__name__}: {error}")
        if work.dry_run:
            return DreamState.DONE, work.edits
        chunks = list(_chunks(work.edits[: work.engine.settings.dream.changes]))
        for number, chunk in enumerate(chunks, len(PHASES)):
            work.tell(number, len(PHASES) + len(chunks))
            work.check_time()
            applied += apply.apply(work.engine, dream_id, chunk, work.now)
    except Stopped:
        return DreamState.WOKEN, applied
    return DreamState.DONE, applied


def _chunks(edits: Iterable[Edit]) -> Iterator[list[Edit]]:
    """The edits in chunks that touch about `_CHUNK` lessons each."""
    chunk: list[Edit] = []
    touched = 0
    for edit in edits:
        chunk.append(edit)
        touched += len(edit.lessons)
        if touched >= _CHUNK:
            yield chunk
            chunk, touched = [], 0
    if chunk:
        yield chunk


def survey(work: Consolidation) -> None:
    """Sketch every lesson, and retire those that are expired or stale."""
    for lesson in work.pace(work.engine.store.dreams.lessons(work.scope)):
        work.lessons += 1
        if lesson.scope.project:
            work.projects.add(lesson.scope.project)
        if reason := _why_retired(lesson, work):
            places = ((lesson.scope, lesson.id),)
            work.edits.append(Edit("retired", reason, places, status=Status.RETIRED))
            continue
        if lesson.scope.claimed_project() is None:  # what is kept apart must not reach others
            work.sketches.append(sketch(lesson))
        # A person's words are left as they are.
        if lesson.author != "person" and evidence_of(lesson, Kind.REWORD):
            work.unworded.append((lesson.scope, lesson.id))


def consolidate(work: Consolidation) -> None:
    """Merge lessons that say the same; promote what several projects say to all projects."""
    groups, work.conflicts, work.near = compare(work.pace(work.sketches))
    parts = ((alike, -(-len(alike) // _MERGED)) for alike in groups)  # even, and small enough
    for group in (alike[at::count] for alike, count in parts for at in range(count)):
        scopes = {sketch.scope for sketch in group}
        places = tuple((sketch.scope, sketch.id) for sketch in group)
        if len(scopes) == 1:
            work.edits.append(Edit("merged", "they say the same", places, target=scopes.pop()))
        else:
            projects = sum(scope.project is not None for scope in scopes)
            reason = f"seen in {projects} projects" if projects > 1 else "holds everywhere already"
            work.edits.append(Edit("promoted", reason, places, target=work.scope))


def dispute(work: Consolidation) -> None:
    """Flag lessons that contradict each other, for a person to decide."""
    scopes = {sketch.id: sketch.scope for sketch in work.sketches}
    for pair in work.conflicts:
        places = tuple((scopes[number], number) for number in (pair.first, pair.second))
        work.edits.append(Edit("disputed", pair.why, places, status="", tag=DISPUTED))


def reword(work: Consolidation) -> None:
    """Ask the model to reword lessons that rules worded; a dry run does not ask."""
    if not work.engine.has_model:
        return
    edited = {number for edit in work.edits for _, number in edit.lessons}
    free = [place for place in work.unworded if place[1] not in edited]
    for place in free[: work.engine.settings.dream.reworded]:
        work.check_time()
        try:
            words = None if work.dry_run else better_words(work.engine, place)
        except HardwonError as error:  # the budget is spent, or the model is away
            work.troubles.append(f"reword: {error}")
            return
        if words or work.dry_run:
            reason = f"by {words.author if words else work.engine.model.name}"
            edit = Edit("reworded", reason, (place,), target=place[0], words=words)
            work.edits.append(edit)


def look_back(work: Consolidation) -> None:
    """Find what keeps failing, and propose what to do about it."""
    store = work.engine.store
    scopes = {work.scope, work.asked, *store.dreams.scopes(work.scope)}
    goals: list[Reflection] = []
    try:
        goals = store.reflections.every(work.scope, now=work.now, limit=_LOOKED_AT)
    except Unavailable as error:  # a shared store is away
        work.troubles.append(f"goals: {error}")
    work.past = Memories(
        goals,
        store.runs.every(work.scope, now=work.now, limit=_LOOKED_AT),
        [pair for scope in scopes for pair in store.failures.commonest(scope, limit=200)],
    )
    scoped = (*work.past.goals, *work.past.runs)
    work.projects.update(
        reflection.scope.project for reflection in scoped if reflection.scope.project
    )
    work.patterns = recurring_errors(work.past)
    work.reflection, work.improvements = conclude(
        work.engine, work.patterns, work.conflicts, seen=work.describe_past()
    )


PHASES: tuple[Callable[[Consolidation], None], ...] = (
    survey,
    consolidate,
    dispute,
    look_back,
    reword,
)


def _why_retired(lesson: Lesson, work: Consolidation) -> str:
    """Why a lesson is retired; "" when it is not."""
    if lesson.expires_at and lesson.expires_at <= work.now:
        return "its time is over"
    unused = work.now - max(lesson.last_seen_at, lesson.updated_at)
    is_weak = lesson.hits == 0 and lesson.met <= 1 and lesson.confidence < 0.5
    if is_weak and unused > work.engine.settings.dream.stale:
        return f"unsure, and neither shown nor met for {unused.days} days"
    return ""


def better_words(engine: Runtime, place: tuple[Scope, int]) -> Words | None:
    """The lesson as the model words it; None if that is no better or says something else."""
    lesson = engine.store.lessons.get(*place)
    evidence = [one_line(str(piece), 300) for piece in lesson.evidence if piece.kind != Kind.REWORD]
    prompt = "\n".join([lesson.render(), "EVIDENCE:", *evidence[-_EVIDENCE_SHOWN:]])
    request = Request(prompt_text("reword"), prompt, max_tokens=400, schema=SCHEMA)
    try:
        blocks, author = run_sync(lambda: ask(engine.model, request, parse))
    except BadReply:
        return None
    if blocks is None:
        return None
    mistake = blocks.mistake or lesson.mistake
    new = screen_lesson(
        lesson._replace(situation=blocks.situation, mistake=mistake, correction=blocks.correction)
    )
    if new.status != lesson.status or not _says_the_same(lesson, new):
        return None
    return Words(new.situation, new.mistake, new.correction, author)


def _says_the_same(old: Lesson, new: Lesson) -> bool:
    """Whether no number, option, code or warning was lost, and none was made up."""
    before, after = (
        set(particulars(f"{lesson.situation} {lesson.mistake} {lesson.correction}"))
        for lesson in (old, new)
    )
    keeps_all = set(particulars(old.correction)) <= set(particulars(new.correction))
    warns = is_warning(old.correction) == is_warning(new.correction)
    return keeps_all and warns and after <= before


def report(row: Dream, work: Consolidation, applied: Sequence[Edit]) -> str:
    """What the dream found and did, in sections; empty ones are left out."""
    by_kind = {kind: [edit for edit in applied if edit.kind == kind] for kind in _TITLES}
    parts = [
        [_head(row, work)],
        *(
            _list(
                _TITLES[kind],
                [_edit_line(edit, work.engine) for edit in edits[:_LISTED]],
                total=len(edits),
            )
            for kind, edits in by_kind.items()
        ),
        _list("Nearly the same; keep both or delete one", [f"#{a} ↔ #{b}" for a, b in work.near]),
        _list("Failure patterns", [f"{p.kind} ×{p.times}  {p.text}" for p in work.patterns]),
        _list("Proposed improvements", work.improvements),
        _list("Troubles", work.troubles),
        [f"Reflection: {row.reflection}"] if row.reflection else [],
    ]
    return "\n\n".join("\n".join(part) for part in parts if part)


def _head(row: Dream, work: Consolidation) -> str:
    kind = "Dry run (nothing was changed)" if work.dry_run else f"Dream {row.id[:8]}"
    ending = ", woken before its end" if row.state == DreamState.WOKEN else ""
    return (
        f"{kind} of {row.scope.tenant}/{row.scope.agent},"
        f" {row.started_at:%Y-%m-%d %H:%M} UTC, {row.duration_seconds:.1f} s{ending}\n"
        f"Looked at {work.describe_past()}, {plural(len(work.projects), 'project')}."
    )


def _list(title: str, lines: Sequence[str], *, total: int = 0) -> list[str]:
    if not lines:
        return []
    total = total or len(lines)
    remainder = [f"  … and {total - _LISTED} more"] if total > _LISTED else []
    return [
        f"{title} ({total})",
        *(f"  {one_line(line, 200)}" for line in lines[:_LISTED]),
        *remainder,
    ]


def _edit_line(edit: Edit, engine: Runtime) -> str:
    sign = " ↔ " if edit.tag else " + "
    numbers = sign.join(f"#{number}" for _, number in edit.lessons[:8])
    more = " + …" if len(edit.lessons) > 8 else ""
    try:
        words = clip(one_line(engine.store.lessons.get(*edit.lessons[0]).correction), 80)
    except NotFound:
        words = ""
    return f"{numbers}{more} ({edit.reason})  {words}"


_KEPT, _PROPOSED, _RISKY = 20, 5, 3
_SLOW = 5000  # milliseconds
_TIMEOUT = r"(?i:tim(?:ed|e)[ -]?out|deadline exceeded)"
_CONCLUSION = schema_of(
    reflection={"type": "string"}, improvements={"type": "array", "items": {"type": "string"}}
)
_ADVICE = {
    "timeout": "“{text}” ran out of time (×{count}): give it more, or less to do",
    "slow": "“{text}” was slow (×{count}): split it, or keep what it has found",
    "repeated": "“{text}” came back (×{count}): its lesson is missing, or is not heeded",
    "error": "“{text}” failed: see whether a lesson names it",
}


class RecurringError(NamedTuple):
    """Something that went wrong, how often, and of what kind."""

    kind: str  # timeout, slow, repeated, error
    text: str
    times: int

    @property
    def is_risky(self) -> bool:
        """Whether it happens often enough to expect it again."""
        return self.times >= _RISKY


class Memories(NamedTuple):
    """Goals and runs that a dream looks at, besides lessons."""

    goals: Sequence[Reflection] = ()
    runs: Sequence[Reflection] = ()
    failures: Sequence[tuple[str, int]] = ()  # readable signatures, and how often met


def recurring_errors(past: Memories) -> list[RecurringError]:
    """The patterns behind ended goals, noted runs and counted failures, the commonest first."""
    counts: dict[tuple[str, str], int] = {}
    texts: dict[tuple[str, str], str] = {}
    for text, how, times in _problems(past):
        key = (fold(text), how)
        texts.setdefault(key, text)
        counts[key] = counts.get(key, 0) + times
    errors = []
    for key, times in counts.items():
        text, kind = texts[key], "repeated" if times >= _RISKY else "error"
        if re.search(_TIMEOUT, text):
            kind = "timeout"
        elif key[1] == "slow":
            kind = "slow"
        errors.append(RecurringError(kind, text, times))
    return sorted(errors, key=lambda error: (-error.times, error.text))[:_KEPT]


def _problems(past: Memories) -> Iterator[tuple[str, str, int]]:
    """What failed or was slow, and how often; a goal without an error counts by its objective."""
    for goal in past.goals:
        if goal.state == "failed":
            errors = goal.details.get("errors") or [goal.title or goal.subject]
            yield from ((str(error), "failure", 1) for error in errors)
    for run in past.runs:
        detail = run.details
        if not detail.get("success", True):
            is_late = re.search(_TIMEOUT, run.insight)
            yield run.insight if is_late else run.subject, "failure", 1
        elif detail.get("duration_ms", 0) > _SLOW:
            yield run.subject, "slow", 1
    yield from ((text, "failure", times) for text, times in past.failures)


def conclude(
    engine: Runtime, errors: Sequence[RecurringError], conflicts: Sequence[Conflict], *, seen: str
) -> tuple[str, tuple[str, ...]]:
    """One line of reflection, and at most five improvements."""
    by_rules = proposals(errors, conflicts)
    risky = sum(error.is_risky for error in errors)
    often = f"; {risky} of {len(errors)} failure patterns happened {_RISKY} times or more"
    disputes = plural(len(conflicts), "contradiction")
    reflection = f"{seen}, {disputes}{often if errors else ''}"
    if not engine.has_model:
        return reflection, by_rules
    counts = "\n".join((reflection, *by_rules))
    request = Request(prompt_text("dream"), counts, max_tokens=400, schema=_CONCLUSION)
    try:
        (words, improvements), _ = run_sync(lambda: ask(engine.model, request, _parse_conclusion))
    except HardwonError:
        return reflection, by_rules
    grounds = fold_text(counts)
    kept = [keep_supported(line, grounds)[0] for line in (words, *improvements)]
    return kept[0] or reflection, tuple(filter(None, kept[1:])) or by_rules


def _parse_conclusion(reply: str) -> tuple[str, tuple[str, ...]]:
    """Reflection and improvements from a model's answer; BadReply without a reflection."""
    answer = json_object(reply, ("reflection",))
    words = one_line(redact(text_in(answer, "reflection", 300)))
    if not words:
        raise BadReply("a reflection", reply)
    improvements = texts_in(answer, "improvements", 300, most=_PROPOSED)
    return words, tuple(one_line(redact(line)) for line in improvements if not is_generic(line))


def proposals(errors: Sequence[RecurringError], conflicts: Sequence[Conflict]) -> tuple[str, ...]:
    """What rules propose: settle contradictions, then see to what happens most."""
    disputes = [
        f"Lessons #{pair.first} and #{pair.second} contradict each other: say when each holds"
        for pair in conflicts[:2]
    ]
    risky = [error for error in errors if error.is_risky or error.kind == "timeout"]
    advice = [
        _ADVICE[error.kind].format(text=clip(one_line(error.text), 120), count=error.times)
        for error in risky
    ]
    return tuple([*disputes, *advice][:_PROPOSED])
