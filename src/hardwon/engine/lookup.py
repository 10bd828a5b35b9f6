"""Look up what worked: for words or for an error, in this project first, then in others."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from hardwon.core.text.clean import one_line
from hardwon.core.text.harm import objection
from hardwon.core.values.delivery import Door
from hardwon.core.values.lesson import LIVE, Fix, Lesson
from hardwon.core.values.report import Answer, Place, Recurring, Window
from hardwon.core.values.run import EndedRun, Failure, Step
from hardwon.core.values.scope import Scope
from hardwon.engine.pipeline.screen import screen_text
from hardwon.engine.recording import Memory
from hardwon.engine.runtime import Runtime
from hardwon.knowledge.evidence.ways import Way, ways_of
from hardwon.knowledge.proof.observed import cost_of
from hardwon.knowledge.ranking.query import stem, terms

_RUNS = 100  # latest runs of a project that are looked at
_ALL_RUNS = 5000
_LESSONS = 400  # of each state that are searched for fixes
_MOST_WORDS = 2 / 3  # of a part of an error that a lesson must have
_PART = 4  # letters of a word that may be a part of another: test, pytest
_TEXT = 8000  # characters of an error, from its end
_ALWAYS = datetime(1970, 1, 1, tzinfo=UTC)


def recurring_failures(
    engine: Runtime, scope: Scope, since: datetime, *, limit: int
) -> list[Recurring]:
    """The failures that most runs of an agent met, in all its projects, with their cures."""
    engine.collect_runs()
    window = Window(scope, since, part=Place(scope.tenant, scope.agent))
    met = dict[str, list[tuple[EndedRun, Step]]]()
    for run in engine.store.ended_runs.latest(window, limit=_ALL_RUNS):
        for step in run.steps:
            if step.failure and step.failure.is_telling:
                met.setdefault(step.failure.kind, []).append((run, step))
    found = sorted(met.items(), key=lambda one: (-len({r.id for r, _ in one[1]}), -len(one[1])))
    return [_recurring(engine, kind, cases) for kind, cases in found[:limit]]


def _recurring(engine: Runtime, kind: str, cases: Sequence[tuple[EndedRun, Step]]) -> Recurring:
    last_run, last_step = cases[-1]
    cures = list[Fix]()
    for scope in dict.fromkeys(run.scope for run, _ in reversed(cases)):
        memory = Memory(scope, engine.store.lessons, engine.clock(), {})
        if (lesson := memory.about(Failure("", kind, ""))) and lesson.fixes:
            cures.append(lesson.fixes[0])
    best = max(cures, key=lambda fix: fix.worked - fix.failed, default=None)
    runs = {run.id: run for run, _ in reversed(cases)}
    sessions = Counter(program for program, _ in {(run.program, run.run) for run in runs.values()})
    calls, minutes = cost_of(kind, list(runs.values()))
    return Recurring(
        text=last_step.failure.text if last_step.failure else "",
        runs=len(runs),
        calls=len(cases),
        projects=tuple(dict.fromkeys(run.scope.project or "" for run, _ in cases)),
        first=cases[0][0].begun,
        last=last_run.ended,
        cure=one_line(best.text) if best else "",
        people=tuple(dict.fromkeys(run.person for run, _ in cases if run.person)),
        programs=tuple(
            sorted(
                ((name, n) for name, n in sessions.items() if name),
                key=lambda one: (-one[1], one[0]),
            )
        ),
        cost_calls=calls,
        cost_minutes=minutes,
    )


def answers_to_error(engine: Runtime, scope: Scope, error: str, *, limit: int) -> list[Answer]:
    """What got past this error, in this project and then in the agent's other projects."""
    text = screen_text(error[-_TEXT:], _TEXT)
    found = list[Answer]()
    for place in _projects(engine, scope, has_lessons=True):
        lessons = [*_lessons(engine, place, Door.ERROR, text)]
        for lesson in lessons or _lessons_with_words(engine, place, text, _MOST_WORDS):
            found += _of_lesson(engine, lesson)
    return list(dict.fromkeys(found))[:limit]


