"""Advice in words: which calls follow it, and which errors it is about.

People, models and packs write lessons without having met the failure. The text may quote the
message, or name what the error names.
"""

from __future__ import annotations

import re
from itertools import takewhile
from typing import TYPE_CHECKING

from hardwon.core.values.run import Step
from hardwon.knowledge.evidence.calls import COMMON, READERS, acting_calls, calls_of, is_own
from hardwon.knowledge.reading.reading import missing_name

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hardwon.core.values.lesson import Lesson
    from hardwon.knowledge.evidence.calls import Call

_QUOTED = re.compile(r"`([^`\n]{2,400})`")
_PLACEHOLDER = re.compile(r"<[^<>\n]{1,60}>|…|\.{3}|\$\{?\w+\}?")
_VALUE = "VALUE"  # a word that is never part of a call's kind


def recommended_calls(text: str) -> list[Call]:
    """The calls in backticks; a bare word is the name of a thing, not a call."""
    commands = (_PLACEHOLDER.sub(_VALUE, quoted) for quoted in _QUOTED.findall(text))
    calls = (call for command in commands for call in calls_of(Step("bash", command)))
    return [call for call in calls if call.program not in READERS and " " in call.kind]


def follows(call: Call, advised: Call) -> bool:
    """Whether a call is one of the advised kind: the same program, with all fixed words."""
    return call.program == advised.program and {*advised.kind.split()} <= {*call.kind.split()}


def programs(steps: Iterable[Step]) -> set[str]:
    """The names of the programs and tools that steps call, without those that only look."""
    return {call.program for step in steps for call in acting_calls(step)}


def parts(calls: Iterable[Call]) -> set[str]:
    """The parts of programs that are called: `yard lot` of `yard lot seal 37`, and the tools.

    If the second word is one that everybody uses, the third counts, too: `yard call lot.seal`. The
    parts of programs that everybody uses are no news.
    """
    found: set[str] = set()
    for call in calls:
        is_known = call.is_tool or call.program in COMMON or not is_own(call)
        words = [call.program]
        if not is_known:  # up to the first flag that may be followed by a value
            named = (w for w in call.kind.split() if not w.startswith("--") and "=" not in w)
            words = [*takewhile(lambda word: not word.startswith("-"), named)]
        found.add(" ".join(words[: 3 if COMMON.intersection(words[1:2]) else 2]))
    return found


_READ = 4_096  # characters of a text
_ENOUGH = 2  # words that only few errors have
_MESSAGE = r"“([^“”\n]{3,200})”|(?<!\w)\"([^\"\n]{3,200})\"(?!\w)|`([^`\n]{2,80}: [^`\n]{2,120})`"
_EVERYWHERE = (
    "error exception warning traceback failed failure fail file directory name named object"
    " attribute type value argument line position module import such not found no cannot can"
    " invalid missing unknown expected unexpected got given must string code exit status errno"
    " command is has does did was been the a an of in to for with and or by from at on it this"
    " that be are as but if you your unable could recent call last number other already null none"
    " main"
)
GENERAL = frozenset(_EVERYWHERE.split())  # words that occur in all sorts of errors


def specific_words(text: str) -> str:
    """The specific words of a failure, without words that occur in all sorts of errors."""
    words: list[str] = re.findall(r"<\w+>|[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\w+", text)
    return " ".join(word for word in words if word[0] != "<" and word.lower() not in GENERAL)


def quotes(lesson: Lesson, output: str) -> bool:
    """Whether an output has a message of two words and more that the lesson quotes."""
    text = f"{lesson.situation}\n{lesson.mistake}\n{lesson.correction}"[:_READ]
    if not any(mark in text for mark in '“"`'):
        return False
    said = [part for found in re.findall(_MESSAGE, text) for part in found if part]
    messages = [_comparable(part) for each in said for part in re.split(r"…|\.\.\.", each)]
    folded = _comparable(output)
    return any(" " in message and message in folded for message in messages)


def is_about_error(lesson: Lesson, failing: Step) -> bool:
    """Whether the text of a lesson is about the error of a call, and not only about the call."""
    failure = failing.failure
    if failure is None or quotes(lesson, failing.output):
        return failure is not None
    words = {*re.findall(r"[a-z_]+", f"{lesson.situation} {lesson.correction}".lower())}
    if missing := missing_name(failure.line):
        return missing.lower() in words
    named = {*specific_words(failure.text).lower().split()}
    return bool(named) and len(named & words) >= min(_ENOUGH, len(named))


def follows_advice(lesson: Lesson, step: Step, before: Iterable[Step]) -> bool:
    """Whether a step makes a call that the lesson advises and no earlier step made."""
    spans = re.findall(r"`([^`\n]{4,200})`", lesson.correction[:_READ])
    typed = [span for span in spans if re.search(r"[ /_.-]", span) and span in step.args]
    made = [*before]
    if any(all(span not in earlier.args for earlier in made) for span in typed):
        return True
    calls = [call for earlier in made for call in calls_of(earlier)]
    return any(
        follows(call, wanted)
        for wanted in recommended_calls(lesson.correction[:_READ])
        if not any(follows(call, wanted) for call in calls)
        for call in calls_of(step)
    )


def _comparable(text: str) -> str:
    return " ".join(text.lower().split())
