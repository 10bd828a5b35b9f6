"""Made-up lessons whose words are as unevenly common as those of real text."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator

from hardwon import Lesson, Scope
from hardwon.engine.runtime import utc_now
from hardwon.knowledge.reading.call_keys import typed_keys
from hardwon.knowledge.reading.signature import signature

SCOPE = Scope("default", "coder", "bench")
TOOL = "bash"
_WORDS = 40_000
_LETTERS = "abcdefghijklmnoprstuvw"


def call_of(text: str) -> str:
    """The call that is behind a lesson with this situation."""
    program, command, option, target, *_ = text.split()
    return f"{program} {command} --{option} {target}"


def error_of(text: str) -> str:
    """What that call answered."""
    return f"{text.split()[0]}: error: {text}"


class Corpus:
    """A vocabulary with Zipf's law, and texts drawn from it."""

    def __init__(self, seed: int = 7) -> None:
        self._chance = random.Random(seed)
        self._words = ["".join(self._chance.choices(_LETTERS, k=3 + i % 7)) for i in range(_WORDS)]
        weights = (1 / (rank + 10) for rank in range(_WORDS))
        self._reach = list(itertools.accumulate(weights))

    def text(self, length: int) -> str:
        """So many words."""
        return " ".join(self._chance.choices(self._words, cum_weights=self._reach, k=length))

    def common(self, count: int, start: int = 0) -> str:
        """The commonest words of all, from the one of that rank."""
        return " ".join(self._words[start : start + count])

    def lessons(self, count: int) -> Iterator[Lesson]:
        """Lessons of 60 to 120 words, each with the failure and the call behind it."""
        now = utc_now()
        for _ in range(count):
            length = self._chance.randint(15, 30)
            situation = self.text(length)
            yield Lesson(
                SCOPE,
                situation=situation,
                mistake=self.text(length),
                calls=typed_keys(TOOL, call_of(situation)),
                signatures=(signature(TOOL, error_of(situation)).digest,),
                correction=self.text(length * 2),
                created_at=now,
                updated_at=now,
                last_seen_at=now,
            )
