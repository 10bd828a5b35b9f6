"""Check the reader's changes without a model: they must be grounded in the steps they cite."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from hardwon.core.text.grounding import QUOTED, fold_text, keep_supported
from hardwon.core.text.named_values import is_random
from hardwon.core.values.lesson import MINED, Lesson
from hardwon.core.values.run import Step
from hardwon.knowledge.evidence.advice import recommended_calls
from hardwon.learn.reader.answer import Item

_MAIL = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,24}){1,4}(?![\w:/])")
_UUID = re.compile(r"\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b")
_HEX = re.compile(r"(?<![\w#-])(?=[0-9a-f]*[a-f])(?=[0-9a-f]*\d[0-9a-f]*\d)[0-9a-f]{7,64}(?![\w-])")
_LONG = re.compile(r"(?<![\w/.-])[\w-]{16,}(?![\w/.-])")
_HOME = re.compile(r"(?<![\w/])/(?:home|Users)/[\w.-]+(?=/|\b)")
_OF_TASK = re.compile(  # but `480,960` and `640+09` show a form
    r"(?<![\w.-])(?<!\d[,+:/])(?:[A-Z][A-Z0-9]{0,9}-)?\d{3,}(?![\w-]|[.,+:/]\d)"
)
_YEAR = re.compile(r"(?:19|20)\d\d")
_WORDS = re.compile(r"[^\W_]+")
_LEAST_WORDS = 3  # in what an item says to do
_ALIKE = 0.6  # share of common words of two items that may contradict each other
_TURNING = re.compile(
    r"(?i)(?<![\w-])(?:\d[\w.:]*|no|not|never|without|don[’']?t|cannot|only)(?!\w)"
)


class Refusal(NamedTuple):
    """An item, or a part of one, that was dropped, and why."""

    item: Item
    why: str


class Checked(NamedTuple):
    """What remains of the items of an answer."""

    items: tuple[Item, ...] = ()
    refused: tuple[Refusal, ...] = ()


def check_items(
    items: Sequence[Item], *, task: str, steps: Sequence[Step], known: Mapping[int, Lesson]
) -> Checked:
    """The items that the steps support; sentences and values that they must not hold are left out.

    `known` are the items of the playbook by number: what a changed one says is supported, too.
    """
    kept: list[Item] = []
    refused: list[Refusal] = []
    everything = fold_text("\n".join(f"{step.args}\n{step.output}" for step in steps))
    for item in items:
        before = known.get(item.id)
        cited = tuple(number for number in item.steps if 0 < number <= len(steps))
        grounds = f"{everything} {fold_text(text_of(before))}" if before else everything
        held, missing = _keep_grounded(item._replace(steps=cited), grounds)
        if not cited:
            refused.append(Refusal(item, "no step of the run shows it"))
        elif len(_WORDS.findall(held.do)) < _LEAST_WORDS and (item.do or not before):
            refused.append(Refusal(item, f"the steps do not hold {', '.join(missing[:8])}"))
        else:
            kept.append(without_values(held, task))
            refused += [Refusal(item, f"partly: no {', '.join(missing[:8])}")] if missing else []
    return Checked(tuple(kept), tuple(refused))


def text_of(lesson: Lesson) -> str:
    """All words of a lesson."""
    return f"{lesson.situation}\n{lesson.mistake}\n{lesson.correction}"


def _keep_grounded(item: Item, grounds: str) -> tuple[Item, list[str]]:
    """The item without sentences that name what the grounds do not hold, and these names."""
    when, lost = keep_supported(item.when, grounds)
    wrong, more = keep_supported(item.wrong, grounds)
    do, most = keep_supported(item.do, grounds)
    held = item._replace(when=when or re.sub(QUOTED, "it", item.when), wrong=wrong, do=do)
    return held, [*lost, *more, *most]


def without_values(item: Item, task: str) -> Item:
    """The item with placeholders for the values of one run: ids, mail addresses, hashes."""
    of_task = {value for value in _OF_TASK.findall(task) if not _YEAR.fullmatch(value)}

    def general(text: str) -> str:
        text = _MAIL.sub("<mail>", _HOME.sub("~", text))
        text = _HEX.sub("<id>", _UUID.sub("<id>", text))
        text = _LONG.sub(lambda found: "<id>" if is_random(found[0]) else found[0], text)
        return _OF_TASK.sub(lambda found: "<id>" if found[0] in of_task else found[0], text)

    return item._replace(when=general(item.when), wrong=general(item.wrong), do=general(item.do))


def is_same(item: Item, lesson: Lesson) -> bool:
    """Whether an item says what a lesson says: the same words in the same order."""
    return _plain_words(item.do) == _plain_words(lesson.correction) and (
        _plain_words(item.when) == _plain_words(lesson.situation)
        or lesson.situation == lesson.correction
    )


def _plain_words(text: str) -> str:
    return " ".join(text.lower().split()).rstrip(".").removeprefix("when ")


def contradicts(item: Item, kinds: Sequence[str], lesson: Lesson) -> bool:
    """Whether an item is about the failure or the call of a lesson, and says the opposite."""
    if lesson.origin == MINED or not _is_about_the_same(item, kinds, lesson):
        return False
    words, other = _bag(item.do), _bag(lesson.correction)
    if len(words & other) < _ALIKE * len(words | other):
        return False
    return _turns(item.do) != _turns(lesson.correction) or (
        words == other and _plain_words(item.do) != _plain_words(lesson.correction)
    )


def _is_about_the_same(item: Item, kinds: Sequence[str], lesson: Lesson) -> bool:
    if not set(kinds).isdisjoint(lesson.kinds):
        return True
    own, others = _calls(item.do), _calls(lesson.correction)
    if own or others:
        return not own.isdisjoint(others)
    return _plain_words(item.when) == _plain_words(lesson.situation)


def _calls(text: str) -> set[str]:
    return {call.kind for call in recommended_calls(text)}


def _bag(text: str) -> set[str]:
    return set(_WORDS.findall(text.lower()))


def _turns(text: str) -> list[str]:
    """The words that turn a sentence into another one: numbers and words of denial."""
    return [word.lower() for word in _TURNING.findall(text)]
