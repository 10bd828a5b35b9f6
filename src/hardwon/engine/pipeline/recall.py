"""Recall: make the query of a prompt or failure, find the few lessons that fit it, best first."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import TYPE_CHECKING

from hardwon.core.text.secrets import ending, screen_excerpt
from hardwon.core.values.delivery import Door
from hardwon.core.values.run import Step
from hardwon.core.values.scope import Scope
from hardwon.knowledge.ranking.query import Near, Query, query, terms
from hardwon.knowledge.ranking.scores import (
    SPEAKS,
    UNKNOWN,
    WEIGHTS,
    Judged,
    Outlook,
    Weights,
    judge,
)
from hardwon.storage.ports import LessonStore

if TYPE_CHECKING:
    Nearest = Callable[[str], Near]  # the lessons nearest in meaning to a text

_CANDIDATES, _AT_TURN = 30, 8  # fewer at a turn: it is frequent and has the usual lessons too


def weigh(
    query: Query,
    *,
    scope: Scope,
    lessons: LessonStore,
    now: datetime,
    limit: int,
    outlook: Outlook = UNKNOWN,
    weights: Weights = WEIGHTS,
) -> list[Judged]:
    """Every candidate with its score, best first, and why it is not shown (else "").

    At most `limit` are shown.
    """
    most = _AT_TURN if query.door == Door.TURN else _CANDIDATES
    matches = lessons.match(scope, query, now=now, limit=most)
    judged = [judge(query, match, outlook=outlook, by=weights) for match in matches]
    judged.sort(key=lambda one: (bool(one.verdict), -one.score, -one.match.lesson.id))
    if query.door == Door.ERROR:
        judged = _of_one_kind(judged, weights.beside)
    return _within(judged, limit)


def select_shown(candidates: Iterable[Judged]) -> list[Judged]:
    """The candidates that are shown; often none."""
    return [candidate for candidate in candidates if not candidate.verdict]


def _of_one_kind(judged: list[Judged], least: float) -> list[Judged]:
    """Show the lessons of this failure and perhaps one other; without a fix, the best other."""
    own = [candidate for candidate in judged if candidate.match.is_same_kind]
    own = own or [candidate for candidate in judged if candidate.match.is_same_failure]
    own_ids = {candidate.match.lesson.id for candidate in own}
    others = [candidate for candidate in judged if candidate.match.lesson.id not in own_ids]
    if any(candidate.match.lesson.is_active for candidate in own):
        return _own_first(judged, own, others, least)
    if not select_shown(others):
        return judged
    # No fix is known: the best other lesson is shown instead.
    hidden = [lesson._replace(verdict="no fix is known, and another may help") for lesson in own]
    lesser = [_hide(lesson, "fits less well") for lesson in others[1:]]
    return [*others[:1], *lesser, *hidden]


def _own_first(
    judged: list[Judged], own: list[Judged], others: list[Judged], least: float
) -> list[Judged]:
    """Show the lessons of this failure, and one other whose text is more clearly about it."""
    floor = min(least, max(map(_speaks, own)))
    beside = [candidate for candidate in select_shown(others) if _speaks(candidate) > floor][:1]
    fitting = {candidate.match.lesson.id for candidate in (*own, *beside)}
    return [
        candidate
        if candidate.match.lesson.id in fitting
        else _hide(candidate, "its own lesson is there")
        for candidate in judged
    ]


def _speaks(candidate: Judged) -> float:
    return 10 * dict(candidate.parts).get(SPEAKS, 0.0)


def _hide(candidate: Judged, why: str) -> Judged:
    """The candidate, hidden for this reason unless it is hidden already."""
    return candidate if candidate.verdict else candidate._replace(verdict=why)


def _within(candidates: Iterable[Judged], limit: int) -> list[Judged]:
    """The candidates, with those beyond the limit and repeats of better ones hidden."""
    shown_ids: dict[str, int] = {}
    marked: list[Judged] = []
    for candidate in candidates:
        if candidate.verdict or len(shown_ids) >= limit:
            marked.append(_hide(candidate, f"only {limit} are shown"))
            continue
        advice = " ".join(candidate.match.lesson.correction.lower().split())
        twin = shown_ids.setdefault(advice, candidate.match.lesson.id)
        if twin != candidate.match.lesson.id:
            candidate = candidate._replace(verdict=f"says the same as #{twin}")
        marked.append(candidate)
    return marked


_PROMPT = 1500  # characters of a prompt that are looked up, from its beginning and its end
_ABOUT = 300  # characters of the task that are added to the meaning of an error
_CALL = 200  # characters of a command that are looked up with its error
_ASKED = 2000  # characters of an error that are looked up, from its end
_TESTS = 16_000  # characters at the end of a test run that are searched for test names


def at_turn(prompt: str, near: Nearest) -> Query:
    """The query of a prompt."""
    prompt = screen_excerpt(prompt, 2 * _PROMPT)
    return query(Door.TURN, prompt, near=near(prompt))


def at_error(step: Step, task: str, near: Nearest) -> Query:
    """The query of a failure; the task is added for the search by meaning."""
    failure = step.failure
    error = failure.line if failure else ending(step.output.strip(), _CALL)
    nearest = near(f"{error}\n{task[:_ABOUT]}")
    if failure is None or not failure.is_telling:
        return Query(Door.ERROR, ending(step.output, _ASKED), near=nearest)
    call = step.args[:_CALL]
    if call.startswith("{"):  # its tool and argument names, without the values
        call = " ".join((step.tool, *re.findall(r'"(\w{1,40})":', step.args[:_ASKED])))
    words = f"{call}\n{failure.line}"
    base_query = query(Door.ERROR, words, signature=failure.exact, kind=failure.kind, near=nearest)
    from hardwon.knowledge.reading import about, reports

    return base_query._replace(
        text=ending(step.output, _ASKED),
        about=tuple(dict.fromkeys(terms(about.specific_words(failure.text)))),
        red=step.output[-_TESTS:] if reports.failing_test(step.output) else "",
        is_failure=True,
    )
