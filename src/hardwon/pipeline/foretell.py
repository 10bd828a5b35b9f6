"""Foretell: whether a pending call will probably fail in a way that a proven fix prevents."""

from __future__ import annotations

from hardwon._cold.lazy import lazy
from hardwon.errors import NotFound
from hardwon.failures.features import call_features
from hardwon.ranking.odds import RUN, Call, Counts, chances, number, numbered
from hardwon.ranking.query import Match, Query
from hardwon.ranking.scores import Judged
from hardwon.values.lesson import Status

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import datetime
    from typing import NamedTuple

    from hardwon.failures import advice, fixes, lesson_text, loops, order_counts, source_counts
    from hardwon.ports import CallLog, LessonStore
    from hardwon.ranking.odds import Chance
    from hardwon.values.fix import Fix
    from hardwon.values.lesson import Lesson
    from hardwon.values.run import RunSoFar
    from hardwon.values.scope import Scope
    from hardwon.values.step import Step
else:
    from hardwon._cold.namedtuple import NamedTuple

    advice, order_counts = lazy("hardwon.failures.advice"), lazy("hardwon.failures.order_counts")
    source_counts = lazy("hardwon.failures.source_counts")
    fixes, loops = lazy("hardwon.failures.fixes"), lazy("hardwon.failures.loops")
    lesson_text = lazy("hardwon.failures.lesson_text")

AGAIN = 0.5  # the chance at which a run is told again what it heard at its start or in a turn
_ONE_RUN = 0.5  # the chance at which a fix that one run has shown is told before a command
_KINDS = 4  # likely kinds that are looked up
_NEAREST = 4
_RECOMMENDS = ("call", "preparation", "tool")  # sorts of fixes that say which call to make


class Foretold(NamedTuple):
    """A likely failure, the lesson about it, and the reason if it is not shown."""

    chance: Chance
    lesson: Lesson | None = None
    verdict: str = ""

    @property
    def is_told(self) -> bool:
        """Whether there is a lesson to tell, and nothing against it."""
        return self.lesson is not None and not self.verdict


class Known(NamedTuple):
    """The stores that a forecast reads."""

    scope: Scope
    calls: CallLog
    lessons: LessonStore
    now: datetime


def made(step: Step, past: RunSoFar, known: Known, *, is_mistake: bool) -> Call:
    """A call as it is counted after it was made; only mistakes count as failures.

    A call that works because it is the fix of a lesson says nothing against warning of the failure.
    """
    features = numbered(call_features(step.tool, step.args, past.steps))
    first = () if past.steps else (RUN,)
    kind = step.failure.kind if step.failure and is_mistake else ""
    heeded = () if step.failed else _heeded(step, past, known)
    return Call((*first, *features), kind, tuple(dict.fromkeys((*_met(past.steps), *heeded))))


def counted(step: Step, before: Sequence[Step], known: Known) -> Fix | None:
    """The fix of a failure that no run shows by itself: an order of calls, or a source of an id."""
    kind = step.failure.kind if step.failure else ""
    if not kind or not step.args.startswith("{"):
        return None
    features = numbered(call_features(step.tool, step.args, before))
    sources = source_counts.possible_sources(step, before)
    asked = (*features, *(number(source.feature) for source in sources))
    counts = known.calls.counts(known.scope, asked)

    def tally(feature: str) -> order_counts.Tally:
        own = counts.get(number(feature), Counts())
        failed, excused = next((row[1:] for row in own.kinds if row[0] == kind), (0, 0))
        return order_counts.Tally(max(failed, own.made - excused), failed)

    order = order_counts.counted_order(features.values(), tally)
    return order or source_counts.counted_source(sources, tally, step.tool)


def foretold(pending: Step, past: RunSoFar, known: Known, *, least: float) -> list[Foretold]:
    """The likely failures of a pending call, likeliest first, each with what is to be told."""
    if _has_just_worked(pending, past.steps):
        return []
    features = numbered(call_features(pending.tool, pending.args, past.steps))
    counts = known.calls.counts(known.scope, tuple(features))
    is_shell = not pending.args.startswith("{")
    likely = chances(features, counts, is_shell=is_shell, least=least)
    met = set(_met(past.steps))
    likely = [chance for chance in likely if chance.kind not in met][:_KINDS]
    if not likely or _follows_advice(pending, past, known):
        return []
    code = (feature.partition(" code ")[2].lstrip("'") for feature in features.values())
    names = frozenset(part for name in code for part in name.split("."))
    return [_judged(chance, pending, names, past, known) for chance in likely]


def judged(forecasts: Iterable[Foretold], *, likely: float) -> list[Judged]:
    """The lessons among these with the features that speak for and against them."""
    return [
        _explained(forecast, forecast.lesson, likely)
        for forecast in forecasts
        if forecast.lesson is not None
    ]


