"""Inject: render the block of lessons that is put before the model, within a token budget."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from hardwon.core.text.clean import LABEL_LIMIT, many_lines, one_line
from hardwon.core.text.frames import imitates_frame, inert
from hardwon.core.values.delivery import Door
from hardwon.core.values.lesson import MINED, USER_SUPPLIED, Kind, Lesson, Status, evidence_of
from hardwon.core.values.run import Trigger

_LEAST = 40  # tokens; with less room a lesson is left out rather than shortened


class Frame(NamedTuple):
    """The first and last line of a block, and how long the labels in it are."""

    head: str
    foot: str
    label: int = 80  # at most, characters of a lesson's label; 0 for no label


START = Frame("[THIS PROJECT KEEPS MEETING — your prior lessons]", "[END PROJECT]")
PLAYBOOK = "What earlier work in this project taught. Look up only what it leaves open:"
TURN = Frame("[KNOWN PITFALLS — your prior lessons]", "[END KNOWN PITFALLS]", label=LABEL_LIMIT)
ACTION = Frame("[PITFALL OF THIS CALL — your prior lessons]", "[END PITFALL]")
_EARLIER = "— of earlier runs in this project, with their values]"
SAME = Frame(f"[SAME FAILURE {_EARLIER}", "[END SAME FAILURE]", label=0)
KIND = Frame(f"[SAME KIND OF FAILURE {_EARLIER}", "[END SAME KIND OF FAILURE]", label=0)
ELSEWHERE = Frame(f"[SAME FAILURE IN OTHER TESTS {_EARLIER}", "[END SAME FAILURE]", label=0)
AT_ERROR = {"same": SAME, "kind": KIND, "elsewhere": ELSEWHERE}
FRAMES = {"start": START, "turn": TURN, "action": ACTION} | AT_ERROR


class Block(NamedTuple):
    """A rendered block and the lessons in it."""

    text: str
    lessons: tuple[Lesson, ...]
    tokens: int


def digest(lessons: Iterable[Lesson], *, budget: int) -> str:
    """A block of the lessons that were met most often, as many as fit."""
    by_frequency = sorted(lessons, key=lambda lesson: (-lesson.met, -lesson.confidence, -lesson.id))
    return render(by_frequency, door=Door.TURN, budget=budget).text


def render(lessons: Iterable[Lesson], *, door: str, budget: int) -> Block:
    """The block for a door; lessons that do not fit are left out."""
    frame = FRAMES.get(door, TURN)
    spent = tokens(frame.head) + tokens(frame.foot)
    shown: list[Lesson] = []
    lines = [frame.head]
    for lesson in lessons:
        row = _fitting(lesson, frame.label, budget - spent)
        if row:
            shown.append(lesson)
            lines.append(row)
            spent += tokens(row)
    if not shown:
        return Block("", (), 0)
    return Block("\n".join([*lines, frame.foot]), tuple(shown), spent)


def playbook(items: Iterable[Lesson], *, budget: int) -> Block:
    """The block for the start of a run: what to do, for as many items as fit.

    Then what goes wrong otherwise, as far as there is room. What to do is never shortened.
    """
    rows: dict[Lesson, str] = {}
    room = budget - tokens(PLAYBOOK)
    for is_whole in (False, True):
        for item in items if not is_whole else tuple(rows):
            row = f"- {_harmless(advice(item, is_whole=is_whole))}".replace("\n", "\n  ")
            cost = tokens(row) - (tokens(rows[item]) if item in rows else 0)
            if cost <= room:
                rows[item] = row
                room -= cost
    if not rows:
        return Block("", (), 0)
    return Block("\n".join((PLAYBOOK, *rows.values())), tuple(rows), budget - room)


def _harmless(text: str) -> str:
    """The text without frames; placeholders in quoted commands stay as they are."""
    safe = inert(text)
    if len(safe) != len(text):
        return safe
    letters = list(safe)
    for quoted in re.finditer(r"`[^`\n]*`", text):
        for place in re.finditer(r"<[A-Za-z][\w .,:-]{0,60}>", quoted[0]):
            start, end = (quoted.start() + at for at in place.span())
            if not imitates_frame(place[0]):
                letters[start:end] = text[start:end]
    return "".join(letters)


def advice(item: Lesson, *, is_whole: bool = True) -> str:
    """When an item applies, what goes wrong (in the whole form only), and what to do."""
    if item.headline() == "note":
        return many_lines(item.correction)
    when = one_line(item.situation).rstrip(".:")
    when = re.sub(r"(?i)^when (?=(?:before|after|while) )", "", when)
    wrong = one_line(item.mistake) if is_whole and item.mistake != USER_SUPPLIED else ""
    words = " ".join(part for part in (sentence(wrong), many_lines(item.correction)) if part)
    is_time = when.lower().startswith(("when ", "before ", "after ", "while "))
    return f"{when[0].upper()}{when[1:]}: {words}" if is_time else f"When {when}: {words}"


def sentence(text: str) -> str:
    """The text with a full stop, if nothing else ends it."""
    is_open = text and text.rstrip("\"'”’)`")[-1:] not in {*".!?…:;,"}
    return f"{text}." if is_open else text


def line(lesson: Lesson, *, label: int = LABEL_LIMIT, words: str = "") -> str:
    """One lesson as a row of the block; its further lines are indented.

    Brackets in its text cannot end the block.
    """
    name = ""
    if not label and not words and lesson.trigger == Trigger.RUN:
        words = advice(lesson, is_whole=False)
    if label:
        headline = one_line(lesson.headline(), label)
        if headline.count("“") > headline.count("”"):  # a quote that was cut is closed
            headline = f"{one_line(lesson.headline(), label - 1)}”"
        name = f"[{inert(headline)}] "
    text = _harmless(many_lines(words or _words(lesson))).replace("\n", "\n    ")
    return f"  - {name}{text} (#{lesson.id})"


def _fitting(lesson: Lesson, label: int, room: int) -> str:
    """The row of a lesson in at most `room` tokens; "" if it does not fit."""
    row = line(lesson, label=label)
    if tokens(row) <= room:
        return row
    if lesson.fixes and lesson.origin == MINED:
        row = line(lesson, label=label, words=lesson.fixes[0].text)
        return row if tokens(row) <= room else ""
    if room < _LEAST:
        return ""
    pointer = f"… (more: `hardwon lesson show {lesson.id}`)"
    head = tokens(line(lesson, label=label, words=pointer))
    beginning = _beginning(lesson.correction, room - head)
    return line(lesson, label=label, words=beginning + pointer) if beginning else ""


def _beginning(text: str, room: int) -> str:
    """As many whole sentences of a text as fit, or its first words."""
    shown = text
    while shown and (size := tokens(shown)) > room:  # texts with short or foreign words
        shown = shown[: len(shown) * room // size]
    end = max(shown.rfind(mark) for mark in (". ", ".\n", "; ", "\n"))
    return shown[: end + 1] if end > len(shown) // 3 else shown.rsplit(" ", 1)[0]


def _words(lesson: Lesson) -> str:
    """The correction of a lesson, or the sentence that no fix is known."""
    if lesson.status != Status.SEEN:
        return lesson.correction
    runs = "1 earlier run" if lesson.met == 1 else f"{lesson.met} earlier runs"
    tried = "; ".join(evidence_of(lesson, Kind.TRIED))
    vain = f" Tried without effect: {tried}." if tried else ""
    return f"Met in {runs}; no fix is known.{vain}"


def guarding(lesson: Lesson) -> str:
    """The block of a lesson that forbids a call; it is never shortened."""
    return "\n".join((ACTION.head, line(lesson, label=ACTION.label), ACTION.foot))


def tokens(text: str) -> int:
    """An estimate of the tokens of a text, rather too high than too low."""
    return max(len(text.encode("utf-8", "replace")) // 4, round(len(text.split()) * 1.33)) + 1
