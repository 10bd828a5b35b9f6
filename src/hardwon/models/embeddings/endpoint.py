"""Vectors from any server that answers `/v1/embeddings` as OpenAI does."""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING, Any

from hardwon.core.errors import PermanentError
from hardwon.core.text.clean import clip
from hardwon.core.text.redact import redact
from hardwon.core.time_limits import run_sync
from hardwon.models.formats import HttpCall
from hardwon.models.http import HttpServer
from hardwon.models.providers import split_address

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import timedelta

_BATCH = 32  # texts per request
_LETTERS = 8000  # characters per text; servers refuse more than some thousand tokens


def open(name: str, *, key: str, timeout: timedelta) -> EmbeddingEndpoint:
    """`model` or `model@address`."""
    model, address = split_address("openai", name)
    return EmbeddingEndpoint(
        model, HttpServer(f"openai:{model}", address, timeout=timeout), key=key
    )


class EmbeddingEndpoint:
    """One embedding model of one server. Secrets are removed from texts before sending."""

    def __init__(self, model: str, server: HttpServer, *, key: str) -> None:
        self.name = server.name
        self._model = model
        self._server = server
        self._key = key

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        clean = [clip(redact(text), _LETTERS) or " " for text in texts]
        parts = (clean[at : at + _BATCH] for at in range(0, len(clean), _BATCH))
        return [vector for part in parts for vector in self._request(part)]

    def _request(self, texts: list[str]) -> list[list[float]]:
        headers = {"authorization": f"Bearer {self._key}"} if self._key else {}
        body = {"model": self._model, "input": texts, "encoding_format": "float"}
        answer = run_sync(lambda: self._server.ask(HttpCall("/embeddings", headers, body)))
        try:
            return _vectors(answer, len(texts))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise PermanentError(f"{self.name} did not answer with vectors") from error


def _vectors(answer: dict[str, Any], count: int) -> list[list[float]]:
    """The unit vectors in the order of the texts; raises if one is missing or invalid."""
    rows = sorted(answer["data"], key=lambda row: int(row["index"]))
    vectors = [_unit([float(value) for value in row["embedding"]]) for row in rows]
    if [row["index"] for row in rows] != list(range(count)) or len(set(map(len, vectors))) > 1:
        raise ValueError(f"{len(vectors)} vectors for {count} texts")
    return vectors


def _unit(vector: list[float]) -> list[float]:
    length = sqrt(sum(value * value for value in vector))
    if not 0 < length < float("inf"):
        raise ValueError("a vector without a direction")
    return [value / length for value in vector]
