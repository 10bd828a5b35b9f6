"""The only wiring: which stage gets which port. Methods of a few lines, no policy."""

from __future__ import annotations

import os
from datetime import UTC, datetime

from hardwon import _homes
from hardwon._cold.cached import cached_property
from hardwon._cold.lazy import lazy
from hardwon.doors import Doors
from hardwon.errors import InvalidInput, storage_error
from hardwon.pipeline import edge
from hardwon.settings import load

TYPE_CHECKING = False
if TYPE_CHECKING:
    import asyncio
    from collections.abc import Awaitable, Callable, Iterator, Sequence
    from datetime import timedelta
    from typing import Any

    from hardwon import _sync, embeddings, mirror, models, trust, upkeep, worker
    from hardwon.failures import clues
    from hardwon.models import budget, function, rules
    from hardwon.pipeline import (
        capture,
        consolidate,
        imagine,
        mine,
        refine,
        reflect,
        screen,
        verify,
        word,
        work,
    )
    from hardwon.ports import Embedder, Model, Request, Store, WorkedQueue
    from hardwon.ranking.query import Near
    from hardwon.service import database as service
    from hardwon.settings import GoalSettings, Settings
    from hardwon.stores import journal, memory, postgres, redis, runs, spool, sqlite
    from hardwon.values import evidence, provenance
    from hardwon.values import queue as outcomes
    from hardwon.values.episode import Episode
    from hardwon.values.job import Job
    from hardwon.values.lesson import Lesson
    from hardwon.values.queue import QueueCounts, Tally, WorkerStatus
    from hardwon.values.scope import Scope
    from hardwon.values.step import Step

    Answerer = Callable[[Request], Any]
    Processor = Callable[["Runtime", Job], Awaitable[Any]]
else:
    runs = lazy("hardwon.stores.runs")
    outcomes = lazy("hardwon.values.queue")
    memory, sqlite = lazy("hardwon.stores.memory"), lazy("hardwon.stores.sqlite")
    redis, postgres = lazy("hardwon.stores.redis"), lazy("hardwon.stores.postgres")
    journal, spool = lazy("hardwon.stores.journal"), lazy("hardwon.stores.spool")
    mirror = lazy("hardwon.mirror")
    asyncio, _sync = lazy("asyncio"), lazy("hardwon._sync")
    embeddings = lazy("hardwon.embeddings")
    clues = lazy("hardwon.failures.clues")
    provenance = lazy("hardwon.values.provenance")
    evidence = lazy("hardwon.values.evidence")
    models, rules = lazy("hardwon.models"), lazy("hardwon.models.rules")
    function, budget = lazy("hardwon.models.function"), lazy("hardwon.models.budget")
    capture, consolidate = lazy("hardwon.pipeline.capture"), lazy("hardwon.pipeline.consolidate")
    reflect, screen = lazy("hardwon.pipeline.reflect"), lazy("hardwon.pipeline.screen")
    refine, verify = lazy("hardwon.pipeline.refine"), lazy("hardwon.pipeline.verify")
    imagine = lazy("hardwon.pipeline.imagine")
    mine, word = lazy("hardwon.pipeline.mine"), lazy("hardwon.pipeline.word")
    work, worker = lazy("hardwon.pipeline.work"), lazy("hardwon.worker")
    trust, service = lazy("hardwon.trust"), lazy("hardwon.service.database")
    upkeep = lazy("hardwon.upkeep")


MEMORY = "memory:"
ANY_TRIGGER = ""  # whose processor works the jobs that no other is registered for
TEXT_LIMIT = 16 * 1024
_FAREWELL = 10.0  # seconds that a closing process waits for a database elsewhere
_PROMPTS = os.path.join(os.path.dirname(__file__), "prompts")


def utc_now() -> datetime:
    """The clock everything uses unless it is given another."""
    return datetime.now(UTC)


