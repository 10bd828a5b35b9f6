"""The signature and the category of a failed trial, without any model."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from typing import TYPE_CHECKING

from hardwon.failures.signature import signature
from hardwon.learn.trials.values import Category

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hardwon.learn.trials.values import EvaluatorOutput, Record, StructuredError

_NAMED = 20

# The first entry that matches the message counts.
_CATEGORIES: tuple[tuple[str, Category], ...] = (
    (r"No module named|cannot find module|command not found|not found; is it|No such file"
     r"|Cannot find module|unrecognized arguments|could not find .{0,60}in registry|did not start"
     r"|[Cc]onfig(?:uration)? (?:error|file)|not on PATH", "configuration_error"),
    (r"has no attribute|cannot import name|is not defined|Cannot find name|undefined: "
     r"|is not a function|no method named|cannot find (?:function|value|type)"
     r"|unexpected keyword argument|attr-defined|does not exist on type"
     r"|unresolved import", "hallucination"),
    (r"NotImplementedError|not implemented|TODO|unimplemented!|todo!|missing return"
     r"|abstract method", "incomplete_implementation"),
    (r"IndexError|KeyError|ZeroDivision|NoneType|null|undefined|None\b|empty"
     r"|out of (?:range|bounds)|StopIteration|overflow|negative|boundary|divide by zero"
     r"|nil pointer", "edge_case_miss"),
    (r"[Cc]onnection|HTTP|ECONN|socket|[Tt]imed? ?out.{0,20}(?:connect|request)|status code"
     r"|database", "integration_error"),
    (r"time limit|[Tt]imeout|too slow|RecursionError|maximum recursion", "inefficient_planning"),
    (r"\b(?:Type|Value|Attribute)Error\b", "incorrect_assumption"),
)  # fmt: skip
_BY_TYPE: dict[str, Category] = {
    "timeout": "inefficient_planning",
    "syntax_error": "incomplete_implementation",
    "type_error": "incorrect_assumption",
    "lint_error": "incomplete_implementation",
    "test_failure": "logic_error",
    "logic_error": "logic_error",
}


def name_of(evaluation: EvaluatorOutput, crash: str = "") -> str:
    """The signature of a trial: equal for the same set of failures, in any order."""
    if crash:
        return signature("actor", crash).digest
    digests = sorted({digest(error) for error in evaluation.errors[:_NAMED] if is_error(error)})
    if len(digests) == 1:
        return digests[0]
    return hashlib.blake2b(" ".join(digests).encode(), digest_size=8).hexdigest()


def digest(error: StructuredError) -> str:
    """The kind of one error: its test and its message without numbers, paths and ids."""
    return signature(error.tool or "tool", f"{error.test or ''} {error.message}").digest


def is_error(error: StructuredError) -> bool:
    """Whether it is more than a warning."""
    return error.severity == "error"


def count(evaluation: EvaluatorOutput) -> int:
    """How many errors there are."""
    return sum(map(is_error, evaluation.errors))


def category(error: StructuredError) -> Category:
    """The category of an error."""
    text = f"{error.rule or ''} {error.message}"
    for words, kind in _CATEGORIES:
        if re.search(words, text):
            return kind
    return _BY_TYPE.get(error.type, "other")


def main_error(errors: Sequence[StructuredError]) -> StructuredError | None:
    """The error to fix first: a syntax error hides others, then what stops the program."""
    order = ("syntax_error", "timeout", "runtime_error", "test_failure", "type_error")
    ranks = {kind: at for at, kind in enumerate(order)}
    hard = [error for error in errors if is_error(error)]
    return min(hard, key=lambda error: ranks.get(error.type, len(order)), default=None)


def returned(signature_: str, earlier: Sequence[Record]) -> list[int]:
    """The earlier trials that failed the same way."""
    return [record.iteration for record in earlier if record.signature == signature_]


def commonest(kinds: Sequence[Category]) -> Category:
    """The most frequent kind; the first of equals."""
    return Counter(kinds).most_common(1)[0][0] if kinds else "other"
