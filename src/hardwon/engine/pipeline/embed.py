"""Embed: compute vectors of lessons in the background; find lessons near in meaning."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from hardwon.core.text.clean import clip

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from hardwon.core.values.scope import Scope
    from hardwon.knowledge.ranking.query import Near
    from hardwon.storage.ports import Embedder, VectorStore

_BATCH = 32
_NEAREST = 24
_ASKED = 2000  # characters; embedding models read no more of a question


def fill(*, embedder: Embedder, vectors: VectorStore) -> Iterator[int]:
    """Embed every lesson without a vector; yields the number done after each stored batch."""
    done, last = 0, 0
    while wordings := vectors.lacking(embedder.name, after=last, limit=_BATCH):
        texts = [wording.texts() for wording in wordings]
        embedded = iter(embedder.embed([text for lesson_texts in texts for text in lesson_texts]))
        sums = [_sum(islice(embedded, len(lesson_texts))) for lesson_texts in texts]
        vectors.save(embedder.name, zip(wordings, sums, strict=True))
        done, last = done + len(wordings), wordings[-1].lesson
        yield done


def _sum(vectors: Iterable[Sequence[float]]) -> Sequence[float]:
    """The sum of the vectors; a store keeps its direction only."""
    return [sum(values) for values in zip(*vectors, strict=True)]


def near(text: str, *, scope: Scope, embedder: Embedder, vectors: VectorStore) -> Near:
    """The lessons nearest in meaning, the nearest first."""
    if not text.strip():
        return ()
    (vector,) = embedder.embed([clip(text, _ASKED)])
    return tuple(vectors.nearest(scope, embedder.name, vector, limit=_NEAREST))
