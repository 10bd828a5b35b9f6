"""Embed: lessons get a vector off the agents' path; a question finds those near in meaning."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hardwon.text.clean import clip

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hardwon.ports import Embedder, VectorStore
    from hardwon.ranking.query import Near
    from hardwon.values.scope import Scope

_BATCH = 32
_NEAREST = 24
_ASKED = 2000  # characters; a model reads no more of a question anyway


def fill(*, embedder: Embedder, vectors: VectorStore) -> Iterator[int]:
    """Embed every lesson without a vector; yields the number done after each stored batch."""
    done, last = 0, 0
    while wordings := vectors.lacking(embedder.name, after=last, limit=_BATCH):
        found = embedder.embed([wording.text() for wording in wordings])
        vectors.save(embedder.name, zip(wordings, found, strict=True))
        done, last = done + len(wordings), wordings[-1].lesson
        yield done


def near(text: str, *, scope: Scope, embedder: Embedder, vectors: VectorStore) -> Near:
    """The lessons nearest in meaning the nearest first."""
    if not text.strip():
        return ()
    (vector,) = embedder.embed([clip(text, _ASKED)])
    return tuple(vectors.nearest(scope, embedder.name, vector, limit=_NEAREST))
