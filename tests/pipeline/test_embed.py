"""Lessons get vectors in batches, and a question finds those near in meaning."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from hardwon.engine.embeddings import fill, near
from hardwon.storage.stores.sqlite import MemoryStore
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


class Axes:
    """An embedder by which each text that it knows points along an axis of its own."""

    name = "axes"

    def __init__(self, *texts: str) -> None:
        self.axes = {text: at for at, text in enumerate(texts)}
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        self.asked += texts
        size = len(self.axes)
        return [[float(self.axes.get(text, 0) == at) for at in range(size)] for text in texts]


def test_a_lesson_of_several_texts_points_to_their_middle() -> None:
    store = stocked("alpha")
    (wording,) = store.vectors.lacking("axes", after=0, limit=9)
    texts = wording.texts()
    embedder = Axes(*texts)

    list(fill(embedder=embedder, vectors=store.vectors))

    found = near(texts[0], scope=CODER, embedder=embedder, vectors=store.vectors)
    assert found[0][1] == pytest.approx(len(texts) ** -0.5, abs=0.01)


def test_so_much_of_a_question_is_read_and_so_many_lessons_are_found() -> None:
    store, embedder = stocked(*(f"lesson {n}" for n in range(40))), Topics()
    list(fill(embedder=embedder, vectors=store.vectors))
    axes = Axes("a", "b")

    assert len(near("tls", scope=CODER, embedder=embedder, vectors=store.vectors)) == 24
    near("x" * 5000, scope=CODER, embedder=axes, vectors=store.vectors)
    assert [len(text) for text in axes.asked] == [2000]
