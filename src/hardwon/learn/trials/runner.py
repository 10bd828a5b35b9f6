"""The loop: act, verify, reflect, try again. Every step is durable before the next one begins.

The prompt of the actor has the task, a window of Ω reflections within a budget, and the checks.
"""

from __future__ import annotations

import asyncio
import math
import os
import re
import time
from collections.abc import Awaitable, Sequence
from contextlib import suppress
from typing import Any

from hardwon.core.errors import HardwonError, InvalidInput
from hardwon.core.text.clean import clip
from hardwon.core.text.redact import redact
from hardwon.engine.runtime import Runtime, prompt_text
from hardwon.learn.trials import files, reflect, values
from hardwon.learn.trials.files import Difference, LoopJournal, repository
from hardwon.learn.trials.roles import Attempt, Functions, Roles, verifier
from hardwon.learn.trials.to_lessons import keep_lessons, prior_knowledge

_POLL = 0.25  # seconds between two looks for a request to abort


class Runner:
    """Runs one loop to its end, or until it is stopped."""

    def __init__(self, engine: Runtime, journal: LoopJournal, functions: Functions) -> None:
        self._engine = engine
        self._model = engine.model  # opened here, so that a bad model fails before the first trial
        self._system = prompt_text("trial_reflection")
        self._journal = journal
        options, folder = self.state.options, journal.folder
        self._roles = Roles(options, functions, mark=folder.path)
        self._repository = repository(options.cwd, folder.at("git"))
        self._say = functions.say
        self._recalled: str | None = None
        self._lessons = 0
        self._delivery = ""

    @property
    def state(self) -> values.LoopState:
        """The current state of the loop."""
        assert self._journal.state is not None
        return self._journal.state

    async def run(self) -> values.LoopState:
        """Run the loop; returns the state in which it ended."""
        while self.state.status == "running":
            if self._is_aborted():
                self._end(values.LoopEnd("aborted", "aborted by request"))
            elif ended := values.verdict(self.state):
                self._end(ended)
            else:
                await self._trial()
        return self.state

    async def _trial(self) -> None:
        """One trial, continued where an earlier process stopped."""
        began = time.monotonic()
        attempt = await self._unless_aborted(self._act())
        if attempt is None:
            return
        evaluation = await self._unless_aborted(self._judge(attempt))
        if evaluation is None:
            return
        record = self._record(attempt.output, evaluation)
        seconds = round(time.monotonic() - began, 3)
        if record.outcome != "passed":
            record = await self._reflect(record)
        assert self.state.open is not None
        trial = reflect.summary(record)._replace(
            seconds=seconds, tree=self.state.open.tree, lessons_used=self.state.open.lessons_used
        )
        self._add("finished", trial=trial.number, summary=trial)
        self._say("finished", self.state)

    async def _act(self) -> Attempt:
        """The attempt of this trial; a recorded attempt is not made again."""
        if self.state.open and self.state.open.actor:
            recorded = self.state.open.actor
            return Attempt(recorded, recorded.rationale, recorded.rationale)
        number = self.state.open.number if self.state.open else len(self.state.trials)
        prompt = self._begin(number)
        prompt_file = self._journal.folder.at("trials", f"{number + 1:03d}.prompt.md")
        files.write(prompt_file, prompt.encode("utf-8", "replace"), durable=False)
        self._say("acting", self.state)
        attempt = await self._roles.act(prompt, prompt_file=prompt_file)
        self._journal.guard()
        tree, difference = self._snapshot()
        output = _without_secrets(
            difference.applied_to(attempt.output) if difference else attempt.output
        )
        printed = self._journal.folder.at("trials", f"{number + 1:03d}.out")
        files.write(printed, redact(attempt.text).encode("utf-8", "replace"), durable=False)
        self._add("acted", trial=number, actor=output, tree=tree)
        return attempt._replace(output=output)

    def _begin(self, number: int) -> Prompt:
        self._journal.guard()
        earlier, options = self._earlier(), self.state.options
        visible = in_view(self.state, earlier)
        last = earlier[-1] if visible else None  # the window may not contain it
        if self._recalled is None and options.recall:  # once per run of the loop
            loops = os.path.dirname(self._journal.folder.path)
            with suppress(HardwonError):  # the loop goes on without its memory
                known = prior_knowledge(self._engine, self.state.scope, options.task, loops=loops)
                self._recalled, self._delivery = known.text, known.id
                self._lessons = len(known.lessons)
        lessons = self._recalled or ""
        prompt = Prompt.of(options, number, window=visible, last=last, known=lessons)
        used = [record.iteration for record in prompt.reflections]
        self._add(
            "began", trial=number, window=used, lessons=self._lessons, delivery=self._delivery
        )
        return prompt

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

    async def _judge(self, attempt: Attempt) -> values.EvaluatorOutput:
        assert self.state.open is not None
        if self.state.open.evaluation:
            return self.state.open.evaluation
        self._say("verifying", self.state)
        if crash := attempt.output.crash:
            is_late = "time limit" in crash
            error = values.StructuredError(
                "timeout" if is_late else "runtime_error", crash, tool="actor"
            )
            judged = values.EvaluatorOutput(False, "heuristic", errors=(error,))
        else:
            judged = await self._roles.judge(attempt)
        evaluation: values.EvaluatorOutput = _without_secrets(judged)
        self._add("judged", trial=self.state.open.number, evaluation=evaluation)
        return evaluation

    def _record(
        self, actor: values.ActorOutput, evaluation: values.EvaluatorOutput
    ) -> values.Record:
        """What happened in the open trial, before any reflection."""
        state, earlier = self.state, self._earlier()
        assert state.open is not None
        number = state.open.number
        bad = [result.tool for result in evaluation.results if result.status != "pass"]
        reason = f"{', '.join(bad) or 'the evaluation'} failed"
        outcome: values.Outcome = "final" if number + 1 >= state.options.max_trials else "failed"
        if actor.crash:
            outcome, reason = "critical", actor.crash
        elif evaluation.passed:
            outcome, reason = "passed", "all verifications passed"
        before = earlier[-1].evaluator_output if earlier else None
        return values.Record(
            loop_id=state.loop_id,
            iteration=number,
            timestamp=self._now(),
            actor_output=actor,
            evaluator_output=evaluation,
            self_reflection=values.SelfReflection(""),
            memory_metadata=values.MemoryMetadata(),
            task_description=state.task,
            context_injected=bool(state.open.window),
            previous_reflections_used=state.open.window,
            performance_delta=reflect.compare(evaluation, before) if before else None,
            outcome=outcome,
            reason=reason,
            signature=reflect.signature_of(evaluation, actor.crash),
        )

    async def _reflect(self, record: values.Record) -> values.Record:
        """The record with its reflection; one that is on disk is used again."""
        stored = self._journal.records.get(record.iteration)
        if stored is not None and stored.signature == record.signature:
            return stored
        state, earlier = self.state, self._earlier()
        failed = reflect.FailedTrial(record, earlier)
        words = await reflect.reflect(
            failed, model=self._model, system=self._system, scope=state.scope
        )
        record = record._replace(self_reflection=_without_secrets(words))
        record = record._replace(memory_metadata=memory_of(state, [*earlier, record]))
        self._journal.keep(record)
        return record

    def _earlier(self) -> tuple[values.Record, ...]:
        return tuple(self._journal.records[number] for number in sorted(self._journal.records))

    def _end(self, ended: values.LoopEnd) -> None:
        """Keep the lessons, then close the journal."""
        reflections = list(self._journal.records.values())
        lessons = keep_lessons(self._engine, self.state, reflections, self._repository)
        outcome = "helped" if ended.status == "succeeded" else "failed"
        for delivery in self.state.deliveries:
            self._engine.store.deliveries.report(self.state.scope, delivery, outcome)
        self._add("ended", status=ended.status, reason=ended.reason, lessons=lessons)
        before, best = self.state.tree, self.state.best
        if self._repository and best and best.tree and before:
            try:
                patch = self._repository.difference(before, best.tree).patch
                path = self._journal.folder.at("best.patch")
                files.write(path, patch.encode("utf-8", "surrogateescape"))
            except HardwonError as error:
                self._journal.note(f"no patch of the best trial: {error}")
        self._say("ended", self.state)

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