def answers_to_words(
    engine: Runtime, scope: Scope, words: str, *, limit: int, is_for_person: bool = False
) -> list[Answer]:
    """Calls that work and fit the words, and what got past failures that fit them.

    A person also sees the fixes of lessons that an agent is not yet shown for words, and calls
    that do harm.
    """
    text = screen_text(words, _TEXT)
    wanted = {stem(word) for word in re.findall(r"\w{2,}", text.lower())}
    found = list[Answer]()
    engine.collect_runs()
    for place in _projects(engine, scope, has_lessons=False):
        runs = _runs(engine, place)
        fitting = list[tuple[float, Answer]]()
        for way in ways_of((run.task, run.steps) for run in runs):
            made = [runs[at] for at in way.runs]
            if not is_for_person and objection(way.call):
                continue
            if fit := _fit(wanted, way, [run.task for run in made]):
                last = made[-1]
                record = (way.worked, way.failed, last.id, last.task, last.ended)
                fitting.append((fit, Answer(way.call, "", place.project or "", *record)))
        found += [answer for _, answer in sorted(fitting, key=lambda one: -one[0])[:limit]]
        for lesson in _lessons(engine, place, Door.TURN, text):
            found += _of_lesson(engine, lesson)
        for lesson in _lessons_with_words(engine, place, text) if is_for_person else ():
            found += _of_lesson(engine, lesson)
        if len(found) >= limit:
            break
    return list(dict.fromkeys(found))[:limit]


def _projects(engine: Runtime, scope: Scope, *, has_lessons: bool) -> Iterator[Scope]:
    """The scope, then the agent's other projects: those with lessons, most first, then all."""
    yield scope
    others = dict.fromkeys(engine.store.shelves(scope.tenant))
    if not has_lessons:
        others |= dict.fromkeys(engine.store.listing.scopes(scope.tenant))
    for place in others:
        if place.agent == scope.agent and place.project not in (None, scope.project):
            yield place


def _lessons(engine: Runtime, scope: Scope, door: str, text: str) -> Iterator[Lesson]:
    """The lessons of exactly this scope that a door would show for the text."""
    for candidate in engine.doors.explain(scope, door, text, "bash"):
        if not candidate.verdict and candidate.match.lesson.scope == scope:
            yield candidate.match.lesson


def _lessons_with_words(
    engine: Runtime, scope: Scope, text: str, of_failure: float = 0.0
) -> list[Lesson]:
    """The live lessons of exactly this scope whose fixes have half of the words, best first.

    With `of_failure` those that have such a share of them, counting the failure's own words; one
    word is not enough.
    """
    wanted, share = set(terms(text)), of_failure or 1 / 2
    fitting = list[tuple[int, Lesson]]()
    for status in LIVE if not of_failure or len(wanted) > 1 else ():
        for lesson in engine.store.lessons.recent(scope, status=status, limit=_LESSONS):
            fixes = " ".join(f"{fix.text} {fix.call}" for fix in lesson.fixes).lower()
            known = f"{lesson.situation} {fixes}".lower() if of_failure and fixes else fixes
            own = set(terms(known))
            fit = sum(word in own or (len(word) >= _PART and word in known) for word in wanted)
            if lesson.scope == scope and fit and fit >= share * len(wanted):
                fitting.append((fit, lesson))
    return [lesson for _, lesson in sorted(fitting, key=lambda one: -one[0])]


def _of_lesson(engine: Runtime, lesson: Lesson) -> Iterator[Answer]:
    steps = ((run, step) for run in reversed(_runs(engine, lesson.scope)) for step in run.steps)
    shows = (run for run, step in steps if step.failure and step.failure.kind in lesson.kinds)
    run = next(shows, None)
    about, project = one_line(lesson.situation), lesson.scope.project or ""
    fixes = [fix for fix in lesson.fixes if not fix.failed > fix.worked]
    records = [(fix.text, fix.worked, fix.failed) for fix in fixes]
    for text, worked, failed in records or [(lesson.correction, lesson.met, 0)]:
        shown = (run.id, run.task, run.ended) if run else ("", "", lesson.updated_at)
        yield Answer(text, about, project, worked, failed, *shown, lesson.id)


def _fit(wanted: set[str], way: Way, tasks_of_runs: Sequence[str]) -> float:
    """How well a way fits the words: by its own words, and by the tasks of its runs."""
    own, tasks = _stems(way.call), _stems(" ".join(tasks_of_runs))
    fit = len(wanted & own) + len(wanted & tasks) / 4
    return fit if wanted & own or len(wanted & tasks) * 2 > len(wanted) else 0.0


def _stems(text: str) -> set[str]:
    return {stem(word) for word in re.findall(r"[a-z0-9]{2,}", text.lower())}


def _runs(engine: Runtime, scope: Scope) -> list[EndedRun]:
    return list(engine.store.ended_runs.latest(Window(scope, _ALWAYS), limit=_RUNS))
