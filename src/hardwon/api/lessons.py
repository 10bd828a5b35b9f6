"""The lessons of an agent: list, search, change, merge, export and import."""

from __future__ import annotations

import gc
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from threading import Lock
from typing import TYPE_CHECKING, Any, Unpack

from hardwon.core.errors import InvalidInput, NotAllowed, NotFound, StorageError, no_change
from hardwon.core.text.clean import require_text
from hardwon.core.values import lesson_formats as formats
from hardwon.core.values.dream import merge_lessons
from hardwon.core.values.lesson import (
    FORBIDDEN,
    LIVE,
    RETIRE,
    Change,
    Kind,
    Lesson,
    Status,
    approve_lesson,
    descendants,
    unique,
    with_evidence,
)
from hardwon.core.values.lesson_formats import LessonDetails, LessonEdits
from hardwon.core.values.report import Exposure, LessonVerdict, Place
from hardwon.core.values.scope import Scope
from hardwon.knowledge.reading import call_keys

if TYPE_CHECKING:
    from hardwon.engine.runtime import Runtime


MOST, MOST_FOUND = 10_000, 200  # what `list` and `search` give at once
MERGED = "merged"  # the origin of a lesson that a person made of several
_EVERY = 2**63 - 1  # databases take no greater limit
_AT_ONCE = 64  # imported lessons for which a server is asked together


