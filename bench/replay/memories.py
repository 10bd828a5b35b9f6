"""What is compared: a memory answers four calls and says which of its items it shows.

An adapter for another memory needs these four methods. Items are named by anything hashable.
`after_action` also gives the items that this failure made or strengthened: what an item is about
is learnt from the labels of those failures, never from where it was shown.
"""

from __future__ import annotations

import json
import math
import re
import shutil
import tempfile
from collections import Counter, defaultdict
from typing import Any, NamedTuple, Protocol

import hardwon

WORD = re.compile(r"[a-z_][a-z0-9_]+")
SHOWN = 3


class Told(NamedTuple):
    """What a memory shows: its items, best first, and how many characters they take."""

    items: tuple[Any, ...] = ()
    size: int = 0


class Memory(Protocol):
    """A memory of one group of runs."""

    def before_turn(self, text: str) -> Told: ...

    def before_action(self, tool: str, args: dict[str, Any]) -> Told: ...

    def after_action(
        self, tool: str, args: dict[str, Any], output: str, failed: bool
    ) -> tuple[Told, set[Any]]:
        """What is shown after the call, and the items that its failure made or strengthened."""
        ...

    def after_run(self, task: str, error: str | None) -> None: ...


class Hardwon:
    """Ours, through the public face; what it tells at the start of a run counts as a turn."""

    def __init__(self) -> None:
        self._home = tempfile.mkdtemp()
        self._hw = hardwon.open(self._home)
        self._agent = self._hw.agent("bench", project="bench")
        self._met: dict[int, int] = {}
        self.fixed: set[int] = set()  # lessons with a fix: nothing else is told before a call

    def before_turn(self, text: str) -> Told:
        start, turn = self._agent.start(), self._agent.before_turn(text)
        lessons = (*start.lessons, *turn.lessons)
        return Told(tuple(one.id for one in lessons), len(start.text) + len(turn.text))

    def before_action(self, tool: str, args: dict[str, Any]) -> Told:
        return _told(self._agent.before_action(tool, args))

    def after_action(
        self, tool: str, args: dict[str, Any], output: str, failed: bool
    ) -> tuple[Told, set[Any]]:
        block = self._agent.after_action(tool, args, output=output, failed=failed)
        return _told(block), self._grown() if failed else set()

    def after_run(self, task: str, error: str | None) -> None:
        self._agent.after_run(task=task, error=error)
        self._hw.drain()

    def _grown(self) -> set[Any]:
        known = self._met
        lessons = self._agent.lessons.list(status="all", limit=10_000)
        self._met = {lesson.id: lesson.met for lesson in lessons}
        self.fixed = {lesson.id for lesson in lessons if lesson.status in ("candidate", "proven")}
        return {number for number, met in self._met.items() if met > known.get(number, 0)}

    def close(self) -> None:
        """Remove the home."""
        self._hw.close()
        shutil.rmtree(self._home, ignore_errors=True)


def _told(block: hardwon.Injection) -> Told:
    return Told(tuple(lesson.id for lesson in block.lessons), len(block.text))


class Nothing:
    """Never says anything."""

    def before_turn(self, text: str) -> Told:
        return Told()

    def before_action(self, tool: str, args: dict[str, Any]) -> Told:
        return Told()

    def after_action(
        self, tool: str, args: dict[str, Any], output: str, failed: bool
    ) -> tuple[Told, set[Any]]:
        return Told(), set()

    def after_run(self, task: str, error: str | None) -> None:
        return None


class Notes:
    """Keeps every failing call with the end of its output, once for the same text."""

    def __init__(self) -> None:
        self._texts: list[str] = []
        self._numbers: dict[str, int] = {}
        self.met: Counter[int] = Counter()

    def add(self, call: str, output: str) -> int:
        """The number of the note."""
        text = f"{call[:300]}\n{output.strip()[-300:]}"
        number = self._numbers.setdefault(text, len(self._texts))
        if number == len(self._texts):
            self._texts.append(text)
        self.met[number] += 1
        return number

    def told(self, numbers: list[int]) -> Told:
        """What showing these notes takes."""
        return Told(tuple(numbers), sum(len(self._texts[number]) for number in numbers))


class Last(Nothing):
    """Shows the latest three failures at every moment."""

    def __init__(self) -> None:
        self.notes = Notes()
        self._order: list[int] = []

    def before_turn(self, text: str) -> Told:
        return self.notes.told(self._chosen(text))

    def before_action(self, tool: str, args: dict[str, Any]) -> Told:
        return self.notes.told(self._chosen(_call(tool, args)))

    def after_action(
        self, tool: str, args: dict[str, Any], output: str, failed: bool
    ) -> tuple[Told, set[Any]]:
        if not failed:
            return Told(), set()
        told = self.notes.told(self._chosen(output[-1500:]))
        return told, {self._kept(_call(tool, args), output)}

    def _kept(self, call: str, output: str) -> int:
        number = self.notes.add(call, output)
        self._order = [*(one for one in self._order if one != number), number]
        return number

    def _chosen(self, text: str) -> list[int]:
        return self._order[: -SHOWN - 1 : -1]


class Frequent(Last):
    """Shows the three failures met most often at every moment."""

    def _chosen(self, text: str) -> list[int]:
        return [number for number, _ in self.notes.met.most_common(SHOWN)]


class Words(Last):
    """Shows the three notes that share the most telling words (BM25) at every moment."""

    def __init__(self) -> None:
        super().__init__()
        self._counts: list[Counter[str]] = []
        self._holders: defaultdict[str, set[int]] = defaultdict(set)

    def _kept(self, call: str, output: str) -> int:
        number = super()._kept(call, output)
        if number == len(self._counts):
            words = Counter(WORD.findall(f"{call}\n{output[-300:]}".lower()))
            self._counts.append(words)
            for word in words:
                self._holders[word].add(number)
        return number

    def _chosen(self, text: str) -> list[int]:
        scores: defaultdict[int, float] = defaultdict(float)
        mean = sum(map(Counter.total, self._counts)) / max(1, len(self._counts))
        for word in set(WORD.findall(text[:8000].lower())):
            held = self._holders.get(word, set())
            rare = math.log(1 + (len(self._counts) - len(held) + 0.5) / (len(held) + 0.5))
            for number in held:
                times, size = self._counts[number][word], self._counts[number].total()
                scores[number] += rare * times * 2.2 / (times + 1.2 * (0.25 + 0.75 * size / mean))
        return sorted(scores, key=lambda number: -scores[number])[:SHOWN]


def _call(tool: str, args: dict[str, Any]) -> str:
    command = args.get("command")
    return str(command) if command is not None else f"{tool} {json.dumps(args)}"


MEMORIES = {
    "hardwon": Hardwon,
    "nothing": Nothing,
    "last three failures": Last,
    "most frequent three": Frequent,
    "BM25 over failures": Words,
}
