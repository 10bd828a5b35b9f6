"""Check the reader's changes without a model: they must be grounded in the steps they cite."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from hardwon.evidence.advice import recommended
from hardwon.text.named_values import is_random
from hardwon.values.lesson import MINED

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hardwon.learn.reader.answer import Item
    from hardwon.values.lesson import Lesson
    from hardwon.values.step import Step

_QUOTED = re.compile(r"`([^`\n]{1,600})`")
_PLACEHOLDER = re.compile(
    r"<[^<>\n]{1,80}>|\{\{?[\w .-]{1,40}\}?\}|…|\.{3}|\$\{?\w+\}?|\$\([^()]*\)"
)
_PART = re.compile(r"[A-Za-z0-9_@%+~/.:-]*[A-Za-z0-9][A-Za-z0-9_@%+~/.:-]*")
_EDGES = ".:/-+~%@"
_MAIL = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,24}){1,4}(?![\w:/])")
_UUID = re.compile(r"\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b")
_HEX = re.compile(r"(?<![\w#-])(?=[0-9a-f]*[a-f])(?=[0-9a-f]*\d[0-9a-f]*\d)[0-9a-f]{7,64}(?![\w-])")
_LONG = re.compile(r"(?<![\w/.-])[\w-]{16,}(?![\w/.-])")
_HOME = re.compile(r"(?<![\w/])/(?:home|Users)/[\w.-]+(?=/|\b)")
_OF_TASK = re.compile(r"(?<![\w.-])(?:[A-Z][A-Z0-9]{0,9}-)?\d{3,}(?![\w-])")
_YEAR = re.compile(r"(?:19|20)\d\d")
_WORDS = re.compile(r"[^\W_]+")
_LEAST_WORDS = 3  # in what an item says to do
_ALIKE = 0.6  # share of common words of two items that may contradict each other
_TURNING = re.compile(
    r"(?i)(?<![\w-])(?:\d[\w.:]*|no|not|never|without|don[’']?t|cannot|only)(?!\w)"
)


class Refusal(NamedTuple):
    """An item that was dropped, and why."""

    item: Item
    why: str


class Checked(NamedTuple):
    """What remains of the items of an answer."""

    items: tuple[Item, ...] = ()
    refused: tuple[Refusal, ...] = ()


def checked(
    items: Sequence[Item], *, task: str, steps: Sequence[Step], known: Mapping[int, Lesson]
) -> Checked:
    """The items that the steps support; parts and values that they must not hold are taken out.

    `known` are the items of the playbook by number: what a changed one says is supported, too.
    """
    kept: list[Item] = []
    refused: list[Refusal] = []
    everything = folded("\n".join(f"{step.args}\n{step.output}" for step in steps))
    for item in items:
        before = known.get(item.id)
        item = item._replace(steps=tuple(n for n in item.steps if 0 < n <= len(steps)))
        grounds = everything + folded(text_of(before)) if before else everything
        if not item.steps:
            refused.append(Refusal(item, "no step of the run shows it"))
            continue
        item = without_values(_grounded(item, grounds), task)
        if len(_WORDS.findall(item.do)) < _LEAST_WORDS and not before:
            refused.append(Refusal(item, "the steps do not show what it says"))
        else:
            kept.append(item)
    return Checked(tuple(kept), tuple(refused))


def text_of(lesson: Lesson) -> str:
    """All words of a lesson."""
    return f"{lesson.situation}\n{lesson.mistake}\n{lesson.correction}"


def quotes(text: str) -> list[str]:
    """What stands in backticks in a text."""
    return _QUOTED.findall(text)


def folded(text: str) -> str:
    """The text in lower case, without quotes, with single blanks."""
    return " ".join(re.sub(r"[\"'`\\]", " ", text.lower()).split())


def _grounded(item: Item, grounds: str) -> Item:
    """The item without sentences that quote what the steps do not hold."""
    return item._replace(
        when=_supported(item.when, grounds) or item.when.replace("`", ""),
        wrong=_supported(item.wrong, grounds),
        do=_supported(item.do, grounds),
    )


def _supported(text: str, grounds: str) -> str:
    """The text without the sentences with a quoted part that the grounds do not hold."""
    if all(is_held(part, grounds) for part in quotes(text)):
        return text
    sentences = re.split(r"(?<=[.;!?])\s+(?=[^\s])", text)
    held = (
        sentence
        for sentence in sentences
        if sentence.count("`") % 2 == 0 and all(is_held(part, grounds) for part in quotes(sentence))
    )
    return " ".join(held).rstrip(";, ")


def is_held(quote: str, grounds: str) -> bool:
    """Whether every command, option, path and name of a quote occurs in the folded grounds.

    A placeholder stands for anything.
    """
    return not missing(quote, grounds)


def missing(quote: str, grounds: str) -> list[str]:
    """The words of a quote that the folded grounds do not hold."""
    parts = _PART.findall(_PLACEHOLDER.sub(" ", quote.replace("\\", " ")))
    words = (part.strip(_EDGES if not part.startswith("-") else ".:/").lower() for part in parts)
    return [word for word in words if len(word) > 1 and not _is_in(word, grounds)]


def _is_in(word: str, grounds: str) -> bool:
    """Whether the grounds hold the word, as a whole option or as part of a text."""
    if word.startswith("-"):
        return re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", grounds) is not None
    return word in grounds or all(part in grounds for part in re.findall(r"[\w-]{2,}", word))


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
    return _said(item.do) == _said(lesson.correction) and (
        _said(item.when) == _when(lesson) or lesson.situation == lesson.correction
    )


def _when(lesson: Lesson) -> str:
    return _said(lesson.situation).removeprefix("when ")


def _said(text: str) -> str:
    return " ".join(text.lower().split()).rstrip(".")


def contradicts(item: Item, kinds: Sequence[str], lesson: Lesson) -> bool:
    """Whether an item is about the failure or the call of a lesson, and says the opposite."""
    if lesson.origin == MINED or not _is_about_the_same(item, kinds, lesson):
        return False
    words, other = _bag(item.do), _bag(lesson.correction)
    if len(words & other) < _ALIKE * len(words | other):
        return False
    return _turns(item.do) != _turns(lesson.correction) or (
        words == other and _said(item.do) != _said(lesson.correction)
    )


def _is_about_the_same(item: Item, kinds: Sequence[str], lesson: Lesson) -> bool:
    if not set(kinds).isdisjoint(lesson.kinds):
        return True
    own, others = _calls(item.do), _calls(lesson.correction)
    if own or others:
        return not own.isdisjoint(others)
    return _said(item.when) == _when(lesson)


def _calls(text: str) -> set[str]:
    return {call.kind for call in recommended(text)}


def _bag(text: str) -> set[str]:
    return set(_WORDS.findall(text.lower()))


def _turns(text: str) -> list[str]:
    """The words that turn a sentence into another one: numbers and words of denial."""
    return [word.lower() for word in _TURNING.findall(text)]
