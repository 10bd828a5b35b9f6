"""Turn a loop's reflections into lessons, and recall them for similar tasks."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime

from hardwon.core.errors import HardwonError
from hardwon.core.text.clean import clip, one_line
from hardwon.core.text.grounding import fold_text, keep_supported
from hardwon.core.values.delivery import Injection
from hardwon.core.values.lesson import Evidence, Kind, Lesson, Status, evidence_of
from hardwon.core.values.run import Episode, Trigger
from hardwon.core.values.scope import Scope
from hardwon.engine.runtime import Runtime
from hardwon.knowledge.reading.signature import signature
from hardwon.learn.trials import reflect, values
from hardwon.learn.trials.analytics import similar_loops
from hardwon.learn.trials.files import Repository, number_name

_OVERCOME, _MET = 0.8, 0.45
_SHELL = "bash"  # the usual name of the tool in which an agent would see the failure again


def keep_lessons(
    engine: Runtime,
    state: values.LoopState,
    records: Sequence[values.Record],
    repository: Repository | None = None,
) -> int:
    """Keep a lesson for every kind of failure in the loop; returns how many."""
    if state.options.lessons == "off":
        return 0
    newest = {record.signature: record for record in records}  # the last reflection on each failure
    for record in newest.values():
        failure = _Failure(state, record, records, repository)
        if state.options.lessons == "queue":
            engine.capture(failure.episode(), Trigger.VERIFICATION)
        else:
            engine.keep(failure.lesson())
    return len(newest)


def prior_knowledge(engine: Runtime, scope: Scope, task: str, *, loops: str) -> Injection:
    """What is known for a task: what the turn door tells, and what loops like this one taught."""
    similar = similar_loops(loops, scope, task)
    asked = "\n".join(dict.fromkeys((task, *similar.values())))
    run = engine.doors.run(scope, None)

    def is_wanted(lesson: Lesson) -> bool:
        from_loops = (value.partition("/")[0] for value in evidence_of(lesson, Kind.LOOP))
        return any(loop_id in similar for loop_id in from_loops)

    return engine.doors.tell_at_turn(scope, asked, task, run, is_wanted)


class _Failure:
    """A kind of failure in a loop, with the last reflection on it and what got over it."""

    def __init__(
        self,
        state: values.LoopState,
        record: values.Record,
        records: Sequence[values.Record],
        repository: Repository | None,
    ) -> None:
        self._state, self._record, self._records = state, record, records
        self._words, self._evaluation = record.self_reflection, record.evaluator_output
        self._worst = reflect.main_error(self._evaluation.errors)
        self._is_imported = state.reason == values.IMPORTED
        self._is_by_rules = self._words.author.startswith(reflect.RULES)
        self._overcome = self._find_overcome(repository)

    def episode(self) -> Episode:
        """The failure for the queue, which words the lesson later."""
        return Episode(
            self._state.scope,
            self._record.task_description,
            attempt=self._words.reflection_text,
            error=reflect.describe(self._worst, 800) if self._worst else self._record.reason,
            source=f"trials:{self._record.loop_id}",
        )

    def lesson(self) -> Lesson:
        """The lesson of the reflection; a failure that was overcome gives more confidence."""
        state, record = self._state, self._record
        bad = [result for result in self._evaluation.results if result.status != "pass"]
        at, worst = datetime.fromisoformat(record.timestamp), self._worst
        said = f"{worst.tool or 'the check'} says “{clip(worst.message, 200)}”" if worst else ""
        task = clip(one_line(record.task_description), 200)
        situation = f"When the task is like “{task}”{f' and {said}' if said else ''}"
        if not task:  # if both are missing, the reflection's own text
            situation = f"When {said}" if said else clip(one_line(self._words.reflection_text), 200)
        where = f"{state.loop_id}/{number_name(record.iteration)}"
        # What another program's model wrote was told there, and is told here.
        status = Status.PROVEN if self._is_imported or self._overcome else Status.CANDIDATE
        if self._is_by_rules and not self._overcome:
            status = Status.SEEN
        return Lesson(
            scope=state.scope,
            situation=situation,
            mistake=self._mistake(),
            correction=self._correction(),
            tags=(record.category, *sorted({result.tool for result in bad})),
            trigger=Trigger.VERIFICATION,
            signatures=self._signatures(),
            evidence=(Evidence(Kind.LOOP, where, at.timestamp()),),
            origin=f"{'import:aiwg' if self._is_imported else 'trials'}:{state.loop_id}",
            author=self._words.author,
            job=f"{state.loop_id}/{record.iteration}",
            confidence=_OVERCOME if self._overcome else min(_MET, self._words.confidence),
            status=status,
        )

    def _signatures(self) -> tuple[str, ...]:
        """Of the errors, and of what an agent's shell would show again."""
        errors = [error for error in self._evaluation.errors[:5] if reflect.is_error(error)]
        shown = [error.message for error in errors]
        results = (one for one in self._evaluation.results if one.status == "fail")
        shown += [f"{result.stdout}\n{result.stderr}" for result in results]
        digests = [*map(reflect.digest, errors), *(signature(_SHELL, one).digest for one in shown)]
        return tuple(dict.fromkeys(digests))

    def _find_overcome(self, repository: Repository | None) -> values.Trial | None:
        """The first later trial that did better and did not fail this way.

        Its change is all that was changed since the failure, also by trials in between.
        """
        record, trials = self._record, self._state.trials
        before = next((trial.tree for trial in trials if trial.number == record.iteration), "")
        later = [trial for trial in trials if trial.number > record.iteration]
        reward = self._evaluation.reward_signal
        for trial in later:
            if trial.signature != record.signature and trial.reward > reward:
                if repository and trial is not later[0] and before and trial.tree:
                    with suppress(HardwonError):
                        since = repository.difference(before, trial.tree)
                        output = since.applied_to(values.ActorOutput())
                        return trial._replace(change=reflect.describe_change(output))
                return trial
        return None

    def _mistake(self) -> str:
        """The cause, without its line number: later edits change that."""
        if self._worst and self._is_by_rules and not self._record.actor_output.crash:
            return reflect.describe(self._worst, 300, with_line=False)
        credit = self._words.credit_assignment
        cause = credit.root_cause if credit else ""
        return cause or clip(self._words.reflection_text, 400)

    def _correction(self) -> str:
        """What to do: a model's advice, or what the trials proved."""
        words, trial = " ".join(dict.fromkeys(self._advice()[:4])), self._overcome
        if trial:
            worked = f": {trial.change}" if trial.change else ""
            return f"{words} (Trial {trial.number + 1} got over it{worked})".strip()
        if self._is_imported:
            return words
        return f"{words} (No trial of that loop got over it.)".strip()

    def _advice(self) -> list[str]:
        """A model's advice, without names that the loop never showed.

        Of the rules only lessons about this error: their steps fit one trial.
        """
        words = self._words
        if self._is_by_rules:
            phrase = reflect.describe(self._worst, with_line=False) if self._worst else ""
            return [lesson for lesson in words.lessons_learned if phrase and phrase in lesson]
        shown = [
            f"{one.task_description} {one.actor_output} {one.evaluator_output}"
            for one in self._records
        ]
        grounds = fold_text(" ".join([*shown, self._overcome.change if self._overcome else ""]))
        advice = words.lessons_learned + words.actionable_insights
        supported = (keep_supported(text, grounds)[0] for text in advice)
        return list(filter(None, supported)) or [words.reflection_text]