def _without_secrets(value: Any) -> Any:
    """The value with all secrets in its texts redacted."""
    if isinstance(value, str):
        return redact(value)
    if hasattr(value, "_fields"):
        return type(value)(*map(_without_secrets, value))
    return type(value)(map(_without_secrets, value)) if isinstance(value, tuple | list) else value


def in_view(state: values.LoopState, records: Sequence[values.Record]) -> list[values.Record]:
    """The reflections that the next trial sees."""
    if not state.options.inject:
        return []
    size = omega(state.options.omega, state.kind, records)
    return window(records, policy=state.options.policy, size=size)


def memory_of(state: values.LoopState, records: Sequence[values.Record]) -> values.MemoryMetadata:
    """The window after this trial."""
    visible = in_view(state, records)
    return values.MemoryMetadata(
        omega_capacity=omega(state.options.omega, state.kind, records),
        current_memory_size=len(visible),
        reflections_in_context=tuple(record.iteration for record in visible),
        window_policy=state.options.policy,
        total_reflections_generated=len(records),
    )


_ERRORS_SHOWN = 10
DEFAULTS = {
    "unit_tests": 1,
    "integration_tests": 3,
    "type_check": 1,
    "lint": 1,
    "combined": 3,
    "manual_review": 5,
}
_OTHERWISE = 3
_LARGEST = 10
_LINE = r"(\w\.[A-Za-z]{1,5}):\d{1,7}\b(?::\d{1,7}\b)?"
_DECAY = 0.8  # the weight of each trial further back


