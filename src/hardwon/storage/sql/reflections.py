"""Reflections, dreams and earlier versions of lessons, in SQL."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime

from hardwon.core.errors import NotFound
from hardwon.core.values.dream import Dream, DreamChange
from hardwon.core.values.lesson import CHANGES_KEPT, Change, Lesson
from hardwon.core.values.reflection import Likeness, Reflection, is_known, surplus_reflections
from hardwon.core.values.scope import Scope
from hardwon.knowledge.ranking.reflections import (
    CANDIDATES,
    HOLDERS_READ,
    best_held,
    by_relevance,
    words_of,
)
from hardwon.storage.sql import lessons, scopes
from hardwon.storage.sql.dialect import (
    SqlDatabase,
    Tenancy,
    bind,
    read_queries,
    set_columns,
    values_clause,
)
from hardwon.storage.sql.rows import (
    DREAM,
    REFLECTION,
    dream_of,
    dream_values,
    lesson_record,
    moment,
    read_list,
    recorded_lesson,
    reflection_of,
    stored,
)
from hardwon.storage.sql.scopes import HERE

_REFLECTION = REFLECTION.split(", ")

_DREAM = DREAM.split(", ")
_CHANGE = "kind, lesson, project, reason, before, after, tags"
_PAGE = 1000  # lessons read per query

_SQL = read_queries(
    __file__,
    REFLECTION=REFLECTION,
    REFLECTION_VALUES=values_clause(_REFLECTION),
    DREAM=DREAM,
    DREAM_VALUES=values_clause(_DREAM),
    DREAM_SET=set_columns(_DREAM[2:]),
    CHANGE=_CHANGE,
    CHANGE_VALUES=values_clause(_CHANGE.split(", ")),
    HERE=HERE,
)


class SqlReflections:
    """Reflections of one kind; with `cap` only the newest of a scope are kept."""

    is_shared = False

    def __init__(self, database: SqlDatabase, kind: str = "goal", *, cap: int = 0) -> None:
        self._db = database
        self._kind = kind
        self._cap = cap

    def save(self, reflection: Reflection, *, keep: int = 0) -> bool:
        with self._db:
            self._db.lock(reflection.scope)  # two processes may reflect on the same goal
            tenancy = self._db.of(reflection.scope.tenant)
            place = {"shelf": scopes.ensure(self._db, reflection.scope), "kind": self._kind}
            values = {"shelves": [place["shelf"]], "subject": reflection.subject}
            rows = tenancy.rows(_SQL["about"], kind=self._kind, **values)
            existing = [reflection_of(row, reflection.scope) for row in rows]
            if is_known(existing, reflection):
                return False
            surplus = surplus_reflections(existing, reflection, keep=keep)
            dropped = [rows[at][-1] for at in surplus]
            tenancy.run(_SQL["remove"], ids=dropped)
            fields = dict(zip(_REFLECTION, map(stored, reflection[1:]), strict=True))
            ((number,),) = tenancy.rows(_SQL["insert"], **place, **fields)
            words = [(*place.values(), word, number) for word in sorted(words_of(reflection))]
            tenancy.run_many(_SQL["add_word"], (*place, "word", "id"), words)
            tenancy.run(_SQL["expire"], now=reflection.created_at.timestamp(), **place)
            if self._cap:
                tenancy.run(_SQL["cap"], cap=self._cap, **place)
            return True

    def about(self, scope: Scope, subject: str) -> list[Reflection]:
        visible = scopes.visible(self._db, scope)
        values = {"shelves": visible.ids, "kind": self._kind, "subject": subject}
        rows = self._db.of(scope.tenant).rows(_SQL["about"], **values)
        return [reflection_of(row, visible.scopes[row[-2]]) for row in rows]

    def recent(self, scope: Scope, *, now: datetime, limit: int) -> list[Reflection]:
        owners = scopes.visible(self._db, scope).scopes
        return self._newest(scope.tenant, owners, now, limit)

    def every(self, scope: Scope, *, now: datetime, limit: int) -> list[Reflection]:
        return self._newest(scope.tenant, scopes.of_agent(self._db, scope), now, limit)

    def _newest(
        self, tenant: str, owners: Mapping[int, Scope], now: datetime, limit: int
    ) -> list[Reflection]:
        rows = self._db.of(tenant).first_of_each(
            bind(_SQL["newest"], kind=self._kind, now=now.timestamp()),
            "created_at DESC, id DESC",
            each={"shelf": list(owners)},
            limit=limit,
        )
        rows.sort(key=lambda row: (row[2], row[-1]), reverse=True)
        return [reflection_of(row, owners[row[-2]]) for row in rows[:limit]]

    def alike(
        self, scope: Scope, words: Sequence[str], *, now: datetime, limit: int
    ) -> list[Likeness]:
        tenancy, visible = self._db.of(scope.tenant), scopes.visible(self._db, scope)
        rows = tenancy.first_of_each(
            bind(_SQL["holders"], kind=self._kind),
            "reflection DESC",
            each={"word": list(words), "shelf": visible.ids},
            limit=HOLDERS_READ,
            is_cut=False,
        )
        postings: dict[str, list[int]] = {word: [] for word in words}
        for word, number in rows:
            postings[word].append(number)
        best = best_held(postings, limit=CANDIDATES)
        rows = tenancy.rows(_SQL["by_id"], ids=list(best), now=now.timestamp())
        likenesses = [
            Likeness(reflection_of(row, visible.scopes[row[-2]]), best[row[-1]]) for row in rows
        ]
        return by_relevance(likenesses)[:limit]


class SqlDreams:
    """The log of dreams, which is never pruned, and each dream's changes."""

    def __init__(self, database: SqlDatabase) -> None:
        self._db = database
        self._tenants: dict[str, str] = {}  # the tenant of each dream seen so far

    def save(self, dream: Dream) -> None:
        """Store durably; a dream of the same id is replaced."""
        with self._db:
            shelf = scopes.ensure(self._db, dream.scope.everywhere())
            values = dict(zip(_DREAM, dream_values(dream), strict=True))
            self._db.of(dream.scope.tenant).run(_SQL["save_dream"], shelf=shelf, **values)
        self._tenants[dream.id] = dream.scope.tenant

    def get(self, scope: Scope, dream: str) -> Dream:
        """The dream with this id, or whose id begins so; else NotFound."""
        values = {"shelf": scopes.own(self._db, scope.everywhere()), "length": len(dream)}
        rows = self._db.of(scope.tenant).rows(_SQL["find_dream"], dream=dream, **values)
        if len(rows) != 1 or not dream:
            raise NotFound("dream", dream)
        self._tenants[rows[0][0]] = scope.tenant
        return dream_of(rows[0], scope)

    def recent(self, scope: Scope, *, limit: int) -> list[Dream]:
        """The dreams of the agent, newest first."""
        shelf = scopes.own(self._db, scope.everywhere())
        rows = self._db.of(scope.tenant).rows(_SQL["recent_dreams"], shelf=shelf, limit=limit)
        return [dream_of(row, scope) for row in rows]

    def note(self, dream: str, changes: Sequence[DreamChange]) -> None:
        """Store the changes of a dream, for its undo."""
        with self._db:
            tenancy = self._owner(dream)
            if tenancy is None:
                raise NotFound("dream", dream)
            rows = [(*map(stored, change), dream) for change in changes]
            tenancy.run_many(_SQL["note_change"], (*DreamChange._fields, "dream"), rows)

    def changes(self, dream: str) -> list[DreamChange]:
        """What a dream did, in order."""
        tenancy = self._owner(dream)
        rows = tenancy.rows(_SQL["changes"], dream=dream) if tenancy else ()
        return [DreamChange._make((*row[:6], read_list(row[6]))) for row in rows]

    def scopes(self, scope: Scope) -> list[Scope]:
        """Every scope of the agent: everywhere and each project."""
        return list(scopes.of_agent(self._db, scope).values())

    def lessons(self, scope: Scope) -> Iterator[Lesson]:
        """Every active lesson of the agent in all projects, oldest first."""
        tenancy, last = self._db.of(scope.tenant), 0
        owners = scopes.of_agent(self._db, scope)
        while page := lessons.active_page(tenancy, owners, after=last, limit=_PAGE):
            yield from page
            last = page[-1].id

    def together(self) -> AbstractContextManager[object]:
        """Everything stored inside the `with` block is kept as a whole or not at all."""
        return self._db.together()

    def _owner(self, dream: str) -> Tenancy | None:
        """The tenant of a dream: the id does not say, and only that tenant can see it."""
        for tenant in (self._tenants.get(dream), *self._db.tenants()):
            if tenant is not None and self._db.of(tenant).rows(_SQL["has_dream"], id=dream):
                self._tenants[dream] = tenant
                return self._db.of(tenant)
        return None


