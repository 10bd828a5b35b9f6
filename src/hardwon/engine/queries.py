"""Asking: make the query of a prompt or of a failure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hardwon.core.text.secrets import ending, screened
from hardwon.core.values.delivery import Door
from hardwon.knowledge.ranking.query import Query, query, terms

if TYPE_CHECKING:
    from collections.abc import Callable

    from hardwon.core.values.run import Step
    from hardwon.knowledge.ranking.query import Near

    Nearest = Callable[[str], Near]  # the lessons nearest in meaning to a text

_PROMPT = 1500  # characters of a prompt that are looked up, from its beginning and its end
_ABOUT = 300  # characters of the task that are added to the meaning of an error
_CALL = 200  # characters of a command that are looked up with its error
_ASKED = 2000  # characters of an error that are looked up, from its end
_TESTS = 16_000  # characters at the end of a test run that are searched for test names


def at_turn(prompt: str, near: Nearest) -> Query:
    """The query of a prompt."""
    prompt = screened(prompt, 2 * _PROMPT)
    return query(Door.TURN, prompt, near=near(prompt))


def at_error(step: Step, task: str, near: Nearest) -> Query:
    """The query of a failure; the task is added for the search by meaning."""
    failure = step.failure
    error = failure.line if failure else ending(step.output.strip(), _CALL)
    nearest = near(f"{error}\n{task[:_ABOUT]}")
    if failure is None or not failure.is_telling:
        return Query(Door.ERROR, ending(step.output, _ASKED), near=nearest)
    words = f"{_named(step)}\n{failure.line}"
    base_query = query(Door.ERROR, words, signature=failure.exact, kind=failure.kind, near=nearest)
    from hardwon.knowledge.reading import clues, reports

    return base_query._replace(
        text=ending(step.output, _ASKED),
        about=tuple(dict.fromkeys(terms(clues.specific_words(failure.text)))),
        clues=clues.clues_of_call(step, failure.line),
        red=step.output[-_TESTS:] if reports.failing_test(step.output) else "",
        is_failure=True,
    )


def _named(step: Step) -> str:
    """The command of a call, or its tool and argument names without the values."""
    if not step.args.startswith("{"):
        return step.args[:_CALL]
    return " ".join((step.tool, *re.findall(r'"(\w{1,40})":', step.args[:_ASKED])))
