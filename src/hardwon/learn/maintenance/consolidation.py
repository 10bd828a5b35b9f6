"""One dream: look at every lesson, decide what to change, change it, write a report.

Recurring errors and proposals against them come by rules, or worded by a model.
"""

from __future__ import annotations

import logging
import re
import time
from collections import Counter
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
    """One dream over all lessons of an agent, in all its projects."""

    def __init__(
        self,
        engine: Runtime,
        scope: Scope,
        *,
        dry_run: bool,
        stop: Callable[[], bool],
        tell: Callable[[int, int], None],
    ) -> None:
        self._engine, self._store, self._now = engine, engine.store, engine.clock()
        self._asked, self._scope = scope, scope.everywhere()
        self._dry_run, self._stop, self._tell = dry_run, stop, tell
        self._end = time.monotonic() + engine.settings.dream.budget.total_seconds()
        self._lessons, self._seen = 0, ""
        self._projects: set[str] = set()
        self._sketches: list[Sketch] = []
        self._unworded: list[tuple[Scope, int]] = []
        self._edits: list[Edit] = []
        self._conflicts: list[Conflict] = []
        self._near: list[tuple[int, int]] = []
        self._patterns: list[RecurringError] = []
        self._reflection, self._improvements = "", tuple[str, ...]()
        self._troubles: list[str] = []

    def run(self) -> Dream:
        """Consolidate the lessons; the dream's row with its report."""
        row = Dream(str(uuid4()), self._scope, self._now)
        if self._dry_run:
            return self._run_phases(row)
        with apply.lease(self._engine, row) or nullcontext():
            self._store.dreams.save(row)
            try:
                row = self._run_phases(row)
            except BaseException:
                apply.mark_dead(self._engine, row)
                raise
            self._store.dreams.save(row)
        return row

    def _run_phases(self, row: Dream) -> Dream:
        """Run the phases in order, then make the edits, which a dry run only proposes."""
        began, state, applied = time.monotonic(), DreamState.DONE, list[Edit]()
        try:
            for number, phase in enumerate(_PHASES):
                self._tell(number, len(_PHASES))
                self._check_time()
                self._try(phase)
            edits = self._edits[: self._engine.settings.dream.changes]
            chunks = [] if self._dry_run else list(_chunks(edits))
            applied = self._edits if self._dry_run else []
            for number, chunk in enumerate(chunks, len(_PHASES)):
                self._tell(number, len(_PHASES) + len(chunks))
                self._check_time()
                applied += apply.apply(self._engine, row.id, chunk, self._now)
        except Stopped:
            state = DreamState.WOKEN
        merged = (edit for edit in applied if edit.kind in CONSOLIDATING)
        row = row._replace(
            duration_seconds=round(time.monotonic() - began, 3),
            memories_consolidated=sum(len(edit.lessons) for edit in merged),
            reflection=self._reflection[:2000],
            improvements=self._improvements,
            state=state,
        )
        return row._replace(report=self._report(row, applied))

    def _try(self, phase: Callable[[Consolidation], None]) -> None:
        """Run a phase; when it fails, the others go on."""
        name = phase.__name__.strip("_")
        try:
            phase(self)
        except Stopped:
            raise
        except Exception as error:
            log.exception("the dream's phase %r failed", name)
            self._troubles.append(f"{name}: {error}")

    def _check_time(self) -> None:
        """Raise Stopped when it is time to stop."""
        if self._stop() or time.monotonic() > self._end:
            raise Stopped

    def _pace(self, items: Iterable[Any]) -> Iterator[Any]:
        """The items, with a look at the clock now and then."""
        for number, item in enumerate(items):
            if number % _PACE == 0:
                self._check_time()
            yield item

    def _survey(self) -> None:
        """Sketch every lesson, and retire those that are expired or stale."""
        for lesson in self._pace(self._store.dreams.lessons(self._scope)):
            self._lessons += 1
            if lesson.scope.project:
                self._projects.add(lesson.scope.project)
            if reason := self._why_retired(lesson):
                places = ((lesson.scope, lesson.id),)
                self._edits.append(Edit("retired", reason, places, status=Status.RETIRED))
                continue
            if lesson.scope.claimed_project() is None:  # what is kept apart must not reach others
                self._sketches.append(sketch(lesson))
            # A person's words are left as they are.
            if lesson.author != "person" and evidence_of(lesson, Kind.REWORD):
                self._unworded.append((lesson.scope, lesson.id))

    def _why_retired(self, lesson: Lesson) -> str:
        """Why a lesson is retired; "" when it is not."""
        if lesson.expires_at and lesson.expires_at <= self._now:
            return "its time is over"
        unused = self._now - max(lesson.last_seen_at, lesson.updated_at)
        is_weak = lesson.hits == 0 and lesson.met <= 1 and lesson.confidence < 0.5
        if is_weak and unused > self._engine.settings.dream.stale:
            return f"unsure, and neither shown nor met for {unused.days} days"
        return ""

    def _consolidate(self) -> None:
        """Merge lessons that say the same, promote what several projects say, flag conflicts."""
        groups, self._conflicts, self._near = compare(self._pace(self._sketches))
        parts = ((alike, -(-len(alike) // _MERGED)) for alike in groups)  # even, and small enough
        for group in (alike[at::count] for alike, count in parts for at in range(count)):
            scopes = {sketch.scope for sketch in group}
            places = tuple((sketch.scope, sketch.id) for sketch in group)
            if len(scopes) == 1:
                edit = Edit("merged", "they say the same", places, target=scopes.pop())
            else:
                many = sum(scope.project is not None for scope in scopes)
                reason = f"seen in {many} projects" if many > 1 else "holds everywhere already"
                edit = Edit("promoted", reason, places, target=self._scope)
            self._edits.append(edit)
        where = {sketch.id: sketch.scope for sketch in self._sketches}
        for pair in self._conflicts:  # a person decides
            pairs = tuple((where[number], number) for number in (pair.first, pair.second))
            self._edits.append(Edit("disputed", pair.why, pairs, status="", tag=DISPUTED))

    def _look_back(self) -> None:
        """Find what keeps failing, and propose what to do about it."""
        store, now = self._store, self._now
        goals: list[Reflection] = []
        try:
            goals = store.reflections.every(self._scope, now=now, limit=_LOOKED_AT)
        except Unavailable as error:  # a shared store is away
            self._troubles.append(f"goals: {error}")
        runs = store.runs.every(self._scope, now=now, limit=_LOOKED_AT)
        scopes = {self._scope, self._asked, *store.dreams.scopes(self._scope)}
        counts = [pair for scope in scopes for pair in store.failures.commonest(scope, limit=200)]
        self._projects.update(one.scope.project for one in (*goals, *runs) if one.scope.project)
        ended = len({(goal.scope, goal.subject) for goal in goals})
        self._seen = f", {plural(ended, 'goal')}, {plural(len(runs), 'run')}"
        self._patterns = recurring_errors(_problems(goals, runs, counts))
        self._reflection, self._improvements = conclude(
            self._engine, self._patterns, self._conflicts, seen=self._describe_past()
        )

    def _describe_past(self) -> str:
        """What was looked at, in words."""
        return f"{plural(self._lessons, 'lesson')}{self._seen or ', 0 goals, 0 runs'}"

    def _reword(self) -> None:
        """Ask the model to reword lessons that rules worded; a dry run does not ask."""
        if not self._engine.has_model:
            return
        edited = {number for edit in self._edits for _, number in edit.lessons}
        free = [place for place in self._unworded if place[1] not in edited]
        for place in free[: self._engine.settings.dream.reworded]:
            self._check_time()
            try:
                words = None if self._dry_run else better_words(self._engine, place)
            except HardwonError as error:  # the budget is spent, or the model is away
                self._troubles.append(f"reword: {error}")
                return
            if words or self._dry_run:
                reason = f"by {words.author if words else self._engine.model.name}"
                edit = Edit("reworded", reason, (place,), target=place[0], words=words)
                self._edits.append(edit)

    def _report(self, row: Dream, applied: Sequence[Edit]) -> str:
        """What the dream found and did, in sections; empty ones are left out."""
        kind = "Dry run (nothing was changed)" if self._dry_run else f"Dream {row.id[:8]}"
        ending = ", woken before its end" if row.state == DreamState.WOKEN else ""
        head = (
            f"{kind} of {row.scope.tenant}/{row.scope.agent},"
            f" {row.started_at:%Y-%m-%d %H:%M} UTC, {row.duration_seconds:.1f} s{ending}\n"
            f"Looked at {self._describe_past()}, {plural(len(self._projects), 'project')}."
        )
        sections: dict[str, Sequence[Any]] = {
            title: [edit for edit in applied if edit.kind == kind]
            for kind, title in _TITLES.items()
        }
        sections["Nearly the same; keep both or delete one"] = [
            f"#{one} ↔ #{other}" for one, other in self._near
        ]
        sections["Failure patterns"] = [f"{p.kind} ×{p.times}  {p.text}" for p in self._patterns]
        sections["Proposed improvements"] = self._improvements
        sections["Troubles"] = self._troubles
        parts = [head, *(self._list(*section) for section in sections.items() if section[1])]
        parts += [f"Reflection: {row.reflection}"] if row.reflection else []
        return "\n\n".join(parts)

    def _list(self, title: str, items: Sequence[Any]) -> str:
        """The first items below their title and number."""
        lines = [self._line(one) if isinstance(one, Edit) else one for one in items[:_LISTED]]
        more = [f"… and {len(items) - _LISTED} more"] if len(items) > _LISTED else []
        listed = (f"  {one_line(line, 200)}" for line in (*lines, *more))
        return "\n".join([f"{title} ({len(items)})", *listed])

    def _line(self, edit: Edit) -> str:
        sign = " ↔ " if edit.tag else " + "
        numbers = sign.join(f"#{number}" for _, number in edit.lessons[:8])
        more = " + …" if len(edit.lessons) > 8 else ""
        try:
            words = clip(one_line(self._store.lessons.get(*edit.lessons[0]).correction), 80)
        except NotFound:
            words = ""
        return f"{numbers}{more} ({edit.reason})  {words}"


_PHASES: tuple[Callable[[Consolidation], None], ...] = (
    Consolidation._survey,
    Consolidation._consolidate,
    Consolidation._look_back,
    Consolidation._reword,
)


def _chunks(edits: Iterable[Edit]) -> Iterator[list[Edit]]:
    """The edits in chunks that touch about `_CHUNK` lessons each."""
    chunk: list[Edit] = []
    for edit in edits:
        chunk.append(edit)
        if sum(len(one.lessons) for one in chunk) >= _CHUNK:
            yield chunk
            chunk = []
    if chunk:
        yield chunk


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


def recurring_errors(problems: Iterable[tuple[str, str, int]]) -> list[RecurringError]:
    """The patterns behind problems, each a text, how it went wrong, and how often."""
    counts, texts = Counter[tuple[str, str]](), dict[tuple[str, str], str]()
    for text, how, times in problems:
        key = (fold(text), how)
        texts.setdefault(key, text)
        counts[key] += times
    errors = []
    for key, times in counts.items():
        text, kind = texts[key], "repeated" if times >= _RISKY else "error"
        if re.search(_TIMEOUT, text):
            kind = "timeout"
        elif key[1] == "slow":
            kind = "slow"
        errors.append(RecurringError(kind, text, times))
    return sorted(errors, key=lambda error: (-error.times, error.text))[:_KEPT]


def _problems(
    goals: Iterable[Reflection], runs: Iterable[Reflection], counts: Iterable[tuple[str, int]]
) -> Iterator[tuple[str, str, int]]:
    """What failed or was slow, and how often; a goal without an error counts by its objective.

    `counts` are readable signatures of failures, and how often each was met.
    """
    for goal in goals:
        if goal.state == "failed":
            errors = goal.details.get("errors") or [goal.title or goal.subject]
            yield from ((str(error), "failure", 1) for error in errors)
    for run in runs:
        detail = run.details
        if not detail.get("success", True):
            is_late = re.search(_TIMEOUT, run.insight)
            yield run.insight if is_late else run.subject, "failure", 1
        elif detail.get("duration_ms", 0) > _SLOW:
            yield run.subject, "slow", 1
    yield from ((text, "failure", times) for text, times in counts)


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
