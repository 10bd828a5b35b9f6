"""Embed: compute vectors of lessons in the background; find lessons near in meaning."""

from __future__ import annotations

from itertools import islice
from math import hypot
from typing import TYPE_CHECKING

from hardwon.text.clean import clip

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hardwon.ports import Embedder, VectorStore
    from hardwon.ranking.query import Near
    from hardwon.values.scope import Scope

_BATCH = 32
_NEAREST = 24
_ASKED = 2000  # characters; embedding models read no more of a question


def fill(*, embedder: Embedder, vectors: VectorStore) -> Iterator[int]:
    """Embed every lesson without a vector; yields the number done after each stored batch."""
    done, last = 0, 0
    while wordings := vectors.lacking(embedder.name, after=last, limit=_BATCH):
        texts = [wording.texts() for wording in wordings]
        embedded = iter(embedder.embed([text for lesson_texts in texts for text in lesson_texts]))
        means = [_mean(list(islice(embedded, len(lesson_texts)))) for lesson_texts in texts]
        vectors.save(embedder.name, zip(wordings, means, strict=True))
        done, last = done + len(wordings), wordings[-1].lesson
        yield done


def _mean(vectors: Sequence[Sequence[float]]) -> Sequence[float]:
    """The mean of the vectors, scaled to length 1."""
    if len(vectors) == 1:
        return vectors[0]
    total = [sum(values) for values in zip(*vectors, strict=True)]
    length = hypot(*total) or 1.0
    return [value / length for value in total]


def near(text: str, *, scope: Scope, embedder: Embedder, vectors: VectorStore) -> Near:
    """The lessons nearest in meaning, the nearest first."""
    if not text.strip():
        return ()
    (vector,) = embedder.embed([clip(text, _ASKED)])
    return tuple(vectors.nearest(scope, embedder.name, vector, limit=_NEAREST))
