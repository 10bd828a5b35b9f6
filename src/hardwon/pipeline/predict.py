"""Predict: predict whether a pending call will fail in a way that a known fix prevents."""

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

    from hardwon.failures import (
        advice,
        call_keys,
        fixes,
        lesson_text,
        loops,
        order_counts,
        shell,
        source_counts,
    )
    from hardwon.failures.shell import Command
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
    call_keys, shell = lazy("hardwon.failures.call_keys"), lazy("hardwon.failures.shell")

AGAIN = 0.5  # from this chance on, a lesson of the start or a turn is shown again
_ONE_RUN = 0.5  # from this chance on, a fix of a single run is shown before a command
_KINDS = 4  # at most, likely failure kinds that are looked up
_NEAREST = 4
_QUESTIONS = frozenset(("--version", "--help"))  # `-h` may be a host, `-V` anything
_RECOMMENDS = ("call", "preparation", "tool")  # sorts of fixes that say which call to make


class Prediction(NamedTuple):
    """A likely failure, the lesson about it, and why the lesson is not shown (else "")."""

    chance: Chance
    lesson: Lesson | None = None
    verdict: str = ""

    @property
    def is_shown(self) -> bool:
        """Whether there is a lesson and it is shown."""
        return self.lesson is not None and not self.verdict


class Records(NamedTuple):
    """The stores that a prediction reads, and the scope and time of it."""

    scope: Scope
    calls: CallLog
    lessons: LessonStore
    now: datetime


def made(step: Step, past: RunSoFar, records: Records, *, is_mistake: bool) -> Call:
    """The call to count after it was made; only mistakes count as failures.

    A call that works because it follows a lesson is not counted against that lesson's warning.
    """
    features = numbered(call_features(step.tool, step.args, past.steps, blamed=_blamed(step)))
    first = () if past.steps else (RUN,)
    kind = step.failure.kind if step.failure and is_mistake else ""
    avoided = () if step.failed else _heeded(step, past, records)
    return Call((*first, *features), kind, tuple(dict.fromkeys((*_met(past.steps), *avoided))))


def _blamed(step: Step) -> Command | None:
    """The command of a failing line that its error is about: the others did not fail."""
    if step.failure is None or step.args.startswith("{"):
        return None
    return call_keys.blamed_command(shell.parse(step.args), step.failure.line)


def counted(step: Step, before: Sequence[Step], records: Records) -> Fix | None:
    """The fix that only counts over many runs show: an order of calls, or the source of an id."""
    if not step.args.startswith("{"):
        return None
    kind = step.failure.kind if step.failure else ""
    features = numbered(call_features(step.tool, step.args, before))
    sources = source_counts.possible_sources(step, before)
    numbers = (*features, *(number(source.feature) for source in sources))
    counts = records.calls.counts(records.scope, numbers)

    def counts_of(feature: str) -> order_counts.FeatureCounts:
        own_counts = counts.get(number(feature), Counts())
        failed, excused = next((row[1:] for row in own_counts.kinds if row[0] == kind), (0, 0))
        return order_counts.FeatureCounts(max(failed, own_counts.made - excused), failed)

    typed = {earlier.tool.lower(): earlier.tool for earlier in (*before, step)}
    order = order_counts.counted_order(features.values(), counts_of, typed)
    return order or source_counts.counted_source(sources, counts_of, step.tool)


def likely_failures(
    pending: Step, past: RunSoFar, records: Records, *, least: float
) -> list[Prediction]:
    """The likely failures of a pending call, likeliest first, each with its lesson."""
    if _has_just_worked(pending, past.steps) or _only_asks(pending):
        return []
    features = numbered(call_features(pending.tool, pending.args, past.steps))
    counts = records.calls.counts(records.scope, tuple(features))
    is_shell = not pending.args.startswith("{")
    likely = chances(features, counts, is_shell=is_shell, least=least)
    met_kinds = set(_met(past.steps))
    likely = [chance for chance in likely if chance.kind not in met_kinds][:_KINDS]
    if not likely or _follows_advice(pending, past, records):
        return []
    code = (feature.partition(" code ")[2].lstrip("'") for feature in features.values())
    names = frozenset(part for name in code for part in name.split("."))
    return [_judged(chance, pending, names, past, records) for chance in likely]


def judged(predictions: Iterable[Prediction], *, likely: float) -> list[Judged]:
    """The lessons of these predictions, with the features for and against each."""
    return [
        _explained(prediction, prediction.lesson, likely)
        for prediction in predictions
        if prediction.lesson is not None
    ]


def _explained(prediction: Prediction, lesson: Lesson, likely: float) -> Judged:
    chance = prediction.chance
    parts = [("chance", chance.chance), (chance.because, chance.failed / chance.made)]
    if chance.despite:
        share = chance.despite_failed / chance.despite_made
        parts.append((f"despite {chance.despite}", share))
    verdict = prediction.verdict or ("" if chance.chance >= likely else "not likely enough")
    return Judged(Match(lesson, is_same_kind=True), chance.chance, tuple(parts), verdict)