class SqlHistory:
    """Changes of lessons, newest last; the oldest are dropped."""

    def __init__(self, database: SqlDatabase, kept: int = CHANGES_KEPT) -> None:
        self._db = database
        self._kept = kept

    def note(self, change: Change) -> None:
        """Remember a lesson as it was; very old changes may be forgotten."""
        before = change.before
        with self._db:
            shelf = scopes.ensure(self._db, before.scope)
            values = {"lesson": before.id, "act": change.act, "at": change.at.timestamp()}
            self._db.of(before.scope.tenant).ask(
                bind(_SQL["add_version"], shelf=shelf, before=lesson_record(before), **values),
                bind(_SQL["drop_old_versions"], shelf=shelf, kept=self._kept),
            )

    def of(self, scope: Scope, lesson: int | None) -> list[Change]:
        """The changes of one lesson, or of all visible from the scope, newest first."""
        visible = scopes.visible(self._db, scope)
        rows = self._db.of(scope.tenant).rows(_SQL["versions"], shelves=visible.ids, lesson=lesson)
        return [
            Change(before=before, act=act, at=moment(at), id=number)
            for shelf, record, act, at, number in rows
            if (before := recorded_lesson(record, visible.scopes[shelf]))
        ]

    def forget(self, scope: Scope, change: Change) -> None:
        """Remove a change that was taken back."""
        visible = scopes.visible(self._db, scope)
        with self._db:
            self._db.of(scope.tenant).run(_SQL["forget_version"], shelves=visible.ids, id=change.id)