def _explained(forecast: Foretold, lesson: Lesson, likely: float) -> Judged:
    chance = forecast.chance
    parts = [("chance", chance.chance), (chance.because, chance.failed / chance.made)]
    if chance.despite:
        share = chance.despite_failed / chance.despite_made
        parts.append((f"despite {chance.despite}", share))
    verdict = forecast.verdict or ("" if chance.chance >= likely else "not likely enough")
    return Judged(Match(lesson, is_same_kind=True), chance.chance, tuple(parts), verdict)


def _judged(
    chance: Chance, pending: Step, names: frozenset[str], past: RunSoFar, known: Known
) -> Foretold:
    lessons = _about(chance.kind, known)
    ready = (
        lesson
        for state in _told_of(pending, chance)
        for lesson in lessons
        if lesson.status == state
    )
    lesson = next(ready, None)
    if lesson is None:
        return Foretold(chance, next(iter(lessons), None), "no proven fix is known")
    if lesson.id in (past.told if chance.chance < AGAIN else past.warnings):
        return Foretold(chance, lesson, "told in this run already")
    if _has_cure(lesson, names) or any(_recommends(fix, pending) for fix in lesson.fixes):
        return Foretold(chance, lesson, "the call is what its fix recommends")
    news = tuple(fix for fix in lesson.fixes if advice.is_worth_showing(fix, pending, past.steps))
    if lesson.fixes and not news:
        return Foretold(chance, lesson, "its fix says nothing to this call")
    return Foretold(chance, lesson_text.with_text_of(lesson, news))


def _told_of(pending: Step, chance: Chance) -> tuple[str, ...]:
    """The states of lessons that are told before a call with this chance to fail.

    Roles and states of named arguments say so much that a fix of one run is worth its words;
    before a command it is where the failure has come back already and will probably again.
    """
    is_likely = chance.chance >= _ONE_RUN and chance.failed > 1
    is_enough = is_likely or pending.args.startswith("{")
    return (Status.PROVEN, Status.CANDIDATE) if is_enough else (Status.PROVEN,)


def _about(kind: str, known: Known) -> list[Lesson]:
    """The lessons about a kind of failure."""
    asked = Query("action", "", kind=kind)
    matches = known.lessons.match(known.scope, asked, now=known.now, limit=_NEAREST)
    return [match.lesson for match in matches if match.is_same_kind]


def _met(steps: Iterable[Step]) -> tuple[str, ...]:
    """The kinds of failure that a run has met, in order."""
    kinds = (step.failure.kind for step in steps if step.failure is not None)
    return tuple(dict.fromkeys(kind for kind in kinds if kind))


def _has_just_worked(pending: Step, steps: Sequence[Step]) -> bool:
    """Whether this very call worked when the run made it last, and nothing has changed since."""
    asked = loops.call(pending)
    for place in range(len(steps) - 1, -1, -1):
        if loops.call(steps[place]) == asked:
            return not steps[place].failed
        if loops.may_change(steps[place]):
            return False
    return False


def _follows_advice(pending: Step, past: RunSoFar, known: Known) -> bool:
    """Whether the call is what a lesson that the run was told recommends."""
    return any(_advises(lesson, pending) for lesson in _told(past, known))


def _heeded(step: Step, past: RunSoFar, known: Known) -> tuple[str, ...]:
    """The kinds of failure that this call avoids as a lesson says, told to the run or withheld."""
    withheld = (lesson for kind in sorted(past.withheld) for lesson in _about(kind, known))
    advice = (lesson for lesson in (*_told(past, known), *withheld) if _advises(lesson, step))
    return tuple(kind for lesson in advice for kind in lesson.kinds)


def _advises(lesson: Lesson, call: Step) -> bool:
    """Whether a lesson recommends this call itself, and not only one before it."""
    return any(_recommends(fix, call) for fix in lesson.fixes if not fixes.is_prior_call(fix))


def _told(past: RunSoFar, known: Known) -> Iterator[Lesson]:
    """The lessons that a run was told and that are still there."""
    for identity in sorted(past.told):
        try:
            yield known.lessons.get(known.scope, identity)
        except NotFound:
            continue


def _has_cure(lesson: Lesson, names: frozenset[str]) -> bool:
    """Whether the code that the call runs has the lines of the lesson's likeliest fix."""
    best = lesson.fixes[0] if lesson.fixes else None
    wanted = best.key.partition(" ")[2].split() if best and best.sort == "lines" else []
    return bool(wanted) and names.issuperset(wanted)


def _recommends(fix: Fix, pending: Step) -> bool:
    """Whether the call is the one that a fix says to make."""
    if fix.call and " ".join(fix.call.split()) == " ".join(pending.args.split()):
        return True
    return fix.sort in _RECOMMENDS and fixes.applies(fix, pending)