class Lessons:
    """The lessons an agent sees: its project's and those that hold everywhere."""

    def __init__(self, engine: Runtime, own: Scope) -> None:
        self._engine = engine
        self._scope = own
        self._own = own.changeable()  # the scopes whose lessons may be changed

    def add(self, situation: str, correction: str, **more: Unpack[LessonDetails]) -> Lesson:
        """Store a lesson in your own words: when it applies, and what to do then.

        With `kinds` the lesson is shown when one of these failure kinds happens.
        """
        unknown = more.keys() - LessonDetails.__annotations__.keys()
        if unknown:
            raise InvalidInput(f"a lesson has no {', '.join(sorted(unknown))}")
        lesson = Lesson(
            self._scope,
            require_text(situation, "situation", 800),
            require_text(correction, "correction"),
            origin="manual",
            author="person",
            **{"importance": 0.8, "confidence": 0.9, **_plain(more)},
        )
        return self._engine.keep(formats.check_lesson(lesson))

    def get(self, number: int) -> Lesson:
        """One lesson, or NotFound."""
        _count_deliveries(self._engine, self._scope)
        return self._engine.store.lessons.get(self._scope, number)

    def exposures(self, number: int) -> Sequence[Exposure]:
        """Where one lesson was shown, and what happened then; or NotFound."""
        lesson = self._engine.store.lessons.get(self._scope, number)
        return self._engine.store.statistics.exposures(self._scope, lesson.id)

    def search(self, text: str, *, limit: int = 20) -> Sequence[Lesson]:
        """Lessons that contain the text, or have it as their tag (`reflexion`, `trigger:…`)."""
        _count_deliveries(self._engine, self._scope)
        query, limit = require_text(text, "query"), within(limit, MOST_FOUND)
        matches = self._engine.store.lessons.search(self._scope, query, limit=limit)
        tag = query.lower()
        is_automatic = tag == "reflexion" or tag.startswith("trigger:")
        every = self.list(limit=MOST) if is_automatic else ()
        tagged = (lesson for lesson in every if tag in lesson.all_tags())
        by_id = {lesson.id: lesson for lesson in (*matches, *tagged)}
        order = sorted(
            by_id.values(), key=lambda lesson: (-lesson.hits, -lesson.last_seen_at.timestamp())
        )
        return order[:limit]

    def verdict(self, number: int) -> LessonVerdict | None:
        """The hold-out's verdict on a lesson with its current text; None without data."""
        lesson = self._engine.store.lessons.get(self._scope, number)
        from hardwon.engine.pipeline import hold_out

        return hold_out.verdict_on(self._engine.store, lesson)

    def edit(self, number: int, **changes: Unpack[LessonEdits]) -> Lesson:
        """Change `situation`, `mistake`, `correction`, `tags` …; returns the edited lesson."""
        unknown = changes.keys() - LessonEdits.__annotations__.keys()
        if unknown:
            raise InvalidInput(f"cannot edit {', '.join(sorted(unknown))}")
        return self._edit(self._note(number, "edit"), _plain(changes))

    def guard(self, number: int, *, call: str = "", tool: str = "bash", on: bool = True) -> Lesson:
        """Deny the exact calls of this lesson, or `call`, in which `*` matches anything.

        Calls are added to the earlier ones; `guards.guard_of(lesson)` lists them.
        """
        lesson = self._note(number, "guard")
        kept = tuple(key for key in lesson.calls if on or key[0] != FORBIDDEN)
        from hardwon.knowledge.reading import guards

        named = [(tool, call_keys.canonical(call))] if call else guards.exact_calls(lesson.calls)
        forbidden = [guards.forbidden_call(*one) for one in named] if on else []
        if on and not forbidden:
            raise InvalidInput(f"lesson {number} names no call; say which one must not be made")
        return self._edit(lesson, {"guard": on, "calls": unique((*kept, *forbidden))})

    def delete(self, number: int) -> None:
        """Remove a lesson, or NotFound; `undo` brings it back under a new id."""
        self._note(number, "delete")
        self._engine.store.lessons.delete(self._scope, number)

    def history(self, number: int | None = None) -> Sequence[Change]:
        """The changes of one lesson or of all, newest first."""
        changes = self._engine.store.history.of(self._scope, number)
        return [change for change in changes if change.before.scope in self._own]

    def undo(self, number: int | None = None) -> Lesson:
        """Take back the newest change, of one lesson or of all."""
        changes = self.history(number)
        if not changes:
            raise no_change(number)
        lesson = self._restore(changes[0])
        self._engine.store.history.forget(self._scope, changes[0])
        return lesson

    def _restore(self, change: Change) -> Lesson:
        """The lesson as it was before a change; a deleted lesson gets a new id."""
        store, before = self._engine.store.lessons, change.before
        try:
            lesson = formats.with_earlier_text(store.get(before.scope, before.id), before)
        except NotFound:
            return store.add(before)
        if change.act == RETIRE:  # from now on a person vouches for it
            lesson = with_evidence(lesson, Kind.APPROVED, "person")
        store.update(lesson)
        return lesson

    def approve(self, number: int) -> Lesson:
        """Release a lesson from quarantine, or vouch for one; from now on it may be delivered."""
        lesson = approve_lesson(self._note(number, "approve"))
        lesson = lesson._replace(updated_at=self._engine.clock())
        self._engine.store.lessons.update(lesson)
        return lesson

    def merge(self, *numbers: int) -> Lesson:
        """Merge several lessons of one scope into one; `undo` restores the others.

        The merged lesson is found by the failures of all.
        """
        if len(set(numbers)) < 2:
            raise InvalidInput("name two or more lessons to merge")
        parents = [self._changeable(number) for number in set(numbers)]
        if len({parent.scope for parent in parents}) > 1:
            raise InvalidInput("lessons of different scopes cannot be merged")
        for parent in parents:
            self._note(parent.id, "merge")
        now, store = self._engine.clock(), self._engine.store
        # The text of the strongest parent, the evidence of all.
        union = merge_lessons(parents, parents[0].scope, "", now)._replace(origin=MERGED, job="")
        with store.together():
            stored = store.lessons.add(self._engine.screen(union))
            for parent in parents:
                store.lessons.update(parent._replace(status=Status.SUPERSEDED, updated_at=now))
        return stored

    def revoke(self, origin: str) -> Sequence[Lesson]:
        """Delete every lesson of an origin and all lessons made from them; returns them."""
        origin, store = require_text(origin, "origin"), self._engine.store.lessons
        visible = store.recent(self._scope, status=Status.ALL, limit=_EVERY)
        revoked = descendants([one for one in visible if one.scope in self._own], origin)
        for lesson in revoked:
            store.delete(lesson.scope, lesson.id)
        return revoked

    def list(self, *, limit: int = 100, status: str = Status.ACTIVE) -> Sequence[Lesson]:
        """The lessons with this status, the most recently consulted first."""
        _count_deliveries(self._engine, self._scope)
        return self._engine.store.lessons.recent(
            self._scope, status=status, limit=within(limit, MOST)
        )

    def elsewhere(self) -> Mapping[Scope, int]:
        """Other scopes of the tenant with their number of lessons, the largest first."""
        scope = self._scope
        visible = scope.visible()
        shelves = self._engine.store.shelves(scope.tenant)
        return {other: count for other, count in shelves.items() if other not in visible}

    def place_of(self, number: int) -> Scope | None:
        """The scope of the tenant's lesson with this id; None if it has none."""
        for scope in self.elsewhere():
            try:
                return self._engine.store.lessons.get(scope, number).scope
            except NotFound:
                continue
        return None

    def export(self, *, form: str = "jsonl") -> str:
        """All active lessons as a pack: `jsonl` or `markdown`."""
        if form not in {"jsonl", "markdown"}:
            raise InvalidInput(f"unknown format of a pack: {form!r}; one of jsonl, markdown")
        write = formats.to_lines if form == "jsonl" else formats.to_markdown
        _count_deliveries(self._engine, self._scope)
        store = self._engine.store.lessons
        return write(store.recent(self._scope, status=Status.ACTIVE, limit=_EVERY))

    def import_from(
        self,
        source: str,
        *,
        trust: bool = False,
        from_tenant: str = "",
        from_agent: str = "",
        tell: Callable[[int, int], None] = lambda done, of: None,
    ) -> Sequence[Lesson]:
        """Import a pack, or the store of another system, all of it or nothing.

        Only facts of a memory index that cannot be read are left out, and named in the log.

        Imported lessons are not trusted: they wait in quarantine, without guards and records, until
        a person approves them. With `trust` they count as your own. They keep their dates;
        lessons that were imported before stay as they are. In a store of several tenants and agents
        it reads this agent's, or those of `from_tenant` and `from_agent`; `*` is every agent, and
        each keeps its own. `tell` is called with how many are done, and of how many.
        """
        engine, scope = self._engine, self._scope
        from hardwon.learn import imports

        lessons = imports.read(source, scope, tenant=from_tenant, agent=from_agent)
        # A store in memory cannot roll back: there, faults are found before the first is stored.
        count = imports.lines_in(source) if engine.on_disk else 0
        pack = formats.Pack(lessons, count, formats.origin_of(source), trust=trust)
        pack = pack if count else pack.read_all()
        known = self._imported_before(scope, self._own)
        for name in {} if count else {lesson.scope.agent for lesson in pack.lessons}:
            if name != scope.agent:  # each lesson of a tenant for the agent that learnt it
                other = scope._replace(agent=name)
                known = (*known, *self._imported_before(other, other.changeable()))
        before = {pack.name(lesson): lesson for lesson in known}
        stored: list[Lesson] = []
        with collect_garbage_rarely(), engine.store.together():
            lessons = iter(pack.lessons)
            while part := list(islice(lessons, _AT_ONCE)):
                admitted = list(map(pack.admit, part))
                engine.expect(admitted)
                for lesson, own in zip(part, admitted, strict=True):
                    tell(len(stored), pack.size)
                    existing = before.get(pack.name_of_new(lesson)) if before else None
                    stored.append(self._take(own, existing))
        return stored

    def _imported_before(self, scope: Scope, own: Collection[Scope]) -> Sequence[Lesson]:
        lessons = self._engine.store.lessons.recent(scope, status=Status.ALL, limit=_EVERY)
        return [lesson for lesson in lessons if lesson.scope in own and formats.is_import(lesson)]

    def _take(self, lesson: Lesson, existing: Lesson | None) -> Lesson:
        """Store one imported lesson with its dates; `existing` stays, unless it is now released."""
        store = self._engine.store.lessons
        if existing and not (formats.is_held(existing) and not formats.is_held(lesson)):
            return existing
        if existing:
            store.delete(existing.scope, existing.id)
        if not formats.is_held(lesson):
            return self._engine.keep(lesson, keeps_dates=True)
        # In quarantine it is not merged with others.
        dated = lesson.with_dates(self._engine.clock(), keeps_dates=True)
        return store.add(self._engine.screen(dated))

    def _edit(self, lesson: Lesson, changes: Mapping[str, Any]) -> Lesson:
        """The edited lesson; a person who changes the correction vouches for it."""
        changed = formats.check_lesson(lesson._replace(**changes, updated_at=self._engine.clock()))
        if changed.correction != lesson.correction:
            is_alive = changed.status in LIVE and "status" not in changes
            status = Status.PROVEN if is_alive else changed.status
            changed = changed._replace(author="person", status=status)
        changed = self._engine.screen(changed)
        self._engine.store.lessons.update(changed)
        return changed

    def _note(self, number: int, act: str) -> Lesson:
        _count_deliveries(self._engine, self._scope)
        lesson = self._changeable(number)
        self._engine.store.history.note(Change(lesson, act, self._engine.clock()))
        return lesson

    def _changeable(self, number: int) -> Lesson:
        """The lesson, if it may be changed from this scope and with this key."""
        lesson = self._engine.store.lessons.get(self._scope, number)
        if lesson.scope not in self._scope.changeable():
            raise InvalidInput(
                f"lesson {number} belongs to {lesson.scope.project!r}, which this folder is not"
                " trusted to change; `hardwon project trust` trusts it"
            )
        if lesson.scope not in self._own:
            raise NotAllowed(f"lesson {number} holds for more than this key may change")
        return lesson


