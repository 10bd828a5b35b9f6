"""Import runs in the neutral format: each is a session whose lessons are kept at once."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from hardwon.core.text.clean import one_line
from hardwon.learn.transcripts import lines, render
from hardwon.learn.transcripts.agents.neutral import Parser
from hardwon.learn.transcripts.extract import cleansed
from hardwon.learn.transcripts.insight import LOW, Insight
from hardwon.learn.transcripts.rules import apply_rules
from hardwon.learn.transcripts.transcript import Reading

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from hardwon.core.values.scope import Scope
    from hardwon.engine.runtime import Runtime


class RunLessons(NamedTuple):
    """What one run taught."""

    id: str
    repo: str
    steps: int
    failures: int
    fixed: int
    insights: tuple[Insight, ...]
    lessons: tuple[int, ...] = ()


def count_rows(paths: Iterable[str]) -> int:
    """How many rows these files have; each that can be read is a run."""
    return sum(map(lines.count, paths))


def read_runs(path: str, skipped: Counter[str]) -> Iterator[RunLessons]:
    """Every run in the file with what the rules find in it; invalid rows are counted."""
    for number, record in lines.records(path, skipped):
        reading = Reading(Parser(), [(number, record)], skipped)
        findings = apply_rules(reading.moments())
        if reading.about.id:
            story, failures = findings.story, findings.failures
            insights = tuple(
                cleansed(insight) for insight in findings.insights if insight.confidence != LOW
            )
            yield RunLessons(
                id=reading.about.id,
                repo=reading.about.cwd,
                steps=story.steps,
                failures=story.failures,
                fixed=failures.fixed,
                insights=insights,
            )


def import_runs(
    path: str, engine: Runtime, scope: Scope, skipped: Counter[str]
) -> Iterator[RunLessons]:
    """Keep the lessons of every run; a second import adds nothing."""
    for run in read_runs(path, skipped):
        run_scope = scope if scope.project or not run.repo else _in(scope, run.repo)
        lessons = (render.lesson(insight, run_scope, run.id) for insight in run.insights)
        stored = [engine.keep(lesson).id for lesson in lessons]
        yield run._replace(lessons=tuple(dict.fromkeys(stored)))


def _in(scope: Scope, repo: str) -> Scope:
    return scope._replace(project=one_line(repo, 200))
