"""Execution reflections: rules judge how well a run went; it is shown when it recurs."""

from __future__ import annotations

import asyncio
import json
from datetime import timedelta
from typing import NamedTuple
from uuid import uuid4

from hardwon.core._fork import ForkLock
from hardwon.core.text.clean import one_line
from hardwon.core.text.quoting import quotable
from hardwon.core.values.delivery import NOTHING, Injection
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
_SLOW, _MODERATE = 30.0, 10.0  # seconds
_MANY_TOOLS = 4
_RECURRING = 3  # runs of a kind that make a pattern
_LINE_LIMIT = 125
_OVERLAP = 0.25

_ADVICE = {
    "failure": "look at the error before the same tools are used again",
    "slow_execution": "split the work or do less of it",
    "instability": "find out why it has to be tried again",
    "retried": "expect it to need another try",
    "high_skill_count": "settle on fewer tools",
    "redundant_skills": "keep what a tool has already answered",
    "moderate_latency": "watch its time",
}


class FinishedRun(NamedTuple):
    """What is known of a run when it ends."""

    task: str
    tools: tuple[str, ...] = ()
    seconds: float = 0.0
    has_failed: bool = False
    retries: int = 0
    error: str = ""


class Judgement(NamedTuple):
    """The efficiency of a run in 0 … 1, and the issues that lowered it."""

    efficiency: float
    issues: tuple[str, ...]

    @property
    def suggestion(self) -> str:
        """What to do about the most serious issue."""
        return next((advice for issue, advice in _ADVICE.items() if issue in self.issues), "")


def judge(run: FinishedRun) -> Judgement:
    """The published score: points off for time, tools, failure and retries."""
    deductions: list[tuple[str, float]] = []
    if run.seconds > _MODERATE:
        is_slow = run.seconds > _SLOW
        deductions.append(("slow_execution", 0.30) if is_slow else ("moderate_latency", 0.10))
    different = len(set(run.tools))
    if different > _MANY_TOOLS:
        deductions.append(("high_skill_count", 0.10))
    elif len(run.tools) > 2 and different < len(run.tools):
        deductions.append(("redundant_skills", 0.05))
    if run.has_failed:
        deductions.append(("failure", 0.40))
    if run.retries > 2:
        deductions.append(("instability", 0.10 * min(run.retries, 3)))
    elif run.retries > 0:
        deductions.append(("retried", 0.05 * run.retries))
    score = max(0.0, 1.0 - sum(points for _, points in deductions))
    return Judgement(round(score, 2), tuple(issue for issue, _ in deductions))


def pattern_key(run: FinishedRun) -> str:
    """The name of runs of this kind: up to three tools, and how it ended."""
    tools = "+".join(sorted(set(run.tools))[:3]) or "no-tools"
    return f"{tools[:95]}:{'fail' if run.has_failed else 'ok'}"


def line(text: str, suggestion: str, *, is_again: bool) -> str:
    """The insight as a line of the block."""
    mark = "↻ " if is_again else ""
    rendered = f"• {mark}{text}{f' → {suggestion}' if suggestion else ''}"
    return rendered if len(rendered) <= _LINE_LIMIT else rendered[: _LINE_LIMIT - 1].rstrip() + "…"


def queue_judgement(engine: Runtime, scope: Scope, run: FinishedRun) -> Job | None:
    """Queue a job for a run that had issues; None for a success without any."""
    if not judge(run).issues:
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
        and (not text or any(_fits(words, set(terms(t))) for t in (run.title, run.insight)))
    ]
    newest_of: dict[str, Reflection] = {}  # the newest reflection on each pattern
    for run in (*([error] if error else []), *fitting):
        newest_of.setdefault(run.subject, run)
    lines = []
    for run in list(newest_of.values())[:_SHOWN]:
        suggestion = str(run.details.get("suggestion", ""))
        is_again = bool(run.details.get("recurring_pattern"))
        lines.append(line(run.insight, suggestion, is_again=is_again))
    return Injection("\n".join([HEAD, *lines])) if lines else NOTHING


def _fits(query: set[str], words: set[str]) -> bool:
    """Whether a run matches a query: a quarter of the words in common."""
    return bool(query) and len(query & words) / max(len(query), len(words), 1) >= _OVERLAP


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
    judgement, subject = judge(run), pattern_key(run)
    end = f"failed{f': {run.error}' if run.error else ''}" if run.has_failed else "worked"
    issues = ", ".join(issue.replace("_", " ") for issue in judgement.issues if issue != "failure")
    insight = f"{', '.join(dict.fromkeys(run.tools)) or 'no tools'} ({run.seconds:.0f} s) {end}"
    insight += f" [{issues}]" if issues else ""
    with _counting:  # each run counts the ones before it, and jobs are worked side by side
        times = len(engine.store.runs.about(episode.scope, subject)) + 1
        is_recurring, now = times >= _RECURRING, engine.clock()
        efficiency = "efficiency" if judgement.efficiency < 0.8 else "optimization"
        kind = "error" if run.has_failed else "pattern" if is_recurring else efficiency
        detail = {
            "skills_used": run.tools,
            "duration_ms": round(run.seconds * 1000),
            "success": not run.has_failed,
            "efficiency_score": judgement.efficiency,
            "issues": judgement.issues,
            "suggestion": judgement.suggestion,
            "recurring_pattern": is_recurring,
        }
        engine.store.runs.save(
            Reflection(
                scope=episode.scope,
                subject=subject,
                insight=one_line(insight, 500),
                created_at=now,
                title=one_line(run.task, 300),
                state=kind,
                importance=_IMPORTANCE[kind],
                expires_at=now + _LIFE,
                detail=json.dumps(detail, ensure_ascii=False),
                job=job.id,
            )
        )
