"""Execution reflections: rules judge each run; the judgement is shown when it recurs."""

from __future__ import annotations

import asyncio
import json
from datetime import timedelta
from uuid import uuid4

from hardwon.core._fork import ForkLock
from hardwon.core.text.clean import one_line
from hardwon.core.text.quoting import quotable
from hardwon.core.values import execution
from hardwon.core.values.delivery import NOTHING, Injection
from hardwon.core.values.execution import FinishedRun
from hardwon.core.values.job import Job
from hardwon.core.values.reflection import Reflection
from hardwon.core.values.run import Episode, Step, Trigger
from hardwon.core.values.scope import Scope
from hardwon.engine.runtime import Runtime
from hardwon.knowledge.ranking.query import terms
from hardwon.knowledge.reading.error_line import error_line

HEAD = "[Recent execution insights:]"
_SHOWN, _LOOKED_AT = 3, 20
_LIFE = timedelta(days=30)
_IMPORTANCE = {"error": 0.8, "pattern": 0.7, "efficiency": 0.5, "optimization": 0.3}
_counting = ForkLock()


def queue_judgement(engine: Runtime, scope: Scope, run: FinishedRun) -> Job | None:
    """Queue a job for a run that had issues; None for a success without any."""
    if not execution.judge(run).issues:
        return None
    signals = {
        "seconds": str(run.seconds),
        "retries": str(run.retries),
        "failed": str(run.has_failed).lower(),
        "run": uuid4().hex,  # two identical runs are two jobs
    }
    steps = tuple(Step(tool, "") for tool in run.tools)
    episode = Episode(scope, run.task, "", run.error, steps, tuple(signals.items()), "execution")
    return engine.capture(episode, Trigger.EXECUTION)


async def process(engine: Runtime, job: Job) -> None:
    """Judge a queued run and store the reflection."""
    await asyncio.to_thread(_keep, engine, job)


def context(engine: Runtime, scope: Scope, text: str = "") -> Injection:
    """At most three lines: the latest error, then reflections that recur or fit the text."""
    newest = engine.store.runs.recent(scope, now=engine.clock(), limit=_LOOKED_AT)
    newest.sort(key=lambda run: not run.details.get("recurring_pattern"))
    error = next((run for run in newest if run.state == "error"), None)
    words = set(terms(text))
    fitting = [
        run
        for run in newest
        if run is not error
        and (
            not text or any(execution.fits(words, set(terms(t))) for t in (run.title, run.insight))
        )
    ]
    newest_of: dict[str, Reflection] = {}  # the newest reflection on each pattern
    for run in (*([error] if error else []), *fitting):
        newest_of.setdefault(run.subject, run)
    lines = []
    for run in list(newest_of.values())[:_SHOWN]:
        suggestion = str(run.details.get("suggestion", ""))
        is_again = bool(run.details.get("recurring_pattern"))
        lines.append(execution.line(run.insight, suggestion, is_again=is_again))
    return Injection("\n".join([HEAD, *lines])) if lines else NOTHING


def _keep(engine: Runtime, job: Job) -> None:
    episode = job.episode
    run = FinishedRun(
        task=episode.task,
        tools=tuple(one_line(step.tool, 60) for step in episode.steps),
        seconds=float(episode.signal("seconds") or 0),
        has_failed=episode.is_flagged("failed"),
        retries=int(episode.signal("retries") or 0),
        error=quotable(error_line(episode.error)),
    )
    judgement, subject = execution.judge(run), execution.pattern_key(run)
    with _counting:  # each run counts the ones before it, and jobs are worked side by side
        times = len(engine.store.runs.about(episode.scope, subject)) + 1
        kind, now = execution.kind_of(run, judgement, times), engine.clock()
        detail = {
            "skills_used": run.tools,
            "duration_ms": round(run.seconds * 1000),
            "success": not run.has_failed,
            "efficiency_score": judgement.efficiency,
            "issues": judgement.issues,
            "suggestion": judgement.suggestion,
            "recurring_pattern": execution.is_recurring(times),
        }
        engine.store.runs.save(
            Reflection(
                scope=episode.scope,
                subject=subject,
                insight=one_line(execution.insight(run, judgement), 500),
                created_at=now,
                title=one_line(run.task, 300),
                state=kind,
                importance=_IMPORTANCE[kind],
                expires_at=now + _LIFE,
                detail=json.dumps(detail, ensure_ascii=False),
                job=job.id,
            )
        )
