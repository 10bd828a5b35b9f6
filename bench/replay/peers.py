"""Other memories in the same benchmark, where they are installed; none asks a model or a network.

Each keeps every failing call with the end of its output, as the baselines do, and shows the three
nearest by its own search. The vectors are those of `embedded`: words hashed into 384 numbers, so
what is compared is to show the nearest at every moment, not one model of language with another.
"""

from __future__ import annotations

from collections import Counter
from importlib import import_module
from math import sqrt
from typing import TYPE_CHECKING, Any
from zlib import crc32

from bench.replay.memories import MEMORIES, SHOWN, WORD, Last

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

DIMENSIONS = 384
_READ = 8000  # characters of a question
_PLACE = ("failures",)
_LANGGRAPH = "langgraph.store.memory"  # pip install langgraph-checkpoint


def embedded(texts: Sequence[str]) -> list[list[float]]:
    """A unit vector for each text: its words, hashed, each by the root of its count."""
    return [_vector(text) for text in texts]


def _vector(text: str) -> list[float]:
    vector = [0.0] * DIMENSIONS
    for word, times in Counter(WORD.findall(text[:_READ].lower())).items():
        vector[crc32(word.encode()) % DIMENSIONS] += sqrt(times)
    length = sqrt(sum(value * value for value in vector)) or 1.0
    return [value / length for value in vector]


class LangGraphStore(Last):
    """The store of LangGraph in memory, with its index over the text of each note.

    A memory that searches an archive of passages by their vectors does the same.
    """

    def __init__(self) -> None:
        super().__init__()
        index = {"dims": DIMENSIONS, "embed": embedded, "fields": ["text"]}
        self._store = import_module(_LANGGRAPH).InMemoryStore(index=index)

    def _kept(self, call: str, output: str) -> int:
        number = super()._kept(call, output)
        if self.notes.met[number] == 1:
            self._store.put(_PLACE, str(number), {"text": f"{call[:300]}\n{output[-300:]}"})
        return number

    def _chosen(self, text: str) -> list[int]:
        found = self._store.search(_PLACE, query=text[:_READ], limit=SHOWN) if text else []
        return [int(item.key) for item in found]


_PEERS: dict[str, tuple[str, Callable[[], Any]]] = {
    "LangGraph store, hashed words": (_LANGGRAPH, LangGraphStore),
}


def installed() -> dict[str, Callable[[], Any]]:
    """The memories to compare: ours, the baselines, and the peers that are installed."""
    found: dict[str, Callable[[], Any]] = dict(MEMORIES)
    for name, (module, opened) in _PEERS.items():
        try:
            import_module(module)
        except ImportError:
            continue
        found[name] = opened
    return found
