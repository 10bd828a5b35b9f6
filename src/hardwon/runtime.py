"""The only wiring: which stage gets which port. Methods of a few lines, no policy."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from functools import cached_property

from hardwon._cold.lazy import lazy
from hardwon.doors import Doors
from hardwon.errors import (
    BudgetSpent,
    HardwonError,
    InvalidInput,
    PermanentError,
    SetupError,
    storage_error,
)
from hardwon.pipeline import edge, inject
from hardwon.values.delivery import Door, Injection

TYPE_CHECKING = False
if TYPE_CHECKING:
    import asyncio
    from collections.abc import Awaitable, Callable, Mapping, Sequence
    from datetime import timedelta
    from typing import Any

    from hardwon import _sync, embeddings, models, worker
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
    from hardwon.settings import GoalSettings, Settings
    from hardwon.stores import memory, redis, runs, sqlite
    from hardwon.values import evidence, lesson_check, provenance
    from hardwon.values import queue as outcomes
    from hardwon.values.episode import Episode
    from hardwon.values.job import Job
    from hardwon.values.lesson import Lesson
    from hardwon.values.queue import QueueCounts, Tally
    from hardwon.values.scope import Scope
    from hardwon.values.step import Step

    Answerer = Callable[[Request], Any]
    Processor = Callable[["Runtime", Job], Awaitable[Any]]
else:
    runs = lazy("hardwon.stores.runs")
    outcomes = lazy("hardwon.values.queue")
    memory, sqlite = lazy("hardwon.stores.memory"), lazy("hardwon.stores.sqlite")
    redis = lazy("hardwon.stores.redis")
    asyncio, _sync = lazy("asyncio"), lazy("hardwon._sync")
    embeddings = lazy("hardwon.embeddings")
    provenance = lazy("hardwon.values.provenance")
    lesson_check = lazy("hardwon.values.lesson_check")
    evidence = lazy("hardwon.values.evidence")
    models, rules = lazy("hardwon.models"), lazy("hardwon.models.rules")
    function, budget = lazy("hardwon.models.function"), lazy("hardwon.models.budget")
    capture, consolidate = lazy("hardwon.pipeline.capture"), lazy("hardwon.pipeline.consolidate")
    reflect, screen = lazy("hardwon.pipeline.reflect"), lazy("hardwon.pipeline.screen")
    refine, verify = lazy("hardwon.pipeline.refine"), lazy("hardwon.pipeline.verify")
    imagine = lazy("hardwon.pipeline.imagine")
    mine, word = lazy("hardwon.pipeline.mine"), lazy("hardwon.pipeline.word")
    work, worker = lazy("hardwon.pipeline.work"), lazy("hardwon.worker")


MEMORY = "memory:"
TEXT_LIMIT = 16 * 1024
_DIGESTED = 50  # the newest-consulted lessons among which a digest chooses
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
        self.store: Store = edge.screened_store(self._store())
        self.embeds = bool(embedder or settings.recall.embedder)
        if self.embeds:
            self.meaning.ensure()
        self.doors = Doors(
            self.store,
            settings,
            clock,
            on_disk=target != MEMORY,
            near=self._near,
            trouble=lambda error: self.trouble(error),
        )

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
            tend=self.meaning.fill if self.embeds else None,
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
    def ledger(self) -> budget.Ledger:
        """The book of what models have cost."""
        if self.target == MEMORY:
            return budget.MemoryLedger()
        return budget.FileLedger(os.path.join(self.settings.home, "spend"))

    def digest(self, scope: Scope, tokens: int) -> Injection:
        """The lessons most worth knowing, whatever comes."""
        known = self.store.lessons.recent(scope, status="active", limit=_DIGESTED)
        known.sort(key=lambda lesson: (-lesson.met, -lesson.confidence, -lesson.id))
        block = inject.render(known, door=Door.TURN, budget=tokens)
        return Injection(block.text, block.lessons)

    def spent(self) -> budget.Spent:
        """What models have cost today."""
        return budget.total(self.ledger.rows(budget.day_of(self.clock())))

    def verified(self, task: str, answer: str) -> verify.Verdict:
        """Whether an answer holds, found out by a chain of verification."""
        asked = screen.screen_text(task, TEXT_LIMIT), screen.screen_text(answer, TEXT_LIMIT)
        return _sync.run_sync(lambda: verify.verify(*asked, model=self.model, prompt=prompt_text))

    def refined(self, task: str, answer: str) -> refine.Refined:
        """The answer, criticised and written again as long as that helps."""
        asked = screen.screen_text(task, TEXT_LIMIT), screen.screen_text(answer, TEXT_LIMIT)
        return _sync.run_sync(lambda: refine.refine(*asked, model=self.model, prompt=prompt_text))

    def imagined(self, query: str) -> str:
        """A lesson that might exist for a query; "" when that is off or no model is there."""
        if not self.settings.hyde.enabled or not self.has_model:
            return ""
        return _sync.run_sync(lambda: self._hypothesis(query))

    def enriched(self, prompt: str, hyde: bool | None) -> str:
        """The same for recall, when the caller or the settings want it: in time or not at all."""
        if not (self.settings.hyde.enabled if hyde is None else hyde):
            return ""
        try:
            if not self.has_model:
                return ""
            patience = self.settings.recall.patience.total_seconds()
            return _sync.run_sync(lambda: asyncio.wait_for(self._hypothesis(prompt), patience))
        except (HardwonError, TimeoutError) as error:
            self.trouble(error)
            return ""

    async def _hypothesis(self, query: str) -> str:
        asked = screen.screen_text(query, TEXT_LIMIT)
        system = prompt_text("hypothesis")
        return await self._imagination.hypothesis(asked, model=self.model, system=system)

    @cached_property
    def _imagination(self) -> imagine.Imagination:
        return imagine.Imagination()

    def trigger_of(self, has_error: bool, signals: Mapping[str, str] | None) -> str | None:
        """Why a run is worth a reflection, if it is."""
        return capture.trigger_of(has_error, signals, self.settings.reflexion)

    def capture(self, episode: Episode, trigger: str, recorded: Sequence[Step] = ()) -> Job:
        """Queue an episode durably; `recorded` steps were screened when they were recorded."""
        clean = screen.screen_episode(episode, recorded)
        job = capture.capture(clean, trigger, queue=self.queue, now=self.clock())
        if self.settings.queue.autostart or not self.settings.queue.enabled:
            self.wake()
        return job

    def keep(self, lesson: Lesson) -> Lesson:
        """Store a lesson, or strengthen the one that says it already."""
        screened = screen.screen_lesson(lesson)
        with self.store.together():
            return consolidate.consolidate(screened, lessons=self.store.lessons, now=self.clock())

    def hold(self, lesson: Lesson) -> Lesson:
        """Store a lesson that waits for a person, beside all others."""
        now = self.clock()
        fresh = lesson._replace(created_at=now, updated_at=now, last_seen_at=now)
        return self.store.lessons.add(screen.screen_lesson(fresh))

    def edit(self, scope: Scope, number: int, changes: Mapping[str, Any]) -> Lesson:
        """The lesson with other words."""
        lesson = self.store.lessons.get(scope, number)
        changed = lesson_check.checked(lesson._replace(**changes, updated_at=self.clock()))
        changed = screen.screen_lesson(changed)
        self.store.lessons.update(changed)
        return changed

    def approve(self, scope: Scope, number: int) -> Lesson:
        """The lesson, released from quarantine by a person."""
        lesson = provenance.approved(self.store.lessons.get(scope, number))
        lesson = lesson._replace(updated_at=self.clock())
        self.store.lessons.update(lesson)
        return lesson

    def revoke(self, scope: Scope, origin: str) -> list[Lesson]:
        """Remove every lesson of an origin and all that were made of them; those removed."""
        return screen.revoke(origin, scope=scope, lessons=self.store.lessons)

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

    def queue_status(self) -> tuple[QueueCounts, dict[str, Any]]:
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
        self.store.forget(tenant)

    def close(self) -> None:
        """Release files; what waits in the queue stays."""
        if "queue" in self.__dict__:
            self.queue.close()
        self.store.close()

    async def process(self, job: Job) -> Any:
        """Work one job: ways of learning may have registered for its trigger."""
        return await self.processors.get(job.trigger, _make_lesson)(self, job)

    async def make_lesson(self, job: Job) -> str | None:
        """From a job to a stored lesson; says so when there was nothing to learn."""
        lesson = await self._reflected(job)
        if not self.settings.reflexion.persist:
            if lesson is not None:
                _tell(f"lesson not kept (reflexion.persist is off):\n{lesson.render()}")
        elif lesson is not None:
            self.keep(lesson)
        worded = await self._words_due(job.episode)
        return None if lesson is not None or worded else outcomes.SKIPPED

    async def _reflected(self, job: Job) -> Lesson | None:
        """The lesson of a job: steps are read by rules, a text by the model that there is."""
        model = self._model_for_jobs()
        is_rules = not self.has_model
        has_steps = reflect.is_read_by_rules(job)
        if (is_rules or has_steps) and not reflect.teaches(job):
            return None
        if has_steps:
            return await reflect.reflect(job, model=rules.Rules(), system="")
        if not is_rules and (
            seen := reflect.known(job, lessons=self.store.lessons, now=self.clock())
        ):
            return seen
        try:
            return await reflect.reflect(job, model=model, system=prompt_text("lesson"))
        except BudgetSpent as spent:
            lesson = await reflect.reflect(job, model=rules.Rules(), system="")
            return lesson and provenance.marked(lesson, evidence.Kind.REWORD, spent.limit)

    def _model_for_jobs(self) -> Model:
        try:
            return self.model
        except (InvalidInput, SetupError) as error:
            raise PermanentError(f"no model: {error}") from error

    async def _words_due(self, episode: Episode) -> int:
        """Let the model word what new evidence there is about failure kinds; how often it did."""
        if not (self.has_model and self.settings.reflexion.persist):
            return 0
        memory = mine.Memory(episode.scope, self.store.lessons, screen.screen_lesson, self.clock())
        with self.store.together():
            mine.add_case(episode, memory)
        count = 0
        for lesson in word.due(episode.scope, lessons=self.store.lessons)[: word.A_JOB]:
            asked = word.noted(lesson, memory.now)
            try:
                words = await word.worded(asked, model=self.model, system=prompt_text("kind"))
            except BudgetSpent:
                break
            memory.keep(asked)
            if words is not None:
                self.keep(words)
                count += 1
        return count

    def _store(self) -> Store:
        if self.target == MEMORY:
            return memory.MemoryStore()
        try:
            os.makedirs(self.settings.home, mode=0o700, exist_ok=True)
        except OSError as error:
            raise storage_error(error, self.settings.home) from error
        store = sqlite.SqliteStore(self.settings.home)
        goals = self.settings.goals
        return self._with_redis(store, goals) if goals.redis_url else store

    def _with_redis(self, store: Store, goals: GoalSettings) -> Store:
        return redis.with_redis(
            store,
            goals.redis_url,
            prefix=goals.redis_prefix,
            recent=goals.recent,
            patience=goals.redis_patience.total_seconds(),
        )


async def _make_lesson(engine: Runtime, job: Job) -> Any:
    return await engine.make_lesson(job)


def prompt_text(name: str) -> str:
    """A prompt by its file name."""
    with open(os.path.join(_PROMPTS, f"{name}.md"), encoding="utf-8") as file:
        return file.read()


def _warn(error: BaseException) -> None:
    import logging

    logging.getLogger("hardwon").warning("no lessons at this door", exc_info=error)


def _tell(message: str) -> None:
    """Log at the level that Python shows where nobody has set up logging."""
    import logging

    logging.getLogger("hardwon").warning(message)