def _judged(
    chance: Chance, pending: Step, names: frozenset[str], past: RunSoFar, records: Records
) -> Prediction:
    lessons = _about(chance.kind, records)
    candidates = (
        lesson
        for state in _told_of(pending, chance)
        for lesson in lessons
        if lesson.status == state
    )
    lesson = next(candidates, None)
    if lesson is None:
        return Prediction(chance, next(iter(lessons), None), "no proven fix is known")
    if lesson.id in (past.told if chance.chance < AGAIN else past.warnings):
        return Prediction(chance, lesson, "told in this run already")
    if _has_cure(lesson, names) or any(_recommends(fix, pending) for fix in lesson.fixes):
        return Prediction(chance, lesson, "the call is what its fix recommends")
    new_fixes = tuple(
        fix for fix in lesson.fixes if advice.is_worth_showing(fix, pending, past.steps)
    )
    if lesson.fixes and not new_fixes:
        return Prediction(chance, lesson, "its fix says nothing to this call")
    return Prediction(chance, lesson_text.with_text_of(lesson, new_fixes))


def _told_of(pending: Step, chance: Chance) -> tuple[str, ...]:
    """The states of lessons that are shown before a call with this chance of failing.

    Named arguments say so much that a fix of one run is enough. Before a command it is enough if
    every call of just this sort failed so, or if the failure came back and probably will again.
    """
    is_rule = chance.failed == chance.made and not _is_general(chance.because)
    is_likely = chance.chance >= _ONE_RUN and chance.failed > 1
    is_enough = is_rule or is_likely or pending.args.startswith("{")
    return (Status.PROVEN, Status.CANDIDATE) if is_enough else (Status.PROVEN,)


def _is_general(feature: str) -> bool:
    """Whether many calls of a program have the feature, whatever they are about."""
    return feature.startswith(("first ", "runs ")) or feature.endswith(" takes a known file")


def _about(kind: str, records: Records) -> list[Lesson]:
    """The lessons about a failure kind."""
    query = Query("action", "", kind=kind)
    matches = records.lessons.match(records.scope, query, now=records.now, limit=_NEAREST)
    return [match.lesson for match in matches]


def _met(steps: Iterable[Step]) -> tuple[str, ...]:
    """The failure kinds that a run has met, in order."""
    return tuple(dict.fromkeys(step.failure.kind for step in steps if step.failure is not None))


def _has_just_worked(pending: Step, steps: Sequence[Step]) -> bool:
    """Whether this exact call worked when the run last made it, and nothing changed since."""
    pending_call = loops.call(pending)
    for place in range(len(steps) - 1, -1, -1):
        if loops.call(steps[place]) == pending_call:
            return not steps[place].failed
        if loops.may_change(steps[place]):
            return False
    return False


def _only_asks(pending: Step) -> bool:
    """Whether a command line only asks programs for their version or help."""
    commands = () if pending.args.startswith("{") else shell.parse(pending.args)
    return bool(commands) and all(_QUESTIONS & set(command.flags) for command in commands)


def _follows_advice(pending: Step, past: RunSoFar, records: Records) -> bool:
    """Whether the call follows a lesson that the run was shown."""
    return any(_advises(lesson, pending) for lesson in _told(past, records))


def _heeded(step: Step, past: RunSoFar, records: Records) -> tuple[str, ...]:
    """The failure kinds that this call avoids by following a lesson, shown or withheld."""
    withheld = (lesson for kind in sorted(past.withheld) for lesson in _about(kind, records))
    advising = (lesson for lesson in (*_told(past, records), *withheld) if _advises(lesson, step))
    return tuple(kind for lesson in advising for kind in lesson.kinds)


def _advises(lesson: Lesson, call: Step) -> bool:
    """Whether a lesson recommends this call, and not only a call before it."""
    return any(_recommends(fix, call) for fix in lesson.fixes if not fixes.is_prior_call(fix))


def _told(past: RunSoFar, records: Records) -> Iterator[Lesson]:
    """The lessons that a run was shown and that still exist."""
    for identity in sorted(past.told):
        try:
            yield records.lessons.get(records.scope, identity)
        except NotFound:
            continue


def _has_cure(lesson: Lesson, names: frozenset[str]) -> bool:
    """Whether the code that the call runs already has the lines of the lesson's best fix."""
    best = lesson.fixes[0] if lesson.fixes else None
    wanted = best.key.partition(" ")[2].split() if best and best.sort == "lines" else []
    return bool(wanted) and names.issuperset(wanted)


def _recommends(fix: Fix, pending: Step) -> bool:
    """Whether the call is the one that a fix recommends."""
    if fix.call and " ".join(fix.call.split()) == " ".join(pending.args.split()):
        return True
    return fix.sort in _RECOMMENDS and fixes.applies(fix, pending)
