"""One tenant for operators: paged lists over all its agents, and reports of a period."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, TypeVar

from hardwon.api.lessons import within
from hardwon.core.errors import InvalidInput, NotFound
from hardwon.core.text.clean import one_line
from hardwon.core.values.delivery import Delivery, Door
from hardwon.core.values.lesson import Lesson, Status
from hardwon.core.values.report import (
    FailureKind,
    ListQuery,
    Mark,
    Met,
    Order,
    Page,
    Place,
    Report,
    Window,
)
from hardwon.core.values.run import EndedRun, RunSoFar
from hardwon.core.values.scope import Scope, check_name
from hardwon.engine import reports, trust
from hardwon.engine.runtime import Runtime
from hardwon.knowledge.ranking.query import query
from hardwon.models import budget
from hardwon.storage import service
from hardwon.storage.stores import run_files, runs

if TYPE_CHECKING:
    from hardwon.models.budget import Spent

    T = TypeVar("T")

_MOST = 1_000  # rows of a page
_NUMBER = re.compile("[0-9]{1,18}")  # the id of a lesson


class Tenant:
    """All agents and projects of a tenant, or one of them. Each list comes in pages.

    A page's `next` is given as `after` for the following one.
    """

    def __init__(self, engine: Runtime, place: Place) -> None:
        self._engine = engine
        self.place = place

    def scopes(self) -> Sequence[Scope]:
        """The scopes that have data, by agent and project."""
        all_scopes = self._engine.store.listing.scopes(self.place.tenant)
        return [scope for scope in all_scopes if self.place.covers(scope)]

    def report(self, *, since: timedelta | str | None = None) -> Report:
        """What was learnt and shown, and what happened then. Default: the last 30 days."""
        tenant, agent, project = self.place
        is_whole = agent is None and project is None
        own = Scope(tenant, *((agent,) if agent else ()))
        part = None if is_whole else self.place
        return reports.report(self._engine, own, since=since, whole=is_whole, part=part)

    def lesson(self, number: int) -> Lesson:
        """One lesson, or NotFound."""
        return self._engine.store.listing.lesson(self.place, number)

    def lessons(
        self,
        *,
        status: str = Status.ALL,
        text: str = "",
        tag: str = "",
        order: str = Order.USED,
        after: Mark | None = None,
        limit: int = 50,
    ) -> Page[Lesson]:
        """Lessons, the most recently consulted first, or the most often `met`.

        With `text`, only those that contain it; with `tag`, those with this tag or tool.
        """
        if order not in (Order.USED, Order.MET):
            raise InvalidInput(f"no such order: {order!r}; one of {Order.USED}, {Order.MET}")
        if after is not None and not _NUMBER.fullmatch(after[1]):
            raise InvalidInput("no such place in the list of lessons; begin with its first page")
        wanted = self._list_query(status=status, text=text, after=after, limit=limit)
        wanted = wanted._replace(tag=one_line(tag), order=order)
        lessons = self._engine.store.listing.lessons(wanted)

        def mark(lesson: Lesson) -> Mark:
            is_by_met = order == Order.MET
            return lesson.met if is_by_met else lesson.last_seen_at.timestamp(), str(lesson.id)

        return _page(lessons, limit, mark)

    def counts(self) -> dict[str, int]:
        """How many lessons have each status."""
        return self._engine.store.listing.counts(self.place)

    def failures(
        self,
        *,
        since: timedelta = timedelta(days=30),
        text: str = "",
        after: Mark | None = None,
        limit: int = 50,
    ) -> Page[FailureKind]:
        """The failure kinds that were met in a period, the most frequent first."""
        wanted = self._list_query(text=text, after=after, limit=limit)
        begin = self._engine.clock() - since
        kinds = self._engine.store.listing.failures(wanted, begin)
        return _page(kinds, limit, lambda kind: (float(kind.met), kind.kind))

    def failure(self, kind: str) -> FailureKind:
        """One kind of failure, with all its days, or NotFound."""
        wanted = self._list_query(after=None, limit=1)._replace(kind=one_line(kind))
        always = datetime.fromtimestamp(0, UTC)
        found = self._engine.store.listing.failures(wanted, always) if wanted.kind else []
        if not found:
            raise NotFound("failure", kind)
        return found[0]

    def who_met(self, failure: FailureKind, *, limit: int = 50) -> Sequence[Met]:
        """Whose runs met a failure, as far as runs are kept, the most first."""
        self._engine.collect_runs()
        wanted = self._list_query(after=None, limit=limit)._replace(met=failure.text)
        return self._engine.store.ended_runs.who_met(wanted)

    def about(self, failure: FailureKind) -> Lesson | None:
        """The best lesson about a failure kind in the scope that met it last; None without one."""
        if failure.scope is None:
            return None
        error_query = query(Door.ERROR, "", kind=failure.kind)
        now, lessons = self._engine.clock(), self._engine.store.lessons
        matching = [
            match.lesson for match in lessons.match(failure.scope, error_query, now=now, limit=8)
        ]
        candidates = [lesson for lesson in matching if failure.kind in lesson.kinds]
        return max(
            candidates,
            key=lambda lesson: (lesson.status == Status.PROVEN, lesson.is_active, lesson.met),
            default=None,
        )

    def deliveries(self, *, after: Mark | None = None, limit: int = 50) -> Page[Delivery]:
        """The deliveries, newest first."""
        wanted = self._list_query(after=after, limit=limit)
        deliveries = self._engine.store.listing.deliveries(wanted)
        return _page(deliveries, limit, lambda delivery: (delivery.at.timestamp(), delivery.id))

    def runs(self) -> Sequence[tuple[str, datetime, RunSoFar]]:
        """The current runs on disk: name, time of the last step, and the run so far."""
        if not self._engine.on_disk:
            return []
        return run_files.at_work(self._engine.settings.home, self.place)

    def ended_runs(
        self,
        *,
        text: str = "",
        met: str = "",
        person: str = "",
        after: Mark | None = None,
        limit: int = 50,
    ) -> Page[EndedRun]:
        """The ended runs, without their steps, newest first; with `text`, by their task.

        With `met`, only those that met a failure of this text; with `person`, only theirs.
        """
        self._engine.collect_runs()
        wanted = self._list_query(text=text, after=after, limit=limit)
        wanted = wanted._replace(met=met, person=person)
        runs = self._engine.store.ended_runs.recent(wanted)
        return _page(runs, limit, lambda run: (run.ended.timestamp(), run.id))

    def ended_run(self, identity: str) -> EndedRun:
        """One ended run with its steps and what it was shown when, or NotFound."""
        self._engine.collect_runs()
        return self._engine.store.ended_runs.get(self.place, identity)

    def told(self) -> Sequence[tuple[str, str, int]]:
        """How often something was told, by door and outcome."""
        always = datetime(1970, 1, 1, tzinfo=UTC)
        window = Window(Scope(self.place.tenant), always, part=self.place)
        groups = self._engine.store.statistics.deliveries(window)
        return [(group.door, group.outcome, group.times) for group in groups]

    def spent(self, days: int = 30) -> Sequence[tuple[str, str, Spent]]:
        """What models have cost the tenant: day, model and sum, the newest day first."""
        today = self._engine.clock()
        costs: list[tuple[str, str, Spent]] = []
        for ago in range(within(days, 366)):
            day = budget.day_of(today - timedelta(days=ago))
            sums: dict[str, Spent] = {}
            for tenant, model, spent in self._engine.accounts.ledger.rows(day):
                if tenant == self.place.tenant:
                    sums[model] = sums.get(model, budget.Spent()) + spent
            costs += [(day, model, spent) for model, spent in sums.items()]
        return costs

    def _list_query(
        self, *, status: str = Status.ALL, text: str = "", after: Mark | None, limit: int
    ) -> ListQuery:
        """What to list: one row more than the page has, to see whether another page follows."""
        return ListQuery(self.place, status, one_line(text), after, within(limit, _MOST) + 1)


def tenant(engine: Runtime, name: str, agent: str | None, project: str | None) -> Tenant:
    """A tenant, or one agent or project of it."""
    own = None if agent is None else check_name(agent, "agent")
    return Tenant(
        engine,
        Place(check_name(name, "tenant"), own, project and check_name(project, "project")),
    )


def _page(items: list[T], limit: int, mark: Callable[[T], Mark]) -> Page[T]:
    rows = tuple(items[:limit])
    return Page(rows, mark(rows[-1]) if len(items) > limit else None)


def forget(engine: Runtime, name: str) -> None:
    """Delete a tenant; its jobs first, so that no worker creates lessons again."""
    from hardwon.learn.trials import loops  # on use: the API must not wait for what runs loops

    loops.forget(engine, name)
    for job in engine.queue.waiting():
        if job.episode.scope.tenant == name:
            engine.queue.forget(job)
    for job in engine.queue.dead():
        if job.episode.scope.tenant == name:
            engine.queue.purge(job.id)
    engine.accounts.ledger.forget(name)
    if engine.on_disk:
        trust.forget(engine.settings.home, name)
        service.forget(engine.settings, name)
        run_files.forget(engine.settings.home, name)  # after its keys, which could send more
    engine.store.forget(name)
    engine.unscreened.note_forgotten(runs.tenant_mark(name))
