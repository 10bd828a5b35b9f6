"""Read a failure: its exact digest, its kind and the line of the error."""

from __future__ import annotations

import re
from hashlib import blake2b
from typing import TYPE_CHECKING

from hardwon.core.text.clean import one_line
from hardwon.core.values.run import Failure, Step
from hardwon.knowledge.reading import rate_limits
from hardwon.knowledge.reading.error_line import informative_line
from hardwon.knowledge.reading.reports import failing_test
from hardwon.knowledge.reading.signature import line_signature
from hardwon.knowledge.reading.step_kind import step_kind

if TYPE_CHECKING:
    from collections.abc import Sequence


INLINE = " in code given with the call"  # of a kind: no file holds what failed
_LINE = 300
_UNPARSED = r"SyntaxError: (?:invalid syntax|unexpected EOF while parsing)"
_GENERAL = rf"[A-Z]\w*|{_UNPARSED}"
_TESTED = r"AssertionError|Failed|(?:FAILED|ERROR) .*"  # only says that a test has failed
_RED = {"FAILED": "test failed", "ERROR": "test failed"}


def read_failure(step: Step, before: Sequence[Step]) -> Failure | None:
    """The failure of a failing step; None if its output does not say what went wrong.

    `before` are the earlier steps of the run. Names that the run invented are folded.
    """
    line = informative_line(step.output)
    if not line:
        return None
    text = step_kind(one_line(line), step, before)
    if re.fullmatch(_TESTED, text) and (test := failing_test(step.output)):
        word = text.split(" ", 1)[0]
        text = f"{_RED.get(word, word)} in {test}"
        exact = line_signature(step.tool, text).digest
    else:
        exact = "" if re.fullmatch(_GENERAL, text) else line_signature(step.tool, line).digest
    if re.fullmatch(_UNPARSED, text) and 'File "<string>"' in step.output:
        text += INLINE
    if step.args.startswith("{") and not rate_limits.is_limit(line):
        text = f"{step.tool}: {text}"
    return Failure(exact, _digest(text), text, one_line(line, _LINE))


def _digest(text: str) -> str:
    return blake2b(text.encode("utf-8", "replace"), digest_size=8).hexdigest()
