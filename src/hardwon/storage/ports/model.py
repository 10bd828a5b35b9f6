"""What answers questions, and what turns text into vectors."""

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

from hardwon.core.values.run import Episode


class Request(NamedTuple):
    """What a model is asked. `episode` is there for rules, which work without language."""

    system: str
    prompt: str
    episode: Episode | None = None
    max_tokens: int = 600
    schema: dict[str, Any] | None = None  # JSON Schema of the answer, for servers that take one


class Reply(NamedTuple):
    """The answer of a model, and what it cost."""

    text: str
    model: str = ""
    tokens_in: int = 0
    tokens_out: int = 0


class Model(Protocol):
    """Anything that answers a request: a provider, a command, a function, or rules."""

    name: str

    async def complete(self, request: Request) -> Reply:
        """One answer; raises TransientError or PermanentError, and never retries by itself."""


class Embedder(Protocol):
    """Turns texts into unit vectors of one length. What differs in vectors differs in name."""

    @property
    def name(self) -> str: ...

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """One vector a text, in order; raises TransientError or PermanentError."""
