"""What a run tried in vain: its attempts between two failures of one kind."""

from __future__ import annotations

from hardwon._cold import re
from hardwon._cold.lazy import lazy
from hardwon.failures.authored import is_coined
from hardwon.failures.fix_case import blamed, commands_of, is_personal, is_reader, line_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hardwon.failures import fix_preparation
    from hardwon.failures.shell import Command
    from hardwon.values.step import Step
else:
    fix_preparation = lazy("hardwon.failures.fix_preparation")

_SHOWN = 80  # characters of a call
_LACKING = r"(?i:not found|no module named|no such file|not recognized)"
_KEPT = 3  # attempts between one pair of failures


def tried_in_vain(steps: Sequence[Step], since: int) -> list[str]:
    """The attempts between the failing step `since` and the last one, which failed alike."""
    first, last = steps[since], steps[-1]
    prepared = [part.text for part in _prepared(steps[since + 1 : -1]) if _is_general(part, steps)]
    return list(dict.fromkeys(f"`{text}`" for text in (*prepared, *_changed(first, last))))[:_KEPT]


def _prepared(between: Sequence[Step]) -> Iterator[Command]:
    """The commands that prepared something: installed, fetched, started."""
    for step in between:
        if not step.failed:
            commands = (
                part
                for part in commands_of(step)
                if fix_preparation.is_maker(part) and part.program != "git"
            )
            yield from commands


def _changed(first: Step, last: Step) -> Iterator[str]:
    """The failing command, if it was started in another way than before."""
    old, new = (_failing(step) for step in (first, last))
    if not old or not new or old.call == new.call or is_reader(new) or is_personal(new.call):
        return
    if " " in new.call or re.search(_LACKING, line_of(last)):
        yield new.call  # a bare name is worth showing only if something is missing


def _failing(step: Step) -> Command | None:
    at = blamed(step, line_of(step))
    return commands_of(step)[at] if at >= 0 else None


def _is_general(part: Command, steps: Sequence[Step]) -> bool:
    """Whether a command can be shown to an agent with another task."""
    text = part.text
    if len(text) > _SHOWN or "\n" in text or "`" in text or part.script or is_personal(text):
        return False
    return not any(is_coined(word, steps) for word in (part.program, *part.operands))