class Prompt(str):
    """The prompt of one trial: a string that also has its parts as attributes."""

    task: str
    trial: int
    reflections: tuple[values.Record, ...]

    @classmethod
    def of(
        cls,
        options: values.Options,
        trial: int,
        *,
        window: Sequence[values.Record],
        last: values.Record | None,
        known: str,
    ) -> Prompt:
        """The prompt of a trial with the reflections that fit and the errors of the last trial."""
        fitted = fitting(window, options.window_tokens)
        taught = (
            "## What earlier trials taught\n"
            f"This is trial {trial + 1} of at most {options.max_trials}. These are my reflections"
            " on trials that failed, oldest first. Do not repeat what failed."
        )
        errors = last.evaluator_output.errors[:_ERRORS_SHOWN] if last else ()
        checks = [
            f"a person: {check.command}" if check.is_manual else f"`{check.command}`"
            for check in map(verifier, options.verify)
        ]
        sections = (
            options.task,
            "\n\n".join((taught, *(text for _, text in fitted))) if fitted else "",
            _list(
                "## What the tools said last",
                [f"{error.tool or 'check'}: {reflect.describe(error)}" for error in errors],
            ),
            known,
            _list("## How the work will be checked", checks),
        )
        prompt = cls("\n\n".join(section for section in sections if section) + "\n")
        prompt.task, prompt.trial = options.task, trial
        prompt.reflections = tuple(record for record, _ in fitted)
        return prompt


def _list(head: str, items: Sequence[str]) -> str:
    return "\n".join((head, *(f"- {item}" for item in items))) if items else ""


def check_omega(text: str) -> None:
    """Refuse all but `""` (by what is verified), `auto` (by how varied failures are), 1 … 10."""
    is_number = text.isascii() and text.isdigit() and 1 <= int(text) <= _LARGEST
    if text not in ("", "auto") and not is_number:
        raise InvalidInput(f"omega must be auto or in 1 … {_LARGEST}, not {text!r}")


def omega(setting: str, kind: str, records: Sequence[values.Record]) -> int:
    """The size of the window; by `auto` larger when there are more kinds of failure."""
    if setting == "auto":
        kinds = len({record.category for record in records})
        return 5 if kinds >= 5 else 3 if kinds >= 3 else 1
    return int(setting) if setting else DEFAULTS.get(kind, _OTHERWISE)


def window(
    records: Sequence[values.Record], *, policy: values.Policy, size: int
) -> list[values.Record]:
    """At most `size` reflections, oldest first.

    Chosen are the newest, the newest on each failure (`recency`), or the most relevant ones.
    """
    newest = sorted(records, key=lambda record: record.iteration, reverse=True)
    if policy == "recency":
        newest.sort(key=lambda record: (record.timestamp, record.iteration), reverse=True)
        first = {record.signature: record for record in reversed(newest)}.values()
        newest.sort(key=lambda record: record not in first)
    elif policy == "relevance_weighted" and newest:
        last = newest[0]
        newest.sort(key=lambda record: -relevance(record, last))
    return sorted(newest[:size], key=lambda record: record.iteration)


def relevance(record: values.Record, last: values.Record) -> float:
    """How relevant a reflection is to the last failure; older ones count less."""
    matching = 2.0 * (record.signature == last.signature) + 1.0 * (record.category == last.category)
    shared = _words(record) & _words(last)
    overlap = len(shared) / max(1, len(_words(last)))
    sure = 0.5 + record.self_reflection.confidence / 2
    return float(
        (1 + matching + 2 * overlap) * sure * _DECAY ** (last.iteration - record.iteration)
    )


def _words(record: values.Record) -> set[str]:
    texts = (error.message for error in record.evaluator_output.errors[:10])
    return set(re.findall(r"[a-z_]{3,}", " ".join(texts).lower()))


def tokens(text: str) -> int:
    """A rough count of tokens."""
    return math.ceil(len(text) / 4)


def fitting(records: Sequence[values.Record], budget: int) -> list[tuple[values.Record, str]]:
    """The rendered reflections that fit, newest chosen first, shown oldest first.

    The newest is always among them, cut if it must be.
    """
    fitted: list[tuple[values.Record, str]] = []
    remaining = budget
    newest_first = sorted(records, key=lambda record: record.iteration, reverse=True)
    for record in newest_first:
        text = render(record)
        if record is not newest_first[0]:
            text = re.sub(_LINE, r"\1", text)  # later edits have moved the lines
        if tokens(text) > remaining:
            if not fitted and budget:
                fitted.append((record, clip(text, budget * 4)))
            break
        fitted.append((record, text))
        remaining -= tokens(text)
    return fitted[::-1]


def render(record: values.Record) -> str:
    """One reflection as the actor reads it."""
    reflection = record.self_reflection
    parts = (
        f"### Trial {record.iteration + 1}",
        reflection.reflection_text,
        _list("What I will do differently:", reflection.actionable_insights),
        _list("What I learnt:", reflection.lessons_learned),
    )
    return "\n".join(part for part in parts if part)
