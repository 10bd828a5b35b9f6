"""The loop: act, verify, reflect, try again. Every step is durable before the next one begins."""

from __future__ import annotations

import asyncio
import os
import time
from typing import TYPE_CHECKING, Any

from hardwon.core.errors import HardwonError
from hardwon.engine.runtime import prompt_text
from hardwon.learn.trials import files, records
from hardwon.learn.trials.codec import to_json
from hardwon.learn.trials.credit import FailedTrial
from hardwon.learn.trials.prompt import Prompt
from hardwon.learn.trials.reflect import reflect
from hardwon.learn.trials.roles import Attempt
from hardwon.learn.trials.state import LoopEnd, verdict
from hardwon.learn.trials.to_lessons import keep_lessons, prior_knowledge

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from hardwon.engine.runtime import Runtime
    from hardwon.learn.trials.files import LoopJournal
    from hardwon.learn.trials.roles import Roles
    from hardwon.learn.trials.snapshots import Difference, Repository
    from hardwon.learn.trials.state import LoopState, Options, Trial
    from hardwon.learn.trials.values import ActorOutput, EvaluatorOutput, Record

_POLL = 0.25  # seconds between two looks for a request to abort


class Runner:
    """Runs one loop to its end, or until it is stopped."""

    def __init__(
        self,
        engine: Runtime,
        journal: LoopJournal,
        roles: Roles,
        *,
        repository: Repository | None = None,
        say: Callable[[str, LoopState], None] = lambda event, state: None,
    ) -> None:
        self._engine = engine
        self._model = engine.model  # opened here, so that a bad model fails before the first trial
        self._system = prompt_text("trial_reflection")
        self._journal = journal
        self._roles = roles
        self._repository = repository
        self._say = say
        self._recalled: str | None = None
        self._lessons = 0
        self._delivery = ""

    @property
    def state(self) -> LoopState:
        """The current state of the loop."""
        assert self._journal.state is not None
        return self._journal.state

    @property
    def _options(self) -> Options:
        return self.state.options

    async def run(self) -> LoopState:
        """Run the loop; returns the state in which it ended."""
        while self.state.status == "running":
            if self._is_aborted():
                self._end(LoopEnd("aborted", "aborted by request"))
            elif ended := verdict(self.state):
                self._end(ended)
            else:
                await self._trial()
        return self.state

    async def _trial(self) -> None:
        """One trial, continued where an earlier process stopped."""
        number = self.state.open.number if self.state.open else len(self.state.trials)
        began = time.monotonic()
        attempt = await self._unless_aborted(self._acted(number))
        if attempt is None:
            return
        evaluation = await self._unless_aborted(self._judged(number, attempt))
        if evaluation is not None:
            await self._finish(attempt.output, evaluation, began=began)

    async def _acted(self, number: int) -> Attempt:
        """The attempt of this trial; a recorded attempt is not made again."""
        if self.state.open and self.state.open.actor:
            recorded = self.state.open.actor
            return Attempt(recorded, recorded.rationale, recorded.rationale)
        prompt = self._begin(number)
        prompt_file = self._journal.folder.at("trials", f"{number + 1:03d}.prompt.md")
        files.spill(prompt_file, prompt)
        self._say("acting", self.state)
        attempt = await self._roles.act(prompt, prompt_file=prompt_file)
        self._journal.guard()
        return self._recorded(number, attempt)

    def _begin(self, number: int) -> Prompt:
        self._journal.guard()
        earlier = self._earlier()
        visible = records.in_view(self.state, earlier)
        last = earlier[-1] if visible else None  # the window may not contain it
        lessons = self._recall()
        prompt = Prompt.of(self._options, number, window=visible, last=last, known=lessons)
        used = [record.iteration for record in prompt.reflections]
        self._add(
            "began", trial=number, window=used, lessons=self._lessons, delivery=self._delivery
        )
        return prompt

    def _recall(self) -> str:
        """The lessons for this task and similar ones; recalled once per run of the loop."""
        if self._recalled is None and self._options.recall:
            loops = os.path.dirname(self._journal.folder.path)
            try:
                recalled = prior_knowledge(
                    self._engine, self.state.scope, self._options.task, loops=loops
                )
            except HardwonError:  # the loop goes on without its memory
                return ""
            self._recalled, self._delivery = recalled.text, recalled.id
            self._lessons = len(recalled.lessons)
        return self._recalled or ""

    def _recorded(self, number: int, attempt: Attempt) -> Attempt:
        tree, difference = self._snapshot()
        output = attempt.output
        if difference:
            output = records.with_changes(output, difference)
        output = records.redacted(output)
        spilled = self._journal.folder.at("trials", f"{number + 1:03d}.out")
        files.spill(spilled, records.redacted(attempt.text))
        self._add("acted", trial=number, actor=to_json(output), tree=tree)
        return attempt._replace(output=output)

    def _snapshot(self) -> tuple[str, Difference | None]:
        """A snapshot of the work tree, and what this trial changed in it."""
        if self._repository is None:
            return "", None
        before = self.state.trials[-1].tree if self.state.trials else self.state.tree
        try:
            tree = self._repository.snapshot()
            return tree, self._repository.difference(before, tree) if before else None
        except HardwonError as error:
            self._journal.note(f"no snapshot of the work tree: {error}")
            return "", None

    async def _judged(self, number: int, attempt: Attempt) -> EvaluatorOutput:
        if self.state.open and self.state.open.evaluation:
            return self.state.open.evaluation
        crash = attempt.output.crash
        self._say("verifying", self.state)
        judged = records.crashed(crash) if crash else await self._roles.judge(attempt)
        evaluation = records.redacted(judged)
        self._add("judged", trial=number, evaluation=to_json(evaluation))
        return evaluation

    async def _finish(
        self, actor: ActorOutput, evaluation: EvaluatorOutput, *, began: float
    ) -> None:
        last = next(reversed(self._earlier()), None)
        trial = records.trial(self.state, actor, evaluation, last=last)
        trial = trial._replace(at=self._now(), seconds=round(time.monotonic() - began, 3))
        if trial.outcome != "passed":
            record = await self._reflected(trial, actor, evaluation)
            trial = records.with_reflection(trial, record.self_reflection)
        self._add("finished", trial=trial.number, summary=to_json(trial))
        self._say("finished", self.state)

    async def _reflected(
        self, trial: Trial, actor: ActorOutput, evaluation: EvaluatorOutput
    ) -> Record:
        """The reflection on a trial; one that is on disk is used again."""
        stored = self._journal.records.get(trial.number)
        if stored is not None and stored.signature == trial.signature:
            return stored
        earlier = self._earlier()
        failed = FailedTrial(
            self._options.task, trial.number, actor, evaluation, trial.signature, earlier
        )
        words = await reflect(
            failed, model=self._model, system=self._system, scope=self.state.scope
        )
        record = records.record(self.state, trial, actor, evaluation)
        record = record._replace(self_reflection=records.redacted(words))
        record = record._replace(memory_metadata=records.memory(self.state, [*earlier, record]))
        self._journal.keep(record)
        return record

    def _earlier(self) -> tuple[Record, ...]:
        return tuple(self._journal.records[number] for number in sorted(self._journal.records))

    def _end(self, ended: LoopEnd) -> None:
        """Keep the lessons, then close the journal."""
        reflections = list(self._journal.records.values())
        lessons = keep_lessons(self._engine, self.state, reflections) if reflections else 0
        self._report(ended)
        self._add("ended", status=ended.status, reason=ended.reason, lessons=lessons)
        _keep_best(self._journal, self._repository)
        files.write_summary(self._journal.folder, self.state)
        self._say("ended", self.state)

    def _report(self, ended: LoopEnd) -> None:
        outcome = "helped" if ended.status == "succeeded" else "failed"
        for delivery in self.state.deliveries:
            self._engine.store.deliveries.report(self.state.scope, delivery, outcome)

    def _is_aborted(self) -> bool:
        return os.path.exists(self._journal.folder.at(files.ABORT))

    async def _unless_aborted(self, step: Awaitable[Any]) -> Any:
        """The result of the step; None if the loop was aborted meanwhile."""
        task = asyncio.ensure_future(step)
        try:
            while not (await asyncio.wait([task], timeout=_POLL))[0]:
                if self._is_aborted():
                    return None
            return task.result()
        finally:
            if not task.done():
                task.cancel()
                await asyncio.wait([task])

    def _add(self, event: str, **facts: Any) -> None:
        self._journal.add({"event": event, "at": self._now(), **facts})

    def _now(self) -> str:
        return self._engine.clock().isoformat()


def _keep_best(journal: LoopJournal, repository: Repository | None) -> None:
    """Write the changes of the best trial as a patch."""
    state = journal.state
    best = state.best if state else None
    if repository is None or state is None or best is None or not (best.tree and state.tree):
        return
    try:
        patch = repository.difference(state.tree, best.tree).patch
    except HardwonError as error:
        journal.note(f"no patch of the best trial: {error}")
        return
    files.write(journal.folder.at("best.patch"), patch.encode("utf-8", "surrogateescape"))
