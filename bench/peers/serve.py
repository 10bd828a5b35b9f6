"""One memory in a process of its own, told line by line what to do: NAME FOLDER DATA.

DATA holds `texts.json` and `vectors.f32`: a unit vector for every text, the same for all. Commands
are `import N`, `add FROM TO` and `search FROM TO`, over the numbers of texts; each is answered by
the seconds that every operation took, as JSON, and `memory` by megabytes.
"""

# mypy: ignore-errors

from __future__ import annotations

import json
import os
import sys
import time
from array import array

DIMENSIONS = 384
FOUND = 3


class Data:
    """Texts with their vectors, known before anything is measured."""

    def __init__(self, folder):
        with open(f"{folder}/texts.json", encoding="utf-8") as file:
            self.texts = json.load(file)
        flat = array("f")
        with open(f"{folder}/vectors.f32", "rb") as file:
            flat.frombytes(file.read())
        self.vectors = {
            text: flat[at * DIMENSIONS : (at + 1) * DIMENSIONS].tolist()
            for at, text in enumerate(self.texts)
        }

    def embed(self, texts):
        """What an embedder would answer."""
        return [self.vectors[text] for text in texts]


class Hardwon:
    """Lessons of one agent; found by their words."""

    def __init__(self, folder, data):
        import hardwon

        self._folder, self._texts = folder, data.texts
        self._agent = hardwon.open(folder).agent("bench")

    def take(self, numbers):
        """A pack of JSON lines, as `hardwon lesson import` reads it."""
        path = f"{self._folder}/pack.jsonl"
        with open(path, "w", encoding="utf-8") as file:
            for text in (self._texts[at] for at in numbers):
                file.write(json.dumps({"situation": text[:120], "correction": text}) + "\n")
        began = time.perf_counter()
        self._agent.lessons.import_from(path, trust=True)
        return time.perf_counter() - began

    def add(self, at):
        """Screened, compared with what is known, indexed and synced."""
        self._agent.lessons.add(self._texts[at][:120], self._texts[at])

    def search(self, at):
        """The turn door, which also notes what it has shown."""
        return self._agent.before_turn(self._texts[at]).lessons


class Mem0:
    """Memories as they are given (infer=False) in its default vector store, on disk."""

    def __init__(self, folder, data):
        os.environ |= {"MEM0_TELEMETRY": "False", "MEM0_DIR": folder}
        from mem0 import Memory
        from mem0.configs.base import MemoryConfig

        store = {"path": f"{folder}/qdrant", "on_disk": True, "embedding_model_dims": DIMENSIONS}
        nobody = {"provider": "openai", "config": {"api_key": "none"}}
        config = MemoryConfig(
            vector_store={"provider": "qdrant", "config": store},
            llm=nobody,
            embedder=nobody,
            history_db_path=f"{folder}/history.db",
        )
        self._memory = Memory(config)
        self._memory.embedding_model = Lookup(data)
        self._texts = data.texts

    def take(self, numbers):
        """It has no import: one add after another."""
        return _timed(lambda: [self.add(at) for at in numbers])

    def add(self, at):
        """One memory, without a model."""
        self._memory.add(self._texts[at], user_id="bench", infer=False)

    def search(self, at):
        """The nearest."""
        found = self._memory.search(self._texts[at], filters={"user_id": "bench"}, top_k=FOUND)
        return found["results"]


class Lookup:
    """The embedder of mem0: vectors that were made before."""

    def __init__(self, data):
        self._data = data

    def embed(self, text, memory_action=None):
        return self._data.vectors[text]

    def embed_batch(self, texts, memory_action=None):
        return self._data.embed(texts)


class Langgraph:
    """SqliteStore with its vector index, synced like ours."""

    def __init__(self, folder, data):
        import pysqlite3  # can load extensions, which many builds of Python cannot
        from langgraph.store.sqlite import SqliteStore

        connection = pysqlite3.connect(f"{folder}/store.db", isolation_level=None)
        self._store = SqliteStore(
            connection, index={"dims": DIMENSIONS, "embed": self._embed, "fields": ["text"]}
        )
        self._data, self._texts = data, data.texts
        self._store.setup()
        connection.execute("PRAGMA synchronous=FULL")

    def _embed(self, texts):
        """It may ask for the whole value as JSON; the vector is that of the text."""
        plain = (json.loads(text)["text"] if text[:1] == "{" else text for text in texts)
        return self._data.embed(plain)

    def take(self, numbers):
        """Batches of a thousand."""
        from langgraph.store.base import PutOp

        operations = [PutOp(("bench",), str(at), {"text": self._texts[at]}) for at in numbers]
        starts = range(0, len(operations), 1000)
        return _timed(lambda: [self._store.batch(operations[at : at + 1000]) for at in starts])

    def add(self, at):
        """One item."""
        self._store.put(("bench",), str(at), {"text": self._texts[at]})

    def search(self, at):
        """The nearest."""
        return self._store.search(("bench",), query=self._texts[at], limit=FOUND)


class Chroma:
    """A collection on disk."""

    def __init__(self, folder, data):
        import chromadb

        settings = chromadb.Settings(anonymized_telemetry=False)
        client = chromadb.PersistentClient(path=f"{folder}/chroma", settings=settings)
        self._all = client.create_collection("bench", embedding_function=None)
        self._data = data

    def take(self, numbers):
        """Batches of a thousand."""
        numbers = list(numbers)
        starts = range(0, len(numbers), 1000)
        return _timed(lambda: [self._put(numbers[at : at + 1000]) for at in starts])

    def add(self, at):
        """One document."""
        self._put([at])

    def search(self, at):
        """The nearest."""
        text = self._data.texts[at]
        found = self._all.query(query_embeddings=self._data.embed([text]), n_results=FOUND)
        return found["ids"][0]

    def _put(self, numbers):
        texts = [self._data.texts[at] for at in numbers]
        ids = [str(at) for at in numbers]
        self._all.add(ids=ids, documents=texts, embeddings=self._data.embed(texts))


PEERS = {"hardwon": Hardwon, "mem0": Mem0, "langgraph": Langgraph, "chroma": Chroma}


def _timed(work):
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def main():
    """Answer until the input ends."""
    name, folder, data = sys.argv[1:]
    before = _memory()
    peer = PEERS[name](folder, Data(data))
    answer, sys.stdout = sys.stdout, sys.stderr
    for line in sys.stdin:
        verb, *numbers = line.split()
        spans = range(*map(int, numbers or ("0",)))
        if verb == "import":
            seconds = [peer.take(spans)]
        elif verb == "memory":
            seconds = [_memory() - before]
        else:
            seconds = [_timed(lambda at=at, do=getattr(peer, verb): do(at)) for at in spans]
        print(json.dumps(seconds), file=answer, flush=True)
    os._exit(0)


def _memory():
    """Megabytes of this process; the maximum would count the process that started it."""
    with open("/proc/self/status", encoding="ascii") as lines:
        return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS"))


main()