class Runtime:
    """Stages, ports and settings of one opened hardwon."""

    def __init__(
        self,
        settings: Settings,
        target: str,
        *,
        model: Model | Answerer | str | None = None,
        embedder: Embedder | None = None,
        clock: Callable[[], datetime] = utc_now,
    ) -> None:
        self.settings = settings
        self._embedder = embedder
        self.target = target
        self.clock = clock
        self._model = model
        self.trouble: Callable[[BaseException], None] = _warn
        self.processors: dict[str, Processor] = {}
        self._copies: mirror.Copies | None = None
        self._tenants = {settings.scope.tenant}  # whose lessons its worker reviews
        self.store: Store = edge.screened_store(self._opened_store())
        self.embeds = bool(embedder or settings.recall.embedder)
        if self.embeds:
            self.meaning.ensure()
        self.doors = self._opened_doors()

    def _opened_store(self) -> Store:
        if self.target == MEMORY:
            return memory.MemoryStore()
        settings = self.settings
        try:
            os.makedirs(settings.home, mode=0o700, exist_ok=True)
        except OSError as error:
            raise storage_error(error, settings.home) from error
        _homes.ensure_own(settings.home)
        is_shared = bool(settings.postgres.url)
        store = self._shared_store() if is_shared else sqlite.SqliteStore(settings.home)
        return _with_redis(store, settings.goals) if settings.goals.redis_url else store

    def _shared_store(self) -> Store:
        """The copy on this machine for one in a hurry; else the database itself."""
        values, home = self.settings.postgres, self.settings.home
        if self.settings.is_hurried:
            return sqlite.SqliteStore(home, copy_of=values.url)
        store = postgres.PostgresStore(values.url, home, migrate=values.migrate, pool=values.pool)
        self._copies = mirror.Copies(store, self.settings, self.clock)
        return store

    def _opened_doors(self) -> Doors:
        parts = self.store, self.settings, self.clock
        how: dict[str, Any] = {"on_disk": self.target != MEMORY, "near": self._near}
        how["trouble"] = lambda error: self.trouble(error)
        url = self.settings.postgres.url
        if self.target == MEMORY or not (url and self.settings.is_hurried):
            return Doors(*parts, **how)
        doors = mirror.ForwardingDoors(*parts, **how)
        doors.outgoing = spool.Spool(journal.notes_for(self.settings.home, url))
        return doors

    @cached_property
    def meaning(self) -> embeddings.SemanticSearch:
        """Who finds lessons by what they mean; made when one is set, or asked for."""
        return embeddings.SemanticSearch(
            self.store,
            self.settings,
            given=self._embedder,
            account=self._account,
            trouble=lambda error: self.trouble(error),
        )

    def _near(self, scope: Scope, text: str) -> Near:
        return self.meaning.near(scope, text) if self.embeds else ()

    @cached_property
    def queue(self) -> WorkedQueue:
        """The queue, opened when it is first needed: recall never does."""
        return edge.screened_queue(worker.open_queue(self.settings, durable=self.target != MEMORY))

    @cached_property
    def worker(self) -> worker.WorkerProcess:
        """Who works the queue when this process does."""
        return worker.WorkerProcess(
            self.queue,
            self.process,
            settings=self.settings,
            clock=self.clock,
            spent=lambda: self.spent()._asdict(),
            tend=self._upkeep,
        )

    def _upkeep(self) -> Iterator[object]:
        """What is done beside jobs, step by step."""
        yield self.store.tend()
        if self._copies is not None:
            yield from self._copies.refresh()
        if self.embeds:
            yield from self.meaning.fill()
        on_disk = self.target != MEMORY
        yield from upkeep.daily(
            self.store, self.settings, self._tenants, self.clock(), on_disk=on_disk
        )

    @cached_property
    def model(self) -> Model:
        """Who words the lessons, within the budget."""
        values = self.settings.model
        keys = {"anthropic": values.anthropic_key, "openai": values.openai_key}
        own = [kind for kind in keys if self.settings.is_own(f"model.{kind}_key")]
        given = values.name if self._model is None else self._model
        if isinstance(given, str):
            model = models.open_model(given, keys=keys, preferred=own, timeout=values.timeout)
        else:
            model = function.as_model(given)
        if isinstance(model, rules.Rules):
            return model
        return budget.Governed(edge.ScreenedModel(model), self._account(model.name))

    @property
    def has_model(self) -> bool:
        """Whether there is a model; without one rules word the lessons."""
        return self.model.name != rules.Rules.name

    def _account(self, name: str) -> budget.Account:
        return budget.account(name, self.settings.budget, ledger=self.ledger, clock=self.clock)

    @cached_property
    def ledger(self) -> budget.SpendingBook:
        """The book of what models have cost."""
        if self.target == MEMORY:
            return budget.MemoryLedger()
        return budget.FileLedger(os.path.join(self.settings.home, "spend"))

    def spent(self) -> budget.Spent:
        """What models have cost today."""
        return budget.total(self.ledger.rows(budget.day_of(self.clock())))

    @cached_property
    def imagination(self) -> imagine.Imagination:
        """Hypothetical lessons, each asked for once."""
        return imagine.Imagination()

    def capture(self, episode: Episode, trigger: str, recorded: Sequence[Step] = ()) -> Job:
        """Queue an episode durably; `recorded` steps were screened when they were recorded."""
        clean = screen.screen_episode(episode, recorded)
        job = capture.capture(clean, trigger, queue=self.queue, now=self.clock())
        if self.settings.queue.autostart or not self.settings.queue.enabled:
            self.wake()
        return job

    def keep(self, lesson: Lesson, *, keeps_dates: bool = False) -> Lesson:
        """Store a lesson, or strengthen the one that says it already."""
        screened, now = clues.with_clues(screen.screen_lesson(lesson)), self.clock()
        with self.store.together():
            return consolidate.consolidate(
                screened, lessons=self.store.lessons, now=now, keeps_dates=keeps_dates
            )

    def drain(self) -> Tally:
        """Work every job that is due."""
        return _sync.run_sync(self.worker.drain)

    def work(self, mode: str = "forever", *, idle: timedelta | None = None) -> Tally:
        """Work the queue until a signal ends it, nothing came for `idle`, or as the mode says."""
        return _sync.run_sync(lambda: self.worker.serve(mode, idle=idle))

    def wake(self) -> int | None:
        """See that somebody works the queue; the process that was started for it, if one was."""
        if self.target == MEMORY:
            return None
        if not self.settings.queue.enabled:
            worker.work_beside(self.worker)
            return None
        return worker.start_detached(self.settings) if self.queue.worker() is None else None

    def queue_status(self) -> tuple[QueueCounts, WorkerStatus]:
        """How the queue stands, and what its worker last told."""
        return self.queue.counts(), worker.status(self.settings)

    def forget(self, tenant: str) -> None:
        """Remove a tenant: what waits first, so that no worker brings it back."""
        for job in self.queue.waiting():
            if job.episode.scope.tenant == tenant:
                self.queue.done(job)
        for job in self.queue.dead():
            if job.episode.scope.tenant == tenant:
                self.queue.purge(job.id)
        self.ledger.forget(tenant)
        if self.target != MEMORY:
            runs.forget(self.settings.home, tenant)
            trust.forget(self.settings.home, tenant)
            service.forget(self.settings.home, tenant)
        self.store.forget(tenant)

    def close(self) -> None:
        """Release files; what waits in the queue stays."""
        self.doors.flush(_FAREWELL)
        if "queue" in self.__dict__:
            self.queue.close()
        if self._copies is not None:
            self._copies.close()
        self.store.close()

    async def process(self, job: Job) -> Any:
        """Work one job by the way of learning that is registered for its trigger, or for all."""
        work = self.processors.get(job.trigger) or self.processors[ANY_TRIGGER]
        scope = trust.settled(self.settings.home, job.episode.scope)
        self._tenants.add(scope.tenant)
        return await work(self, job._replace(episode=job.episode._replace(scope=scope)))


def settings_at(place: str, given: Settings | None) -> Settings:
    """The settings of what is opened there."""
    if _homes.is_database(place):
        return given.on_database(place) if given else load(place)
    if "://" in place:
        raise InvalidInput(f"no backend for {place.split('://')[0]!r} URLs")
    home = "" if place == MEMORY else os.path.abspath(os.path.expanduser(place)) if place else ""
    return given or load(home or None)


def _with_redis(store: Store, goals: GoalSettings) -> Store:
    return redis.with_redis(
        store,
        goals.redis_url,
        prefix=goals.redis_prefix,
        recent=goals.recent,
        patience=goals.redis_patience.total_seconds(),
    )


def prompt_text(name: str) -> str:
    """A prompt by its file name."""
    with open(os.path.join(_PROMPTS, f"{name}.md"), encoding="utf-8") as file:
        return file.read()


def _warn(error: BaseException) -> None:
    import logging

    logging.getLogger("hardwon").warning("no lessons at this door", exc_info=error)