def limit_changes(lessons: Lessons, place: Place) -> Lessons:
    """The same lessons; those outside of the place can be read and not changed."""
    own = Lessons(lessons._engine, lessons._scope)
    own._own = tuple(scope for scope in lessons._own if place.covers(scope))
    return own


def _count_deliveries(engine: Runtime, scope: Scope) -> None:
    """Count the latest deliveries, so that hits and order of lessons are up to date."""
    try:
        engine.store.deliveries.recent(scope, limit=1)
    except StorageError as error:  # a read-only disk can still be read
        engine.trouble(error)


def _plain(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields with `tags` as a tuple."""
    tags = fields.get("tags")
    return {**fields, "tags": tuple(tags)} if isinstance(tags, list) else dict(fields)


def within(limit: int, most: int) -> int:
    if not 1 <= limit <= most:
        raise InvalidInput(f"limit must be in 1 … {most}, not {limit}")
    return limit


_RARELY = 100_000  # new values between two collections; Python's default is 700
_COLLECTING = Lock()
_usual: list[tuple[int, int, int]] = []  # what it was for each that is within, the first first


@contextmanager
def collect_garbage_rarely() -> Iterator[None]:
    """Collect cyclic garbage rarely, for work that makes many values and hardly any cycles."""
    with _COLLECTING:
        _usual.append(_usual[0] if _usual else gc.get_threshold())
        first, *others = _usual[0]
        gc.set_threshold(max(first, _RARELY) if first else 0, *others)
    try:
        yield
    finally:
        with _COLLECTING:
            usual = _usual.pop()
            if not _usual:  # the last one that was within
                gc.set_threshold(*usual)
