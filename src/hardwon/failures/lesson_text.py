"""The text and status of a mined lesson: when it holds, what goes wrong, what to do.

Of tool output only the failure kind is quoted. Fixes bring their own text.
"""

from __future__ import annotations

from hardwon._cold import re
from hardwon.text.clean import one_line
from hardwon.values.evidence import Kind, values_of
from hardwon.values.fix import DOUBTED, UNCHANGED, with_success
from hardwon.values.lesson import LIVE, MINED, Status, is_vouched

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from hardwon.values.fix import Fix
    from hardwon.values.lesson import Lesson

_CAUSES = 2  # at most, fixes that are shown for one failure kind
_BEHIND = 3  # a fix is shown unless the best one worked more than this many times as often
_CALL = 100  # characters of a call in a message to the user
_TRIED = 3  # attempts that are shown, the newest
_WORDS = 240  # characters of one mistake
UNSOLVED = "No fix is known."
ALREADY_DONE = "The call does already what helped in other runs."
_SURENESS = {Status.SEEN: 0.3, Status.CANDIDATE: 0.6, Status.PROVEN: 0.8}


def narrowed_to_tests(situation: str, fixes: Sequence[Fix]) -> str:
    """The situation, narrowed to the tests that fail without the run's change."""
    general = re.sub(r" in `[^`]+`(?: or `[^`]+`)*\Z", "", situation)
    shown = fixes_to_show(fixes)
    if not shown or any(fix.sort != UNCHANGED for fix in shown):
        return general
    names = [fix.key.partition(" ")[2] for fix in shown]
    is_named = any(name.partition("[")[0] in general for name in names)
    return general if is_named else f"{general} in {' or '.join(f'`{name}`' for name in names)}"


def mistake(head: str, fixes: Sequence[Fix], tried: Sequence[str]) -> str:
    """What goes wrong, what the fixes replaced, and what was tried without effect."""
    mistakes = (one_line(fix.mistake, _WORDS) for fix in fixes_to_show(fixes) if fix.mistake)
    removed = dict.fromkeys(text for text in mistakes if not head.startswith(text))
    before = [f"Before the fix: {'; '.join(removed)}."] if removed else []
    cures = {f"`{fix.call}`" for fix in fixes}
    failing = [words for words in tried if words not in cures and not head.startswith(words)]
    without_effect = [f"Tried without effect: {'; '.join(failing[-_TRIED:])}."] if failing else []
    return " ".join((head, *before, *without_effect))


def correction(fixes: Sequence[Fix]) -> str:
    """The text of the fixes to show, the likeliest first."""
    return "\nOr: ".join(fix.text for fix in fixes_to_show(fixes)) or UNSOLVED


def with_text_of(lesson: Lesson, fixes: Sequence[Fix]) -> Lesson:
    """The lesson with the text of only these fixes, unless a person or model wrote its text."""
    has_all = len(fixes) == len(lesson.fixes)
    if has_all or lesson.correction != correction(lesson.fixes):
        return lesson
    return lesson._replace(correction=correction(fixes) if fixes else ALREADY_DONE)


def learnt_line(fix: Fix, times: int) -> str:
    """A fix that was just learnt, as one line for the user."""
    call = one_line(fix.call, _CALL)
    words = f"`{call}`" if call else f"“{one_line(fix.text, _CALL).rstrip('.')}”"
    return f"{words} (failed {times} times before)" if times > 1 else f"{words} (failed before)"


def fixes_to_show(fixes: Sequence[Fix]) -> Sequence[Fix]:
    """The fixes to show: the proven ones, or all while none is; never one that mostly failed."""
    hopeful = [fix for fix in fixes if fix.failed <= fix.worked]
    proven = [fix for fix in hopeful if fix.is_proven] or hopeful
    best = max((fix.worked for fix in proven), default=0)
    likely = [fix for fix in proven if _BEHIND * fix.worked >= best]
    return [fix for at, fix in enumerate(likely) if not _is_part(fix, likely[:at])][:_CAUSES]


def _is_part(fix: Fix, others: Sequence[Fix]) -> bool:
    """Whether another fix of the same sort includes this one."""
    return any(_parts(fix) < _parts(other) for other in others if other.sort == fix.sort)


def _parts(fix: Fix) -> set[str]:
    """The words of a fix's key; a new name for an argument leaves one out and passes another."""
    renamed = re.search(r"(?<!\S)(\S++) renamed (\S+)", fix.key)
    return {*fix.key.split(), *((f"-{renamed[1]}", f"+{renamed[2]}") if renamed else ())}


def settled(lesson: Lesson) -> Lesson:
    """The lesson with the status and the text that follow from its record.

    A lesson that a person vouched for keeps its text and status. One that was read in a session
    keeps its text too, but becomes a candidate again when a fix has failed in two runs.
    """
    if lesson.status not in LIVE or is_vouched(lesson):
        return lesson
    if lesson.origin != MINED:
        is_doubted = lesson.status == Status.PROVEN and _are_doubted(lesson.fixes)
        return _in_state(lesson, Status.CANDIDATE) if is_doubted else lesson
    head = lesson.mistake.partition(" failed.")[0]
    tried = values_of(lesson.evidence, Kind.TRIED)
    return _in_state(lesson, _state(lesson.fixes))._replace(
        situation=narrowed_to_tests(lesson.situation, lesson.fixes),
        mistake=mistake(f"{head} failed.", lesson.fixes, tried),
        correction=correction(lesson.fixes),
    )


def succeeded(lesson: Lesson, fix: Fix) -> Lesson:
    """The lesson after one more run in which the fix worked; two runs prove it."""
    grown = lesson._replace(fixes=with_success(lesson.fixes, fix))
    if lesson.origin == MINED or lesson.status not in LIVE or is_vouched(lesson):
        return settled(grown)
    is_proven = _state(grown.fixes) == Status.PROVEN
    return _in_state(grown, Status.PROVEN) if is_proven else grown


def _in_state(lesson: Lesson, status: str) -> Lesson:
    return lesson._replace(status=status, confidence=_SURENESS[status])


def _state(fixes: Sequence[Fix]) -> str:
    """The status of a lesson with these fixes."""
    if any(fix.is_proven for fix in fixes):
        return Status.PROVEN
    return Status.CANDIDATE if fixes_to_show(fixes) else Status.SEEN


def _are_doubted(fixes: Sequence[Fix]) -> bool:
    """Whether a fix has failed in several runs and no fix is proven."""
    return any(fix.failed >= DOUBTED for fix in fixes) and not any(fix.is_proven for fix in fixes)
