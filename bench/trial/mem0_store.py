"""mem0 in a folder, without a model and without a network; `Mem0` of `memories.py` starts it.

    python mem0_store.py add|search < texts.json

MEM0_DIR names the folder. `add` stores each text as one memory, as it is (`infer=False`); `search`
prints the memories nearest to the first text. mem0's search by words needs models that it would
download (spaCy, fastembed), so it searches by vectors alone.
"""

from __future__ import annotations

import json
import os
import sys
from importlib import import_module
from typing import Any

_USER = "trial"
_SHOWN = 20
os.environ["MEM0_TELEMETRY"] = "False"  # it reads these when it is imported
os.environ.setdefault("OPENAI_API_KEY", "unused")  # it makes a client and does not call it


def _open_memory(folder: str) -> Any:
    return import_module("mem0").Memory.from_config(
        {
            "embedder": {"provider": "langchain", "config": {"model": _make_embedder()}},
            "vector_store": {
                "provider": "qdrant",
                "config": {
                    "path": f"{folder}/qdrant",
                    "collection_name": "calls",
                    "embedding_model_dims": 384,
                    "on_disk": True,  # else it empties the folder when it starts
                },
            },
            "history_db_path": f"{folder}/history.db",
        }
    )


def _make_embedder() -> Any:
    model = import_module("hardwon.models.minilm").MiniLM()
    methods = {
        "embed_query": lambda _, text: model.embed([text])[0],
        "embed_documents": lambda _, texts: model.embed(texts),
    }
    return type("MiniLM", (import_module("langchain_core.embeddings").Embeddings,), methods)()


def _main(verb: str) -> None:
    texts, memory = json.load(sys.stdin), _open_memory(os.environ["MEM0_DIR"])
    found: list[str] = []
    if verb == "add":
        for text in texts:
            memory.add(text, user_id=_USER, infer=False)
    else:
        results = memory.search(texts[0], filters={"user_id": _USER}, top_k=_SHOWN)["results"]
        found = [one["memory"] for one in results]
    memory.vector_store.client.close()
    print(json.dumps(found))


if __name__ == "__main__":
    _main(sys.argv[1])
