"""Recall: the few lessons that fit a prompt or failure, and a call that failed here last."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from typing import TYPE_CHECKING

from hardwon.core.text.secrets import ending, screen_excerpt
from hardwon.core.values.delivery import Door
from hardwon.core.values.lesson import EDITED, EPOCH, PREPARED, Fix, Lesson, Status
from hardwon.core.values.report import Window
from hardwon.core.values.run import EndedRun, RunSoFar, Step, Trigger
from hardwon.core.values.scope import Scope
from hardwon.knowledge.evidence.calls import READERS, calls_of, only_call
from hardwon.knowledge.evidence.inner import same_key
from hardwon.knowledge.evidence.wording import TRAIL, Seen, show_call
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
from hardwon.knowledge.reading.mined_lesson import fixes_to_show
from hardwon.storage.ports import LessonStore, Store

if TYPE_CHECKING:
    from hardwon.knowledge.evidence.calls import Call

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


def _of_one_kind(judged: list[Judged], least: float) -> list[Judged]:
    """Show the lessons of this failure and perhaps one other; without a fix, the best other."""
    own = [candidate for candidate in judged if candidate.match.is_same_kind]
    own = own or [candidate for candidate in judged if candidate.match.is_same_failure]
    own_ids = {candidate.match.lesson.id for candidate in own}
    others = [candidate for candidate in judged if candidate.match.lesson.id not in own_ids]
    if any(candidate.match.lesson.is_active for candidate in own):
        # And one other whose text is more clearly about it.
        floor = min(least, max(map(_speaks, own)))
        clearer = [one for one in others if not one.verdict and _speaks(one) > floor]
        own_ids.update(one.match.lesson.id for one in clearer[:1])
        return [
            one if one.match.lesson.id in own_ids else _hide(one, "its own lesson is there")
            for one in judged
        ]
    if all(candidate.verdict for candidate in others):
        return judged
    # No fix is known: the best other lesson is shown instead.
    hidden = [lesson._replace(verdict="no fix is known, and another may help") for lesson in own]
    lesser = [_hide(lesson, "fits less well") for lesson in others[1:]]
    return [*others[:1], *lesser, *hidden]


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


def at_turn(prompt: str, near: Nearest | None) -> Query:
    """The query of a prompt."""
    prompt = screen_excerpt(prompt, 2 * _PROMPT)
    return query(Door.TURN, prompt, near=near(prompt) if near else ())


def at_error(step: Step, task: str, near: Nearest | None) -> Query:
    """The query of a failure; the task is added for the search by meaning."""
    failure = step.failure
    error = failure.line if failure else ending(step.output.strip(), _CALL)
    nearest = near(f"{error}\n{task[:_ABOUT]}") if near else ()
    if failure is None or not failure.is_telling:
        return Query(Door.ERROR, ending(step.output, _ASKED), near=nearest)
    call = step.args[:_CALL]
    if call.startswith("{"):  # its tool and argument names, without the values
        call = " ".join((step.tool, *re.findall(r'"(\w{1,40})":', step.args[:_ASKED])))
    words = f"{call}\n{failure.line}"
    base_query = query(Door.ERROR, words, signature=failure.exact, kind=failure.kind, near=nearest)
    from hardwon.knowledge.evidence import advice
    from hardwon.knowledge.reading import reports

    return base_query._replace(
        text=ending(step.output, _ASKED),
        about=tuple(dict.fromkeys(terms(advice.specific_words(failure.text)))),
        red=step.output[-_TESTS:] if reports.failing_test(step.output) else "",
        is_failure=True,
    )


_NEAREST = 4  # lessons about one call
_RUNS = 12  # earlier runs that are looked at
_SURE = 2  # runs that show something which one run may show by chance


def judge_call(
    scope: Scope, pending: Step, past: RunSoFar, store: Store, now: datetime
) -> list[Judged]:
    """The lesson about a pending call that failed here last; a list of one or none."""
    call = only_call(pending)
    if call is None:
        return []
    key = same_key(call, past.task)
    query = Query("action", "", calls=(key,))
    for match in store.lessons.match(scope, query, now=now, limit=_NEAREST):
        if any(shared == key for shared, _ in match.calls):
            verdict = _why_hidden(match.lesson, call, past)
            if not verdict and _may_work(call, match.lesson, earlier_runs(scope, store)):
                verdict = "it has worked here, too"
            return [Judged(match, 1.0, (("same call", 1.0),), verdict)]
    return []


def earlier_runs(scope: Scope, store: Store) -> Iterator[EndedRun]:
    """The latest kept runs of a project, oldest first."""
    return store.ended_runs.latest(Window(scope, EPOCH), limit=_RUNS)


def _why_hidden(lesson: Lesson, pending: Call, past: RunSoFar) -> str:
    """Why the lesson is not shown before the call; "" if it is."""
    shown = fixes_to_show(lesson.fixes)
    if not shown:
        return "nothing else is known to work"
    if lesson.id in past.warnings or any(
        past.last_failing(kind) is not None for kind in lesson.kinds
    ):
        return "told in this run already"
    # one session may show it by chance, but a person who read it has chosen it
    sure = 1 if lesson.trigger == Trigger.SESSION and lesson.status == Status.PROVEN else _SURE
    says_otherwise = all(_says_otherwise(fix, pending, past, sure=sure) for fix in shown)
    return "" if says_otherwise else "it may work now"


def _may_work(pending: Call, lesson: Lesson, earlier: Iterable[EndedRun]) -> bool:
    """Whether the same call worked in a kept run, and has failed in fewer than two since.

    Then what it meets depends on more than the call. A success after the calls that the fix names
    does not count.
    """
    first = {program for fix in lesson.fixes for program in fix.key.split(PREPARED)[1:]}
    has_worked, failures = False, 0
    for run in earlier:
        key, is_prepared = same_key(pending, run.task), False
        ended = list[bool]()  # whether each of these calls failed
        for step in run.steps:
            made = calls_of(step)
            if any(same_key(call, run.task) == key for call in made):
                ended += [] if is_prepared and not step.failed else [step.failed]
            is_prepared = is_prepared or any(call.program in first for call in made)
        has_worked = has_worked or False in ended
        failures = 0 if False in ended else failures + (True in ended)
    return has_worked and failures < _SURE


def _says_otherwise(fix: Fix, pending: Call, past: RunSoFar, *, sure: int) -> bool:
    """Whether a fix says that something else must be called, or first, and the run has not.

    What must be called first counts when it helped in `sure` runs.
    """
    if fix.sort != TRAIL or fix.failed or not _is_of_same_kind(fix, pending):
        return False  # a file was changed, or the goal, or it did not always help
    _, *first = fix.key.split(PREPARED)
    if first:
        if fix.worked < sure or EDITED in fix.key or READERS.issuperset(filter(None, first)):
            return False  # the files may be right now, or nothing was called
        made = {call.program for step in past.steps for call in calls_of(step)}
        return made.isdisjoint(first)
    if pending.is_tool:
        return True
    return _parts(show_call(pending, Seen(past.task))) != _parts(fix.call)


def _is_of_same_kind(fix: Fix, pending: Call) -> bool:
    """Whether a fix was found for a call of the same kind: others may end in the same words."""
    if pending.is_tool or not fix.mistake:
        return not fix.mistake or fix.mistake.partition("(")[0] == pending.program
    calls = calls_of(Step("bash", fix.mistake))
    return bool(calls) and calls[-1].kind.split()[:2] == pending.kind.split()[:2]


def _parts(call: str) -> list[str]:
    return [word.removeprefix("./") for word in call.split()]
