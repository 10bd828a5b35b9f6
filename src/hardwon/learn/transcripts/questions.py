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
    changes, summary = given.get("Q1-changes", ()), delta.summary
    kept = [text for n, text in _sentences(summary) if f"drop{n}" not in changes]
    added = [text for n, text in enumerate(summary.decisions, 1) if f"add{n}" in changes]
    if changes:
        summary = summary._replace(text=" ".join((*kept, *added)))
    return Selection(tuple(choices), None if given["Q1"] == (SKIP,) else summary, unchosen)


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


def _question(
    id_: str,
    text: str,
    answers: Mapping[str, str],
    default: str = NONE,
    *,
    when: str = "",
    none: str = "",
) -> Question:
    """A question with one answer; with any number of them if it may have `none`."""
    every = {**answers, NONE: none} if none else answers
    options = tuple(starmap(Option, every.items()))
    return Question(id_, text, options, multi=bool(none), default=(default,), when=when)


def _about_all(delta: Delta) -> Iterator[Question]:
    """Q1: the summary, and what to change in it; Q2 and Q3: which insights to save."""
    summary, first_spare = delta.summary, len(delta.insights) + 1
    answers = {"yes": "Yes, correct", "modify": "Needs modification", SKIP: "Skip summary"}
    yield _question("Q1", f"Does this summary look correct?\n{summary.text}", answers, "yes")
    changes = {f"add{n}": f"Add the decision: {one}" for n, one in enumerate(summary.decisions, 1)}
    changes |= {f"drop{n}": f"Leave out: {one}" for n, one in _sentences(summary)}
    text, none = "What should change in the summary?", "Leave it as it is"
    yield _question("Q1-changes", text, changes, none=none, when="Q1 = modify")
    offered = {}
    for number, insight in enumerate(delta.insights, 1):  # an attack on an agent may be among them
        warning = f"(look closely: {insight.doubt}) " if insight.doubt else ""
        offered[str(number)] = f"[{insight.confidence}] {warning}{insight.advice}"
    text = "Which insights should be saved?"
    yield _question("Q2", text, offered, none="None (skip saving)")
    if delta.spare:
        answers = {"yes": "Yes", "no": "No, sufficient"}
        yield _question("Q3", "Any missed perspectives?", answers, "no")
        missed = {str(n): insight.advice for n, insight in enumerate(delta.spare, first_spare)}
        text = "Which of these should be saved as well?"
        yield _question("Q3-missed", text, missed, none="None of these", when="Q3 = yes")


def _about_insight(
    number: int, insight: Insight, related: Related | None, mode: str
) -> Iterator[Question]:
    """Q4, Q5 and Q5b: merge decision, storage tier, and which `.insights/`."""
    saved, is_project = f"insight {number} is saved", mode == PROJECT
    if related:
        passage = f"{related.path}:{related.line} ({related.relation}): “{related.excerpt}”"
        answers = {MERGE: "Merge (modify existing file)", CREATE: "Create new", SKIP: "Skip"}
        text = f"Merge with existing knowledge?\n{insight.title}\n{passage}"
        default = SKIP if related.relation == REDUNDANT else CREATE
        yield _question(f"Q4.{number}", text, answers, default, when=saved)
    tiers = {TIER_B: "Tier B — .insights/ only (no project MEMORY.md in user-level mode)"}
    folders = {
        OWN_USER: "User .insights/ ~/.claude/.insights/ (cross-project reference)",
        OWN_DOMAIN: "Domain .insights/ (tech-stack specific)",
    }
    if is_project:
        tiers = {
            TIER_A: "Tier A — MEMORY.md (always loaded, concise entry)",
            TIER_B: "Tier B — .insights/ (reference-on-demand, detailed archive)",
        }
        folders = {OWN_PROJECT: "Project .insights/ (project-specific archival)", **folders}
    tier = insight.tier if is_project else TIER_B
    text = f"Where should it be stored?\n{insight.title}"
    yield _question(f"Q5.{number}", text, tiers, tier, when=f"{saved} and not merged")
    text, default = f"Which .insights/?\n{insight.title}", next(iter(folders))
    yield _question(f"Q5b.{number}", text, folders, default, when=f"Q5.{number} = B")


def _number(delta: Delta) -> list[tuple[int, Insight]]:
    return list(enumerate((*delta.insights, *delta.spare), 1))


def _sentences(summary: Summary) -> Sequence[tuple[int, str]]:
    return [*enumerate(filter(None, re.split(r"(?<=[.!?”])\s+", summary.text.strip())), 1)]


def cautious(delta: Delta) -> Answer:
    """Accept only sure insights that are no attack and neither repeat nor contradict memory."""
    relations = {insight.key: insight.relation for insight in delta.related}
    # Nobody has read the summary.
    answers: dict[str, Any] = {"Q1": SKIP, "Q2": [], "Q3": "yes", "Q3-missed": []}
    for number, insight in _number(delta):
        if insight.confidence == HIGH and not insight.doubt:
            answers["Q2" if number <= len(delta.insights) else "Q3-missed"].append(str(number))
        if relations.get(insight.key, COMPLEMENTARY) != COMPLEMENTARY:
            answers[f"Q4.{number}"] = SKIP
    return _answer_with(answers)


def answers_from(answers: Mapping[str, Any], delta: Delta, mode: str) -> Answer:
    """Answers by question id, a value or a list of values; a missing one gets its default."""
    ids = {question.id for question in all_questions(delta, mode)}
    if unknown := sorted(set(answers) - ids):
        raise InvalidInput(f"no such question: {', '.join(unknown)}")
    return _answer_with(answers)


def _answer_with(answers: Mapping[str, Any]) -> Answer:
    def answer(question: Question) -> Chosen:
        value = answers.get(question.id)
        values = value if isinstance(value, list | tuple | None) else (value,)
        return tuple(map(str, values or ())) or question.default

    return answer
