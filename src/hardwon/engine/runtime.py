"""The wiring: which stage gets which port. Short methods, no policy."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Iterator, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from hardwon.core import _files
from hardwon.core._fork import cached_property
from hardwon.core.errors import InvalidInput
from hardwon.core.settings import Settings, load
from hardwon.core.values.job import Job, Tally
from hardwon.core.values.lesson import Lesson
from hardwon.core.values.run import Episode, Step
from hardwon.engine import trust
from hardwon.engine.pipeline import screen
from hardwon.storage.ports import Embedder, Model, Request, Run, Store, WorkedQueue
from hardwon.storage.stores import sqlite

if TYPE_CHECKING:
    from hardwon.engine import embeddings, mirror
    from hardwon.engine.doors import Doors
    from hardwon.engine.worker import BackgroundWorker, WorkerProcess
    from hardwon.models import budget


Answerer = Callable[[Request], Any]
Processor = Callable[["Runtime", Job], Awaitable[Any]]
MEMORY = "memory:"
ANY_TRIGGER = ""  # its processor works all jobs without a processor of their own
TEXT_LIMIT = 16 * 1024
_PAUSE = 0.01  # seconds between two looks at the worker in the background
_CLOSING = 10.0  # seconds that a closing process waits for a remote database
_READ = "last-reading"  # a file in the home; its time is that of the last run that was read
_PROMPTS = os.path.join(os.path.dirname(__file__), "prompts")


utc_now = partial(datetime.now, UTC)  # the default clock


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
        self.on_disk = target != MEMORY
        self.clock = clock
        self._model = model
        self.trouble: Callable[[BaseException], None] = _warn
        self.processors: dict[str, Processor] = {}
        self.chores: list[Callable[[Runtime], Iterator[object]]] = []  # further upkeep
        self.tenants = {settings.scope.tenant}  # whose lessons its worker reviews
        self.background: BackgroundWorker | None = None
        self.hypotheses: dict[str, str] = {}  # by query
        store, self.copies = _open_store(settings, on_disk=self.on_disk)
        self.unscreened = store
        self.store: Store = screen.screened_store(store)
        if self.on_disk and not settings.is_on_copy:
            for kind in ("step", "run", "job"):
                store.on(kind, partial(_take_in, self, kind))
        self.embeds = bool(embedder or settings.recall.embedder)
        if self.embeds:
            self.semantic_search.ensure()

    @cached_property
    def doors(self) -> Doors:
        """What agents are told and learnt from, opened on first use: lists never need it.

        Over a local copy they also forward to the server.
        """
        if self.settings.is_observed:
            from hardwon.engine import telemetry

            return telemetry.ObservedDoors(self)
        if self.on_disk and self.settings.is_on_copy:
            from hardwon.engine import mirror

            return mirror.ForwardingDoors(self)
        from hardwon.engine import doors

        return doors.Doors(self)

    def receive(self, batch: str, records: Sequence[Sequence[object]]) -> None:
        """Learn from what another machine noted; once, however often the batch is sent."""
        from hardwon.engine import notes

        now = self.clock().timestamp()
        dated = [notes.check_record(record, now) for record in records]
        self.unscreened.receive(batch, screen.screen_value(dated))

    @cached_property
    def shelves(self) -> mirror.Shelves:
        """The lessons, as other machines copy them."""
        from hardwon.engine import mirror

        return mirror.StoreShelves(self.store)

    @cached_property
    def semantic_search(self) -> embeddings.SemanticSearch:
        """Embedding search, created on first use."""
        from hardwon.engine import embeddings

        return embeddings.SemanticSearch(self, self._embedder)

    @cached_property
    def queue(self) -> WorkedQueue:
        """The queue, opened on first use; recall never needs it."""
        from hardwon.engine import worker

        return screen.screened_queue(worker.open_queue(self.settings, durable=self.on_disk))

    @cached_property
    def worker(self) -> WorkerProcess:
        """The worker that works when it is called."""
        return self._worker_of(self.queue)

    def _worker_of(self, queue: WorkedQueue) -> WorkerProcess:
        from hardwon.engine import upkeep, worker

        return worker.WorkerProcess(
            queue,
            self.process,
            settings=self.settings,
            clock=self.clock,
            spent=lambda: self.accounts.today()._asdict(),
            tend=partial(upkeep.tend, self),
        )

    def collect_runs(self) -> None:
        """Archive the ended runs on disk; runs that are too old are deleted."""
        from hardwon.engine import upkeep

        for _ in upkeep.collect(self):
            continue

    @cached_property
    def model(self) -> Model:
        """The model that writes lessons, within the budget."""
        values = self.settings.model
        keys = {"anthropic": values.anthropic_key, "openai": values.openai_key}
        own = [kind for kind in keys if self.settings.is_own(f"model.{kind}_key")]
        configured = values.name if self._model is None else self._model
        if isinstance(configured, str):
            from hardwon import models

            model = models.open_model(configured, keys=keys, preferred=own, timeout=values.timeout)
        else:
            from hardwon.models import function

            model = function.as_model(configured)
        from hardwon.models import rules

        if isinstance(model, rules.Rules):
            return model
        from hardwon.models import budget

        return budget.Governed(screen.ScreenedModel(model), self.accounts.of(model.name))

    @property
    def has_model(self) -> bool:
        """Whether there is a model; without one, rules write the lessons."""
        from hardwon.models import rules

        return self.model.name != rules.Rules.name

    def reads(self, steps: Sequence[Step]) -> bool:
        """Whether a model reads a run with these steps, if there is something new in it."""
        from hardwon.engine.pipeline import confirm

        return self.reads_runs and len(steps) >= confirm.LEAST

    @property
    def reads_runs(self) -> bool:
        """Whether a model reads ended runs; cheap, as the model is not opened."""
        values, how = self.settings.model, self.settings.reflexion
        keys = any(self.settings.is_own(f"model.{kind}_key") for kind in ("anthropic", "openai"))
        name = (values.name.strip() or "key" * keys) if self._model is None else self._model
        is_on = how.enabled and how.persist and self.settings.reader.enabled
        return is_on and name not in ("", "rules")

    @cached_property
    def accounts(self) -> budget.Accounts:
        """The budget and the spending of models; shared by all users of a database but hooks."""
        from hardwon.models import budget

        settings = self.settings
        ledger: budget.SpendingBook = budget.MemoryLedger()
        if self.on_disk and settings.postgres.url and not settings.is_for_hooks:
            from hardwon.models import shared_ledger

            ledger = shared_ledger.SharedLedger(settings.postgres.url)
        elif self.on_disk:
            ledger = budget.FileLedger(os.path.join(settings.home, "spend"))
        return budget.Accounts(settings.budget, ledger, self.clock)

    def capture(self, episode: Episode, trigger: str, recorded: Sequence[Step] = ()) -> Job:
        """Queue an episode durably; `recorded` steps were screened when they were recorded."""
        from hardwon.engine.pipeline import ending

        clean = screen.screen_episode(episode, recorded)

        job = ending.capture(clean, trigger, queue=self.queue, now=self.clock())
        if self.settings.queue.autostart or not self.settings.queue.enabled:
            self.wake()
        return job

    def read_run(self, ended: Episode, run: Run, steps: Sequence[Step]) -> Job | None:
        """Queue a run for the model that reads runs; None if it surely holds nothing new.

        A worker looks again, as it also knows what earlier runs did.
        """
        from hardwon.engine.pipeline import confirm, ending, playbook

        if not (past := run.so_far()).begun:  # its steps are only told at its end
            run.begin(screen.screen_text(ended.task, TEXT_LIMIT))
            past = run.so_far()
        items = playbook.items(ended.scope, self.store.lessons, self.clock())
        if not confirm.news(steps, items, prompts=len(past.prompts), error=ended.error):
            return None
        return self.capture(ending.of_run(ended, run.name, past), "run", recorded=steps)

    def note_reading(self) -> None:
        """Remember that a run has just been read, or that its agent wrote its items down."""
        if self.on_disk:
            _files.replace(os.path.join(self.settings.home, _READ), b"")

    @property
    def last_reading(self) -> datetime | None:
        """When a run was last read on this machine; None if never."""
        try:
            at = os.stat(os.path.join(self.settings.home, _READ)).st_mtime
        except (FileNotFoundError, NotADirectoryError):
            return None
        return datetime.fromtimestamp(at, UTC) if self.on_disk else None

    def keep(self, lesson: Lesson, *, keeps_dates: bool = False) -> Lesson:
        """Store a lesson, or add its evidence to the existing lesson that says the same."""
        screened, now = self.screen(lesson), self.clock()
        from hardwon.engine.pipeline import consolidate

        with self.store.together():
            return consolidate.consolidate(
                screened, lessons=self.store.lessons, now=now, keeps_dates=keeps_dates
            )

    def expect(self, lessons: Sequence[Lesson]) -> None:
        """Prepare the open transaction for keeping these lessons, if the store is remote."""
        from hardwon.engine.pipeline import consolidate

        if self.settings.postgres.url:
            consolidate.look_ahead(lessons, self.store.lessons)

    def screen(self, lesson: Lesson) -> Lesson:
        """The lesson without secrets; one that injects or does harm is quarantined."""
        return screen.screen_lesson(lesson)

    def wake(self) -> int | None:
        """Make sure a worker is running; returns the process id if one was started."""
        if not self.on_disk:
            return None
        if not self.settings.queue.enabled:
            self.work_in_background()
            return None
        if self.background is not None and self.background.is_running:
            return None
        from hardwon.engine import worker

        return worker.start_detached(self.settings) if self.queue.worker() is None else None

    def work_in_background(self) -> None:
        """Work the queue in a thread of this process until `close`."""
        if self.background is not None and self.background.is_running:
            return
        durable = self.on_disk and self.settings.queue.enabled
        # A queue on disk is opened again: the one of this process only adds to it.
        from hardwon.engine import worker

        queue = worker.open_queue(self.settings, durable=True) if durable else None
        own = self._worker_of(screen.screened_queue(queue) if queue else self.queue)
        limit = self.settings.queue.drain_timeout.total_seconds()
        self.background = worker.BackgroundWorker(own, limit=limit, durable=durable)

    async def drain(self) -> Tally:
        """Work every job that is due, also with the worker in the background."""
        if self.background is None:
            return await self.worker.drain()
        helper = self.background.worker.ledger
        before = helper.tally
        tally = await self.worker.drain()
        while self.background.is_busy:
            import asyncio

            await asyncio.sleep(_PAUSE)
        return tally + helper.tally.minus(before)

    def close(self) -> None:
        """Release files; queued jobs stay queued. Waits for a worker in the background."""
        if self.background is not None:
            self.background.close()
        if "doors" in self.__dict__:
            self.doors.flush(_CLOSING)
        if "queue" in self.__dict__:
            self.queue.close()
        if "accounts" in self.__dict__:
            self.accounts.ledger.close()
        if self.copies is not None:
            self.copies.close()
        self.store.close()

    async def process(self, job: Job) -> Any:
        """Work one job with the processor of its trigger, or else of ANY_TRIGGER."""
        work = self.processors.get(job.trigger) or self.processors[ANY_TRIGGER]
        scope = trust.settle_scope(self.settings.home, job.episode.scope)
        self.tenants.add(scope.tenant)
        return await work(self, job._replace(episode=job.episode._replace(scope=scope)))


def settings_at(place: str, given: Settings | None) -> Settings:
    """The settings for a hardwon at `place`; `given` ones are used if there are any."""
    if _files.is_database(place):
        return given.on_database(place) if given else load(place)
    if "://" in place:
        raise InvalidInput(f"no backend for {place.split('://')[0]!r} URLs")
    home = "" if place == MEMORY else os.path.abspath(os.path.expanduser(place)) if place else ""
    return given or load(home or None)


def _open_store(settings: Settings, *, on_disk: bool) -> tuple[Store, mirror.Copies | None]:
    """The configured store, and the local copies that its worker keeps up to date."""
    if not on_disk:
        return sqlite.MemoryStore(), None
    home, shared, copies = settings.home, settings.postgres, None
    _files.make_folder(home)
    _files.ensure_own(home)
    store: Store
    if settings.is_on_copy:
        store = sqlite.SqliteStore(home, copy_of=settings.remote)
    elif not shared.url:
        store = sqlite.SqliteStore(home)
    else:
        from hardwon.storage.stores import postgres

        store = postgres.PostgresStore(shared.url, home, migrate=shared.migrate, pool=shared.pool)
        from hardwon.engine import mirror

        copies = mirror.copies_of(store, settings)
    goals = settings.goals
    if goals.redis_url:
        from hardwon.storage.stores import redis

        patience = goals.redis_patience.total_seconds()
        how = {"prefix": goals.redis_prefix, "recent": goals.recent, "patience": patience}
        store = redis.with_redis(store, goals.redis_url, **how)
    return store, copies


def _take_in(engine: Runtime, kind: str, records: list[list[Any]]) -> None:
    from hardwon.engine import mirror

    mirror.take_in(engine, kind, records)


def prompt_text(name: str) -> str:
    """The text of a prompt, by its file name without `.md`."""
    with open(os.path.join(_PROMPTS, f"{name}.md"), encoding="utf-8") as file:
        return file.read()


def _warn(error: BaseException) -> None:
    import logging

    logging.getLogger("hardwon").warning("no lessons at this door", exc_info=error)
