"""The guided selection as data: questions Q1 to Q5b, all with fixed answers.

`dialogue` is a generator: it yields a question and is sent the chosen values. A terminal, a file
of answers and a policy drive the same one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Mapping, Sequence
from itertools import starmap
from typing import Any, NamedTuple

from hardwon.core.errors import InvalidInput
from hardwon.learn.transcripts.catalog import PROJECT
from hardwon.learn.transcripts.extract import COMPLEMENTARY, NOVEL, REDUNDANT
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


Dialogue = Generator[Question, Chosen, Selection]
Answer = Callable[[Question], Chosen]


def dialogue(delta: Delta, mode: str) -> Dialogue:
    """Yields the questions in order; returns the selection."""
    summary = yield from _summary(delta)
    picked = yield from _insights(delta)
    related = {passage.key: passage for passage in delta.related}
    choices: list[Choice] = []
    for number, insight in picked:
        choice = yield from _storage(number, insight, related.get(insight.key), mode)
        if choice:
            choices.append(choice)
    chosen = {choice.insight.key for choice in choices}
    unchosen = tuple(insight for insight in delta.insights if insight.key not in chosen)
    return Selection(tuple(choices), summary, unchosen)


def converse(talk: Dialogue, answer: Answer) -> Selection:
    """Run a dialogue with `answer`; return its selection."""
    try:
        question = next(talk)
        while True:
            question = talk.send(valid(question, answer(question)))
    except StopIteration as end:
        selection: Selection = end.value
        return selection


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
    """Every question that can come up, for front ends that show them in their own way."""
    related = {passage.key: passage for passage in delta.related}
    questions = [q1(delta), q1_changes(delta), q2(delta)]
    if delta.spare:
        questions += [Q3, q3_missed(delta)]
    for number, insight in _number(delta):
        if insight.key in related:
            questions.append(q4(number, insight, related[insight.key]))
        questions += [q5(number, insight, mode), q5b(number, insight, mode)]
    return questions


def _pick(id_: str, text: str, options: Sequence[Option], *, none: str, when: str = "") -> Question:
    """A question with any number of answers; by default none."""
    every = (*options, Option(NONE, none))
    return Question(id_, text, every, multi=True, default=(NONE,), when=when)


def q1(delta: Delta) -> Question:
    """Summary validation."""
    answers = {"yes": "Yes, correct", "modify": "Needs modification", "skip": "Skip summary"}
    text = f"Does this summary look correct?\n{delta.summary.text}"
    return Question("Q1", text, tuple(starmap(Option, answers.items())), default=("yes",))


def q1_changes(delta: Delta) -> Question:
    """What to change in the summary, inferred from the session."""
    sentences, decisions = _sentences(delta.summary.text), delta.summary.decisions
    adds = [Option(f"add{n}", f"Add the decision: {one}") for n, one in enumerate(decisions, 1)]
    drops = [Option(f"drop{n}", f"Leave out: {text}") for n, text in enumerate(sentences, 1)]
    text = "What should change in the summary?"
    none = "Leave it as it is"
    return _pick("Q1-changes", text, [*adds, *drops], none=none, when="Q1 = modify")


def q2(delta: Delta) -> Question:
    """Insight selection; it warns of an insight that may be an attack on an agent."""
    options = []
    for number, insight in enumerate(delta.insights, 1):
        warning = f"(look closely: {insight.doubt}) " if insight.doubt else ""
        label = f"[{insight.confidence}] {warning}{insight.advice}"
        options.append(Option(str(number), label))
    return _pick("Q2", "Which insights should be saved?", options, none="None (skip saving)")


Q3 = Question(
    "Q3",
    "Any missed perspectives?",
    (Option("yes", "Yes"), Option("no", "No, sufficient")),
    default=("no",),
)


def q3_missed(delta: Delta) -> Question:
    """Insights that were not in the list, inferred from the session."""
    first = len(delta.insights) + 1
    options = [Option(str(n), insight.advice) for n, insight in enumerate(delta.spare, first)]
    text = "Which of these should be saved as well?"
    return _pick("Q3-missed", text, options, none="None of these", when="Q3 = yes")


def q4(number: int, insight: Insight, related: Related) -> Question:
    """Merge decision."""
    passage = f"{related.path}:{related.line} ({related.relation}): “{related.excerpt}”"
    answers = {MERGE: "Merge (modify existing file)", CREATE: "Create new", SKIP: "Skip"}
    return Question(
        f"Q4.{number}",
        f"Merge with existing knowledge?\n{insight.title}\n{passage}",
        tuple(starmap(Option, answers.items())),
        default=(SKIP if related.relation == REDUNDANT else CREATE,),
        when=f"insight {number} is saved",
    )


def q5(number: int, insight: Insight, mode: str) -> Question:
    """Storage tier."""
    always = Option(TIER_A, "Tier A — MEMORY.md (always loaded, concise entry)")
    detailed = Option(TIER_B, "Tier B — .insights/ (reference-on-demand, detailed archive)")
    only = Option(TIER_B, "Tier B — .insights/ only (no project MEMORY.md in user-level mode)")
    is_project = mode == PROJECT
    return Question(
        f"Q5.{number}",
        f"Where should it be stored?\n{insight.title}",
        (always, detailed) if is_project else (only,),
        default=(insight.tier if is_project else TIER_B,),
        when=f"insight {number} is saved and not merged",
    )


def q5b(number: int, insight: Insight, mode: str) -> Question:
    """Which `.insights/`."""
    options = (
        Option(OWN_PROJECT, "Project .insights/ (project-specific archival)"),
        Option(OWN_USER, "User .insights/ ~/.claude/.insights/ (cross-project reference)"),
        Option(OWN_DOMAIN, "Domain .insights/ (tech-stack specific)"),
    )[mode != PROJECT :]
    text = f"Which .insights/?\n{insight.title}"
    default = (options[0].value,)
    return Question(f"Q5b.{number}", text, options, default=default, when=f"Q5.{number} = B")


def _summary(delta: Delta) -> Generator[Question, Chosen, Summary | None]:
    (answer,) = yield q1(delta)
    if answer == "skip":
        return None
    if answer == "yes":
        return delta.summary
    changes = yield q1_changes(delta)
    sentences, decisions = _sentences(delta.summary.text), delta.summary.decisions
    remaining = [text for n, text in enumerate(sentences, 1) if f"drop{n}" not in changes]
    added = [text for n, text in enumerate(decisions, 1) if f"add{n}" in changes]
    return delta.summary._replace(text=" ".join((*remaining, *added)))


def _insights(delta: Delta) -> Generator[Question, Chosen, list[tuple[int, Insight]]]:
    picked: Chosen = (NONE,)
    if delta.insights:
        picked = yield q2(delta)
    if delta.spare and (yield Q3) == ("yes",):
        picked += yield q3_missed(delta)
    return [(number, insight) for number, insight in _number(delta) if str(number) in picked]


def _number(delta: Delta) -> list[tuple[int, Insight]]:
    return list(enumerate((*delta.insights, *delta.spare), 1))


def _storage(
    number: int, insight: Insight, related: Related | None, mode: str
) -> Generator[Question, Chosen, Choice | None]:
    if related and related.relation != NOVEL:
        (merge,) = yield q4(number, insight, related)
        if merge == SKIP:
            return None
        if merge == MERGE:
            return Choice(insight, TIER_B, merge=MERGE, related=related)
    (tier,) = yield q5(number, insight, mode)
    if tier == TIER_A:
        return Choice(insight, TIER_A, related=related)
    (scope,) = yield q5b(number, insight, mode)
    return Choice(insight, TIER_B, scope, related=related)


def _sentences(text: str) -> Sequence[str]:
    return [sentence for sentence in re.split(r"(?<=[.!?”])\s+", text.strip()) if sentence]


def cautious(delta: Delta) -> Answer:
    """Accept only sure insights that are no attack and neither repeat nor contradict memory."""
    numbered = _number(delta)
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


def answers_from(answers: Mapping[str, Any], delta: Delta, mode: str) -> Answer:
    """Answers by question id, a value or a list of values; a missing one gets its default."""
    ids = {question.id for question in all_questions(delta, mode)}
    unknown = sorted(set(answers) - ids)
    if unknown:
        raise InvalidInput(f"no such question: {', '.join(unknown)}")

    def answer(question: Question) -> Chosen:
        value = answers.get(question.id)
        if value is None:
            return question.default
        values = tuple(map(str, value)) if isinstance(value, list | tuple) else (str(value),)
        return values or question.default

    return answer
