"""Check the reader's changes without a model: they must be grounded in the steps they cite."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from hardwon.core.text.grounding import ungrounded_names
from hardwon.core.text.named_values import is_random
from hardwon.core.values.lesson import MINED, Lesson
from hardwon.knowledge.evidence.advice import recommended_calls

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hardwon.core.values.run import Step
    from hardwon.learn.reader.answer import Item

_QUOTED = re.compile(r"`([^`\n]{1,600})`")
_PLACEHOLDER = re.compile(  # also `YYYY-MM-DD`, `to-TARGET`, but not the variable in `CODE=`
    r"<[^<>\n]{1,80}>|\{\{?[\w .-]{1,40}\}?\}|…|\.{3}|\$\{?\w+\}?|\$\([^()]*\)"
    r"|(?:(?<![\w-])|(?<=[a-z0-9]-))[A-Z]{1,12}(?:[-/:.][A-Z]{1,12}){0,4}(?![\w=-])"
)
_PART = re.compile(r"[A-Za-z0-9_@%+~/.:-]+")
_SENTENCE = r"(?<=[.;!?])\s+(?=\S)"
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
    """An item, or a part of one, that was dropped, and why."""

    item: Item
    why: str


class Checked(NamedTuple):
    """What remains of the items of an answer."""

    items: tuple[Item, ...] = ()
    refused: tuple[Refusal, ...] = ()


def checked(
    items: Sequence[Item], *, task: str, steps: Sequence[Step], known: Mapping[int, Lesson]
) -> Checked:
    """The items that the steps support; sentences and values that they must not hold are left out.

    `known` are the items of the playbook by number: what a changed one says is supported, too.
    """
    kept: list[Item] = []
    refused: list[Refusal] = []
    everything = folded("\n".join(f"{step.args}\n{step.output}" for step in steps))
    for item in items:
        before = known.get(item.id)
        cited = tuple(number for number in item.steps if 0 < number <= len(steps))
        grounds = f"{everything} {folded(text_of(before))}" if before else everything
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


def quotes(text: str) -> list[str]:
    """What stands in backticks in a text."""
    return _QUOTED.findall(text)


def folded(text: str) -> str:
    """The text in lower case, without quotes, with single blanks."""
    return " ".join(re.sub(r"[\"'`\\]", " ", text.lower()).split())


def _keep_grounded(item: Item, grounds: str) -> tuple[Item, list[str]]:
    """The item without sentences that name what the grounds do not hold, and these names."""
    when, lost = _keep_supported(item.when, grounds)
    wrong, more = _keep_supported(item.wrong, grounds)
    do, most = _keep_supported(item.do, grounds)
    held = item._replace(when=when or re.sub(_QUOTED, "it", item.when), wrong=wrong, do=do)
    return held, [*lost, *more, *most]


def _keep_supported(text: str, grounds: str) -> tuple[str, list[str]]:
    """The sentences whose names the grounds hold, and the names that they do not."""
    if not (lost := missing(text, grounds)):
        return text, []
    held = (sentence for sentence in _sentences(text) if not missing(sentence, grounds))
    return " ".join(held).rstrip(";, "), lost


def _sentences(text: str) -> list[str]:
    """The sentences of a text; quotes and brackets are never cut."""
    whole: list[str] = []
    for part in re.split(_SENTENCE, text):
        is_open = whole and (
            whole[-1].count("`") % 2 or whole[-1].count("(") > whole[-1].count(")")
        )
        whole[-1:] = [f"{whole[-1]} {part}"] if is_open else [*whole[-1:], part]
    return whole


def missing(text: str, grounds: str) -> list[str]:
    """The commands, options, paths and names of a text that the folded grounds do not hold.

    In backticks every word counts, elsewhere what looks like code. A placeholder stands for
    anything.
    """
    quoted = " ".join(_QUOTED.findall(text)).replace("\\", " ")
    words = (_trim(part) for part in _PART.findall(_PLACEHOLDER.sub(" ", quoted)))
    named = (word.lower() for word in words if len(word) > 1 and _WORDS.search(word))
    lost = [word for word in named if not _is_in(word, grounds)]
    plain = _PLACEHOLDER.sub(" ", _QUOTED.sub(" ", text))
    return list(dict.fromkeys((*lost, *ungrounded_names(plain, grounds))))


def _trim(part: str) -> str:
    return part.strip(".:/" if part.startswith("-") else _EDGES)


def _is_in(word: str, grounds: str) -> bool:
    """Whether the grounds hold the word, as a whole option or as part of a text."""
    if word.startswith("-"):
        return re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", grounds) is not None
    if word in grounds or all(part in grounds for part in re.findall(r"[\w-]{2,}", word)):
        return True
    return re.search(r"\d", word) is not None and _form(word) in _forms(grounds)


def _form(word: str) -> str:
    """A word with its numbers folded: `eur1234` has the form of `eur4490`."""
    return re.sub(r"\d+", "0", word)


@lru_cache(maxsize=4)
def _forms(grounds: str) -> frozenset[str]:
    """The forms of values that the grounds hold; that of a bare number says nothing."""
    words = (_trim(word) for word in _PART.findall(grounds) if re.search(r"\d", word))
    return frozenset(form for word in words if len(form := _form(word)) > 1)


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
