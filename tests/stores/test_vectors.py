"""Many vectors are searched by their signs and compared as they are."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.stores.vectors import Codes, centre, likenesses, packed

NUMBERS = st.floats(-1, 1, allow_nan=False, width=32).filter(lambda value: abs(value) > 1e-3)
VECTORS = st.lists(st.lists(NUMBERS, min_size=5, max_size=5), min_size=1, max_size=30)


@given(VECTORS)
def test_a_packed_vector_keeps_its_direction(vectors: list[list[float]]) -> None:
    for vector in vectors:
        ((cosine, _),) = likenesses(vector, [packed(vector)], np.zeros(5, np.float32))

        assert cosine == pytest.approx(1, abs=1e-3)


@given(VECTORS, st.integers(1, 40))
def test_a_search_gives_as_many_as_there_are(vectors: list[list[float]], limit: int) -> None:
    ids = list(range(100, 100 + len(vectors)))

    found = Codes(ids, list(map(packed, vectors))).nearest(vectors[0], limit)

    assert len(found) == min(limit, len(ids))
    assert set(found) <= set(ids)


def test_the_first_look_keeps_nearly_all_of_the_nearest() -> None:
    chance = np.random.default_rng(3)
    topics = chance.standard_normal((50, 384))
    many = topics[chance.integers(0, 50, 5000)] + chance.standard_normal((5000, 384))
    stored = [packed(vector) for vector in many.tolist()]
    codes = Codes(range(len(stored)), stored)
    kept = 0
    for topic in topics[:20]:
        asked = (topic + chance.standard_normal(384)).tolist()
        exact = [both[1] for both in likenesses(asked, stored, codes.middle)]
        best = np.argsort(exact)[::-1][:10].tolist()

        kept += len(set(best) & set(codes.nearest(asked, 160)))

    assert kept >= 190


def test_a_few_vectors_hardly_have_a_middle() -> None:
    one = packed([0.6, 0.8])

    assert np.linalg.norm(centre([one])) == pytest.approx(1 / 51, abs=1e-3)
    assert np.linalg.norm(centre([one] * 5000)) == pytest.approx(0.99, abs=1e-2)
