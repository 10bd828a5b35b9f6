"""The fix that the error itself proposed and an edit applied."""

from __future__ import annotations

from hardwon._cold import re
from hardwon.failures.authored import writings
from hardwon.failures.fix_case import Case, is_gone
from hardwon.failures.fix_edit import is_same_call
from hardwon.values.fix import Fix

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NamedTuple

    from hardwon.values.step import Step
else:
    from hardwon._cold.namedtuple import NamedTuple

_READ = 6000  # characters at the end of an output


class _Hint(NamedTuple):
    """A form in which programs propose what to write, and the advice to give."""

    pattern: str  # its group is the proposal
    text: str
    key: str


_QUOTED = r"['\"`‘“]([^'\"`’”\n]{2,80})['\"`’”]"
_HINTS = (
    _Hint(
        rf"\b[Dd]id you mean (?:to \w{{1,12}} )?{_QUOTED}",
        "Write what the error itself proposes (“Did you mean …?”).",
        "lines proposed-name",
    ),
    _Hint(
        r"\bnote: include [‘'\"]?(<[\w./]{2,60}>)",
        "Include the header that the note below the error names (“include <…>”).",
        "lines proposed-header",
    ),
    _Hint(
        r"\b(missing separator)\b",
        "Begin every line of a recipe in the Makefile with a tab, not with spaces.",
        "lines recipe-tab",
    ),
)
_TABS = ("\t", "\\t")


def hint_fix(case: Case) -> Fix | None:
    """What the error proposes, if an edit applied it and the same call then worked."""
    if not is_gone(case) or not is_same_call(case) or not (written := _written(case)):
        return None
    output = case.failed.output[-_READ:]
    proposals = [(hint, text) for hint in _HINTS for text in re.findall(hint.pattern, output)]
    for hint, proposal in proposals:
        wanted = _TABS if hint.key == "lines recipe-tab" else (proposal,)
        if any(word in args for args in written for word in wanted):
            return Fix("lines", hint.text, hint.key)
    return None


def _written(case: Case) -> list[str]:
    """The arguments of the steps that edited a file, up to and including the last step."""
    steps = [step for step in case.between if not step.failed]
    return [step.args for step in (*steps, case.last) if _edits(step)]


def _edits(step: Step) -> bool:
    """Whether a step changes a file in place."""
    return any(not writing.text for writing in writings(step.tool, step.args))
