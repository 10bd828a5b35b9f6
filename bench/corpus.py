"""Made-up lessons whose words are as unevenly common as those of real text."""

from __future__ import annotations

import bisect
import itertools
import random
from collections.abc import Iterator

from hardwon import Lesson, Scope
from hardwon.engine import utc_now

SCOPE = Scope("default", "coder", "bench")
_WORDS = 40_000
_LETTERS = "abcdefghijklmnoprstuvw"


class Corpus:
    """A vocabulary with Zipf's law, and texts drawn from it."""

    def __init__(self, seed: int = 7) -> None:
        self._chance = random.Random(seed)
        self._words = ["".join(self._chance.choices(_LETTERS, k=3 + i % 7)) for i in range(_WORDS)]
        weights = (1 / (rank + 10) for rank in range(_WORDS))
        self._reach = list(itertools.accumulate(weights))

    def text(self, length: int) -> str:
        """So many words."""
        draws = (self._chance.random() * self._reach[-1] for _ in range(length))
        return " ".join(self._words[bisect.bisect(self._reach, draw)] for draw in draws)

    def lessons(self, count: int) -> Iterator[Lesson]:
        """Lessons of 60 to 120 words."""
        now = utc_now()
        for _ in range(count):
            length = self._chance.randint(15, 30)
            yield Lesson(
                SCOPE,
                situation=self.text(length),
                mistake=self.text(length),
                correction=self.text(length * 2),
                created_at=now,
                updated_at=now,
                last_seen_at=now,
            )
