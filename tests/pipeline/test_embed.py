"""Lessons get vectors in batches, and a question finds those near in meaning."""

from __future__ import annotations

import pytest

from hardwon.pipeline.embed import fill, near
from hardwon.stores.memory import MemoryStore
from tests.embedders import Topics
from tests.samples import CODER, lesson


def stocked(*texts: str) -> MemoryStore:
    store = MemoryStore()
    for text in texts:
        store.lessons.add(lesson(text))
    return store


def test_lessons_without_a_vector_get_one_batch_by_batch() -> None:
    store, embedder = stocked(*(f"lesson {n}" for n in range(40))), Topics()

    assert list(fill(embedder=embedder, vectors=store.vectors)) == [32, 40]
    assert list(fill(embedder=embedder, vectors=store.vectors)) == []
    assert store.vectors.counts(embedder.name) == (40, 40)


def test_what_is_near_in_meaning_is_found() -> None:
    store, embedder = stocked("a tls handshake", "rain and weather"), Topics()
    list(fill(embedder=embedder, vectors=store.vectors))
    found = near("https certificate", scope=CODER, embedder=embedder, vectors=store.vectors)

    assert found[0][0] == 1
    assert found[0][1] == pytest.approx(1.0, abs=0.35)


def test_nothing_is_near_to_nothing_and_a_long_question_is_cut() -> None:
    store, embedder = stocked("a tls handshake"), Topics()

    assert near("  \n", scope=CODER, embedder=embedder, vectors=store.vectors) == ()
    assert embedder.asked == []
    near("x" * 3000, scope=CODER, embedder=embedder, vectors=store.vectors)
    assert len(embedder.asked[0]) <= 2000
