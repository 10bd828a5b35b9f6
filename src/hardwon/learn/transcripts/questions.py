"""The guided selection as data: questions Q1 to Q5b, all with fixed answers.

A question is asked if the answers so far lead to it. A terminal, a file of answers and a policy
answer the same questions.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import starmap
from typing import Any, NamedTuple

from hardwon.core.errors import InvalidInput
from hardwon.learn.transcripts.catalog import PROJECT
from hardwon.learn.transcripts.extract import COMPLEMENTARY, REDUNDANT
from hardwon.learn.transcripts.insight import HIGH, TIER_A, TIER_B, Delta, Insight, Related, Summary

NONE = "none"
MERGE, CREATE, SKIP = "merge", "create", "skip"
OWN_PROJECT, OWN_USER, OWN_DOMAIN = "project", "user", "domain"

Chosen = tuple[str, ...]


class Option(NamedTuple):
    """One answer that can be chosen."""

    value: str
    label: str


class Question(NamedTuple):
    """A question with all its answers; `default` is taken without an answer."""

    id: str
    text: str
    options: tuple[Option, ...]
    multi: bool = False
    default: Chosen = ()
    when: str = ""  # the earlier answer that leads to this question


Answer = Callable[[Question], Chosen]


class Choice(NamedTuple):
    """Where one insight is stored."""

    insight: Insight
    tier: str
    scope: str = OWN_PROJECT
    merge: str = CREATE
    related: Related | None = None  # what memory says about it, if the person was asked about that


class Selection(NamedTuple):
    """What the person decided."""

    choices: tuple[Choice, ...]
    summary: Summary | None
    skipped: tuple[Insight, ...] = ()


def select(delta: Delta, mode: str, answer: Answer) -> Selection:
    """What the answers choose; only questions to which earlier answers lead are asked."""
    given: dict[str, Chosen] = {}
    for question in all_questions(delta, mode):
        if _is_due(question, given):
            given[question.id] = valid(question, answer(question))
    related, choices = {one.key: one for one in delta.related}, list[Choice]()
    for number, insight in _number(delta):
        near = related.get(insight.key)
        if given.get(f"Q4.{number}") == (MERGE,):
            choices.append(Choice(insight, TIER_B, merge=MERGE, related=near))
        elif tier := given.get(f"Q5.{number}"):
            (scope,) = given.get(f"Q5b.{number}", (OWN_PROJECT,))
            choices.append(Choice(insight, tier[0], scope, related=near))
    chosen = {choice.insight.key for choice in choices}
    unchosen = tuple(insight for insight in delta.insights if insight.key not in chosen)
    return Selection(tuple(choices), _changed_summary(delta.summary, given), unchosen)


def _is_due(question: Question, given: Mapping[str, Chosen]) -> bool:
    """Whether the answers so far lead to a question."""
    kind, _, number = question.id.partition(".")
    is_saved = number in given.get("Q2", ()) + given.get("Q3-missed", ())
    match kind:
        case "Q1-changes":
            return given["Q1"] == ("modify",)
        case "Q2":
            return len(question.options) > 1
        case "Q3-missed":
            return given["Q3"] == ("yes",)
        case "Q4":
            return is_saved
        case "Q5":
            return is_saved and given.get(f"Q4.{number}", (CREATE,)) == (CREATE,)
        case "Q5b":
            return given.get(f"Q5.{number}") == (TIER_B,)
    return True


def _changed_summary(summary: Summary, given: Mapping[str, Chosen]) -> Summary | None:
    """The summary as the person changed it; None if it was skipped."""
    if given["Q1"] == (SKIP,):
        return None
    changes = given.get("Q1-changes", ())
    kept = [text for n, text in _sentences(summary) if f"drop{n}" not in changes]
    added = [text for n, text in enumerate(summary.decisions, 1) if f"add{n}" in changes]
    return summary._replace(text=" ".join((*kept, *added))) if changes else summary


def valid(question: Question, chosen: Chosen) -> Chosen:
    """The chosen values if they are options of the question, else InvalidInput."""
    by_label = {option.label: option.value for option in question.options}
    values = tuple(by_label.get(value, value) for value in chosen)
    allowed = [option.value for option in question.options]
    unknown = [value for value in values if value not in allowed]
    if unknown or not values or (len(values) > 1 and (not question.multi or NONE in values)):
        one_of = " or ".join(repr(value) for value in allowed)
        raise InvalidInput(f"{question.id}: {', '.join(chosen) or 'no answer'}; choose {one_of}")
    return values


def all_questions(delta: Delta, mode: str) -> list[Question]:
    """Every question that can come up, in order."""
    related = {one.key: one for one in delta.related}
    by_insight = (
        question
        for number, insight in _number(delta)
        for question in _about_insight(number, insight, related.get(insight.key), mode)
    )
    return [*_about_all(delta), *by_insight]


def _options(answers: Mapping[str, str]) -> tuple[Option, ...]:
    return tuple(starmap(Option, answers.items()))


def _pick(
    id_: str, text: str, options: Mapping[str, str], *, none: str, when: str = ""
) -> Question:
    """A question with any number of answers; by default none."""
    every = _options({**options, NONE: none})
    return Question(id_, text, every, multi=True, default=(NONE,), when=when)


def _about_all(delta: Delta) -> Iterator[Question]:
    """Q1: the summary, and what to change in it; Q2 and Q3: which insights to save."""
    summary = delta.summary
    answers = {"yes": "Yes, correct", "modify": "Needs modification", SKIP: "Skip summary"}
    text = f"Does this summary look correct?\n{summary.text}"
    yield Question("Q1", text, _options(answers), default=("yes",))
    adds = {f"add{n}": f"Add the decision: {one}" for n, one in enumerate(summary.decisions, 1)}
    drops = {f"drop{n}": f"Leave out: {one}" for n, one in _sentences(summary)}
    text = "What should change in the summary?"
    yield _pick("Q1-changes", text, adds | drops, none="Leave it as it is", when="Q1 = modify")
    offered = dict[str, str]()
    for number, insight in enumerate(delta.insights, 1):  # an attack on an agent may be among them
        warning = f"(look closely: {insight.doubt}) " if insight.doubt else ""
        offered[str(number)] = f"[{insight.confidence}] {warning}{insight.advice}"
    yield _pick("Q2", "Which insights should be saved?", offered, none="None (skip saving)")
    if delta.spare:
        answers = {"yes": "Yes", "no": "No, sufficient"}
        yield Question("Q3", "Any missed perspectives?", _options(answers), default=("no",))
        first = len(delta.insights) + 1
        missed = {str(n): insight.advice for n, insight in enumerate(delta.spare, first)}
        text = "Which of these should be saved as well?"
        yield _pick("Q3-missed", text, missed, none="None of these", when="Q3 = yes")


def _about_insight(
    number: int, insight: Insight, related: Related | None, mode: str
) -> Iterator[Question]:
    """Q4, Q5 and Q5b: merge decision, storage tier, and which `.insights/`."""
    saved, is_project = f"insight {number} is saved", mode == PROJECT
    if related:
        passage = f"{related.path}:{related.line} ({related.relation}): “{related.excerpt}”"
        answers = {MERGE: "Merge (modify existing file)", CREATE: "Create new", SKIP: "Skip"}
        text = f"Merge with existing knowledge?\n{insight.title}\n{passage}"
        merge = SKIP if related.relation == REDUNDANT else CREATE
        yield Question(f"Q4.{number}", text, _options(answers), default=(merge,), when=saved)
    tiers = {TIER_B: "Tier B — .insights/ only (no project MEMORY.md in user-level mode)"}
    if is_project:
        tiers = {
            TIER_A: "Tier A — MEMORY.md (always loaded, concise entry)",
            TIER_B: "Tier B — .insights/ (reference-on-demand, detailed archive)",
        }
    tier = insight.tier if is_project else TIER_B
    text, saved = f"Where should it be stored?\n{insight.title}", f"{saved} and not merged"
    yield Question(f"Q5.{number}", text, _options(tiers), default=(tier,), when=saved)
    folders = {
        OWN_PROJECT: "Project .insights/ (project-specific archival)",
        OWN_USER: "User .insights/ ~/.claude/.insights/ (cross-project reference)",
        OWN_DOMAIN: "Domain .insights/ (tech-stack specific)",
    }
    options = _options(folders)[not is_project :]
    text, default = f"Which .insights/?\n{insight.title}", (options[0].value,)
    yield Question(f"Q5b.{number}", text, options, default=default, when=f"Q5.{number} = B")


def _number(delta: Delta) -> list[tuple[int, Insight]]:
    return list(enumerate((*delta.insights, *delta.spare), 1))


def _sentences(summary: Summary) -> Sequence[tuple[int, str]]:
    return [*enumerate(filter(None, re.split(r"(?<=[.!?”])\s+", summary.text.strip())), 1)]


def cautious(delta: Delta) -> Answer:
    """Accept only sure insights that are no attack and neither repeat nor contradict memory."""
    numbered = _number(delta)
    sure = {str(n) for n, insight in numbered if insight.confidence == HIGH and not insight.doubt}
    relations = {insight.key: insight.relation for insight in delta.related}
    accepted = {None, COMPLEMENTARY}
    disputed = {f"Q4.{n}" for n, one in numbered if relations.get(one.key) not in accepted}

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


def answers_from(answers: Mapping[str, Any], delta: Delta, mode: str) -> Answer:
    """Answers by question id, a value or a list of values; a missing one gets its default."""
    ids = {question.id for question in all_questions(delta, mode)}
    if unknown := sorted(set(answers) - ids):
        raise InvalidInput(f"no such question: {', '.join(unknown)}")

    def answer(question: Question) -> Chosen:
        value = answers.get(question.id)
        if value is None:
            return question.default
        values = tuple(map(str, value)) if isinstance(value, list | tuple) else (str(value),)
        return values or question.default

    return answer
