"""Embedders: the bundled model, or any embedding endpoint.

An embedder is named like a model: `minilm`, `openai:text-embedding-3-small`,
`openai:nomic-embed-text@http://127.0.0.1:11434/v1`.
"""

from __future__ import annotations

from datetime import timedelta
from importlib.util import find_spec

from hardwon.core.errors import InvalidInput, MissingExtra
from hardwon.storage.ports import Embedder

MINILM = "minilm"
_ENDPOINT = "openai"  # the format that every embedding server speaks


def ensure(name: str) -> None:
    """Raise InvalidInput for an unknown embedder, MissingExtra if its packages are missing."""
    kind, _, model = name.partition(":")
    if name != MINILM and not (kind == _ENDPOINT and model):
        raise InvalidInput(
            f"embedder {name!r} is neither {MINILM!r} nor of the form {_ENDPOINT}:name[@http://…]"
        )
    needed = ("numpy", "hardwon_minilm") if name == MINILM else ("numpy",)
    if any(find_spec(package) is None for package in needed):
        raise MissingExtra("vectors")
    if kind == _ENDPOINT and find_spec("httpx2") is None:
        raise MissingExtra("models")


def open_embedder(name: str, *, key: str, timeout: timedelta) -> Embedder:
    """The embedder of this name; its packages are imported now, its weights on first use."""
    ensure(name)
    if name == MINILM:
        from hardwon.models.minilm import MiniLM

        return MiniLM()
    from hardwon.models import providers

    return providers.EmbeddingEndpoint(name.partition(":")[2], key=key, timeout=timeout)
