"""Other memories in the same benchmark, where they are installed; none asks a model or a network.

Each keeps every failing call with the end of its output, as the baselines do, and shows the three
nearest by its own search. The vectors are words hashed into 384 numbers (`hashed`), or those of
all-MiniLM-L6-v2 from this repository (`meant`).
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections import Counter
from functools import cache
from importlib import import_module
from importlib.metadata import version
from math import sqrt
from typing import TYPE_CHECKING, Any
from zlib import crc32

from bench.replay.memories import MEMORIES, SHOWN, WORD, Last

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

DIMENSIONS = 384
_READ = 8000  # characters of a question
_PLACE = ("failures",)
_KEPT = 300  # characters of a call and of an output
_LANGGRAPH = "langgraph.store.memory"  # pip install langgraph-checkpoint
_MINILM = "hardwon_minilm"  # pip install ./packages/minilm '.[vectors]'
_MEM0 = "mem0"  # pip install mem0ai langchain qdrant-client
os.environ.setdefault("MEM0_TELEMETRY", "False")  # it reads this when it is imported


def hashed(texts: Sequence[str]) -> list[list[float]]:
    """A unit vector for each text: its words, hashed, each by the root of its count."""
    return [_vector(text) for text in texts]


def _vector(text: str) -> list[float]:
    vector = [0.0] * DIMENSIONS
    for word, times in Counter(WORD.findall(text[:_READ].lower())).items():
        vector[crc32(word.encode()) % DIMENSIONS] += sqrt(times)
    length = sqrt(sum(value * value for value in vector)) or 1.0
    return [value / length for value in vector]


def meant(text: str) -> list[float]:
    """The vector of what a text means; asked again, it is not made again."""
    return _meant(text[:_READ])


@cache
def _meant(text: str) -> list[float]:
    found: list[float] = _minilm().embed([text])[0]
    return found


@cache
def _minilm() -> Any:
    return import_module("hardwon.models.minilm").MiniLM()


class Searched(Last):
    """Notes that are found by a search; what is new is given to it."""

    def _kept(self, call: str, output: str) -> int:
        number = super()._kept(call, output)
        if self.notes.met[number] == 1:
            self._put(number, f"{call[:_KEPT]}\n{output.strip()[-_KEPT:]}")
        return number

    def _chosen(self, text: str) -> list[int]:
        return self._search(text[:_READ]) if text.strip() and self.notes.met else []

    def _put(self, number: int, text: str) -> None:
        raise NotImplementedError

    def _search(self, text: str) -> list[int]:
        raise NotImplementedError


class Archive(Searched):
    """An archive of passages that is searched by meaning, as that of a Letta agent is."""

    def __init__(self) -> None:
        super().__init__()
        self._numpy = import_module("numpy")
        self._numbers: list[int] = []
        self._vectors = self._numpy.empty((0, DIMENSIONS), "float32")

    def _put(self, number: int, text: str) -> None:
        self._numbers.append(number)
        self._vectors = self._numpy.vstack([self._vectors, meant(text)])

    def _search(self, text: str) -> list[int]:
        likeness = self._vectors @ self._numpy.array(meant(text), "float32")
        return [self._numbers[at] for at in (-likeness).argsort(kind="stable")[:SHOWN]]


class LangGraphStore(Searched):
    """The store of LangGraph in memory, with its index over the text of each note."""

    def __init__(self) -> None:
        super().__init__()
        index = {"dims": DIMENSIONS, "embed": hashed, "fields": ["text"]}
        self._store = import_module(_LANGGRAPH).InMemoryStore(index=index)

    def _put(self, number: int, text: str) -> None:
        self._store.put(_PLACE, str(number), {"text": text})

    def _search(self, text: str) -> list[int]:
        return [int(item.key) for item in self._store.search(_PLACE, query=text, limit=SHOWN)]


class Mem0(Searched):
    """mem0 without inference: notes as they are, in a local Qdrant, with vectors of MiniLM."""

    def __init__(self) -> None:
        super().__init__()
        self._home = tempfile.mkdtemp()
        os.environ["MEM0_DIR"] = self._home
        os.environ.setdefault("OPENAI_API_KEY", "unused")
        self._memory = import_module(_MEM0).Memory.from_config(
            {
                "embedder": {"provider": "langchain", "config": {"model": _embeddings()}},
                "vector_store": {
                    "provider": "qdrant",
                    "config": {
                        "path": f"{self._home}/qdrant",
                        "collection_name": "failures",
                        "embedding_model_dims": DIMENSIONS,
                    },
                },
                "history_db_path": f"{self._home}/history.db",
            }
        )

    def _put(self, number: int, text: str) -> None:
        self._memory.add(text, user_id="bench", infer=False, metadata={"number": number})

    def _search(self, text: str) -> list[int]:
        found = self._memory.search(text, filters={"user_id": "bench"}, top_k=SHOWN)
        return [one["metadata"]["number"] for one in found["results"]]

    def close(self) -> None:
        """Remove what it stored."""
        shutil.rmtree(self._home, ignore_errors=True)


def _embeddings() -> Any:
    base = import_module("langchain_core.embeddings").Embeddings
    methods = {
        "embed_query": lambda _, text: meant(text),
        "embed_documents": lambda _, texts: [meant(text) for text in texts],
    }
    return type("Meant", (base,), methods)()


_PEERS: dict[str, tuple[str, str, Callable[[], Any]]] = {
    "archive of passages, MiniLM": (_MINILM, "hardwon-minilm", Archive),
    "LangGraph store, hashed words": (_LANGGRAPH, "langgraph-checkpoint", LangGraphStore),
    "mem0, MiniLM": (_MEM0, "mem0ai", Mem0),
}


def installed() -> dict[str, Callable[[], Any]]:
    """The memories to compare: ours, the baselines, and the peers that are installed."""
    found: dict[str, Callable[[], Any]] = dict(MEMORIES)
    for name, (module, package, opened) in _PEERS.items():
        try:
            import_module(module)
        except ImportError:
            continue
        found[f"{name} ({package} {version(package)})"] = opened
    return found
