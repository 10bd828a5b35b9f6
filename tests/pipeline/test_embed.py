"""Lessons get vectors in batches, and a question finds those near in meaning."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from hardwon.core.errors import Unavailable
from hardwon.core.settings import load
from hardwon.engine.embeddings import SemanticSearch
from hardwon.engine.runtime import MEMORY, Runtime
from tests.embedders import Topics
from tests.samples import CODER, lesson


def stocked(*texts: str) -> Runtime:
    engine = Runtime(load("/nowhere", {}), MEMORY)
    for text in texts:
        engine.store.lessons.add(lesson(text))
    return engine


def test_lessons_without_a_vector_get_one_batch_by_batch() -> None:
    engine, embedder = stocked(*(f"lesson {n}" for n in range(40))), Topics()

    assert list(SemanticSearch(engine, embedder).fill()) == [32, 40]
    assert list(SemanticSearch(engine, embedder).fill()) == []
    assert engine.store.vectors.counts(embedder.name) == (40, 40)


def test_what_is_near_in_meaning_is_found() -> None:
    engine, embedder = stocked("a tls handshake", "rain and weather"), Topics()
    list(SemanticSearch(engine, embedder).fill())
    found = SemanticSearch(engine, embedder).near(CODER, "https certificate")

    assert found[0][0] == 1
    assert found[0][1] == pytest.approx(1.0, abs=0.35)


def test_nothing_is_near_to_nothing_and_a_long_question_is_cut() -> None:
    engine, embedder = stocked("a tls handshake"), Topics()

    assert SemanticSearch(engine, embedder).near(CODER, "  \n") == ()
    assert embedder.asked == []
    SemanticSearch(engine, embedder).near(CODER, "x" * 3000)
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
    engine = stocked("alpha")
    (wording,) = engine.store.vectors.lacking("axes", after=0, limit=9)
    texts = wording.texts()
    embedder = Axes(*texts)

    list(SemanticSearch(engine, embedder).fill())

    found = SemanticSearch(engine, embedder).near(CODER, texts[0])
    assert found[0][1] == pytest.approx(len(texts) ** -0.5, abs=0.01)


def test_so_much_of_a_question_is_read_and_so_many_lessons_are_found() -> None:
    engine, embedder = stocked(*(f"lesson {n}" for n in range(40))), Topics()
    list(SemanticSearch(engine, embedder).fill())
    axes = Axes("a", "b")

    assert len(SemanticSearch(engine, embedder).near(CODER, "tls")) == 24
    SemanticSearch(engine, axes).near(CODER, "x" * 5000)
    assert [len(text) for text in axes.asked] == [2000]


def test_nothing_is_near_while_the_store_of_vectors_is_away(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    engine, embedder = stocked("a tls handshake"), Topics()
    list(SemanticSearch(engine, embedder).fill())
    search = SemanticSearch(engine, embedder)

    def be_away(*_: object, **__: object) -> None:
        raise Unavailable("the store is away")

    monkeypatch.setattr(type(engine.unscreened.vectors), "nearest", be_away)

    assert search.near(CODER, "https certificate") == ()
