"""Answers without a terminal: from a file, or by a cautious policy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hardwon.core.errors import InvalidInput
from hardwon.learn.transcripts.insight import HIGH, Delta
from hardwon.learn.transcripts.questions import NONE, SKIP, Answer, Chosen, Question, all_questions
from hardwon.learn.transcripts.related import COMPLEMENTARY

if TYPE_CHECKING:
    from collections.abc import Mapping


def cautious(delta: Delta) -> Answer:
    """Accept only sure insights that are no attack and neither repeat nor contradict memory."""
    numbered = list(enumerate((*delta.insights, *delta.spare), 1))
    sure = {str(n) for n, insight in numbered if insight.confidence == HIGH and not insight.doubt}
    relations = {insight.key: insight.relation for insight in delta.related}
    disputed = {
        f"Q4.{n}"
        for n, insight in numbered
        if relations.get(insight.key) not in {None, COMPLEMENTARY}
    }

    def answer(question: Question) -> Chosen:
        if question.id == "Q1":
            return (SKIP,)  # nobody has read the summary
        if question.id == "Q3":
            return ("yes",)
        if question.id in {"Q2", "Q3-missed"}:
            offered = (option.value for option in question.options)
            return tuple(value for value in offered if value in sure) or (NONE,)
        return (SKIP,) if question.id in disputed else question.default

    return answer


def prepared(answers: Mapping[str, Any], delta: Delta, mode: str) -> Answer:
    """Answers by question id, a value or a list of values; a missing one gets its default."""
    ids = {question.id for question in all_questions(delta, mode)}
    unknown = sorted(set(answers) - ids)
    if unknown:
        raise InvalidInput(f"no such question: {', '.join(unknown)}")
    return lambda question: _listed(answers.get(question.id)) or question.default


def _listed(value: Any) -> Chosen:
    if value is None:
        return ()
    return tuple(map(str, value)) if isinstance(value, list | tuple) else (str(value),)
