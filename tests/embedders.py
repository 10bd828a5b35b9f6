"""Embedders that tests plug in: small, quick and easy to predict."""

from __future__ import annotations

from collections.abc import Sequence

from hardwon.core.errors import TransientError

# Words that mean the same; each group is a direction.
TOPICS = (
    {"lock", "mutex", "deadlock", "race"},
    {"certificate", "tls", "ssl", "handshake", "https"},
    {"umbrella", "rain", "weather", "wet"},
    {"folder", "directory", "mkdir"},
)


class Topics:
    """Knows four topics; a text about none of them points elsewhere."""

    def __init__(self, name: str = "topics", width: int = 8) -> None:
        self.name = name
        self._width = width
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        self.asked += texts
        return [self._vector(set(text.lower().replace(".", " ").split())) for text in texts]

    def _vector(self, words: set[str]) -> list[float]:
        found = [float(len(words & topic)) for topic in TOPICS]
        rest = [0.0] * (self._width - len(found) - 1)
        return [*found, *rest, 0.0 if any(found) else 1.0]


class Away:
    """A server that never answers."""

    name = "away"

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        raise TransientError("away")
