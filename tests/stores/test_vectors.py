"""Many vectors are searched by their signs and compared as they are."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.storage.sql.vectors import Background, Codes, centre, pack_vector

NUMBERS = st.floats(-1, 1, allow_nan=False, width=32).filter(lambda value: abs(value) > 1e-3)
VECTORS = st.lists(st.lists(NUMBERS, min_size=5, max_size=5), min_size=1, max_size=30)


@given(VECTORS)
def test_a_packed_vector_keeps_its_direction(vectors: list[list[float]]) -> None:
    for vector in vectors:
        ((_, cosine, _),) = Background([pack_vector(vector)]).nearest(
            vector, [1], [pack_vector(vector)]
        )

        assert cosine == pytest.approx(1, abs=1e-3)


@given(VECTORS, st.integers(1, 40))
def test_a_search_gives_as_many_as_there_are(vectors: list[list[float]], limit: int) -> None:
    ids = list(range(100, 100 + len(vectors)))

    found = Codes(ids, list(map(pack_vector, vectors))).nearest(vectors[0], limit)

    assert len(found) == min(limit, len(ids))
    assert set(found) <= set(ids)


def test_the_first_look_keeps_nearly_all_of_the_nearest() -> None:
    chance = np.random.default_rng(3)
    topics = chance.standard_normal((50, 384))
    many = topics[chance.integers(0, 50, 5000)] + chance.standard_normal((5000, 384))
    stored = [pack_vector(vector) for vector in many.tolist()]
    codes = Codes(range(len(stored)), stored)
    kept = 0
    for topic in topics[:20]:
        asked = (topic + chance.standard_normal(384)).tolist()
        exact = codes.background.nearest(asked, range(len(stored)), stored)
        best = [number for number, *_ in exact[:10]]

        kept += len(set(best) & set(codes.nearest(asked, 160)))

    assert kept >= 190


def test_a_few_vectors_hardly_have_a_middle() -> None:
    one = pack_vector([0.6, 0.8])

    assert np.linalg.norm(centre([one])) == pytest.approx(1 / 51, abs=1e-3)
    assert np.linalg.norm(centre([one] * 5000)) == pytest.approx(0.99, abs=1e-2)


def test_one_that_stands_alone_comes_before_one_in_a_crowd() -> None:
    """Both are as near to the question; many others are near to one of them."""
    chance = np.random.default_rng(5)
    alone, crowded = np.eye(64)[:2]
    crowd = crowded + 0.05 * chance.standard_normal((40, 64))
    rest = chance.standard_normal((60, 64))
    stored = [pack_vector(row) for row in (alone, crowded, *crowd, *rest)]

    found = Background(stored).nearest((alone + crowded).tolist(), (0, 1), stored[:2])

    (first, _, by_itself), (_, _, among_many) = found
    assert first == 0
    assert by_itself > among_many + 0.1


def crowd(signs: np.ndarray[Any, Any], at: int) -> float:
    """The mean cosine of a vector to its ten nearest neighbours, as their signs tell it."""
    differing = sorted(
        int((signs[at] != signs[one]).sum()) for one in range(len(signs)) if one != at
    )
    return math.cos(math.pi * sum(differing[:10]) / 10 / signs.shape[1])


def test_what_stands_in_a_crowd_counts_less() -> None:
    chance = np.random.default_rng(5)
    vectors = chance.standard_normal((60, 16)).astype(np.float32)
    vectors[:20] = vectors[0] + 0.3 * vectors[:20]
    stored = [pack_vector(vector) for vector in vectors.tolist()]
    asked = vectors[0] + vectors[30]

    found = Background(stored).nearest(asked.tolist(), range(60), stored)

    def unit(rows: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return np.asarray(rows / np.linalg.norm(rows, axis=-1, keepdims=True))

    whole = unit(np.array([np.frombuffer(one, np.int8) for one in stored], np.float32))
    middle = whole.sum(0) / (60 + 50)
    rows, query = unit(whole - middle), unit(unit(asked) - middle)
    crowds = [crowd(whole > middle, at) for at in range(60)]
    for number, cosine, corrected in found:
        assert cosine == pytest.approx(float(whole[number] @ unit(asked)), abs=1e-4)
        expected = float(rows[number] @ query) - (crowds[number] - sum(crowds) / 60) / 2
        assert corrected == pytest.approx(expected, abs=1e-4)
    assert len(found) == 48


def test_fifty_vectors_make_no_crowd() -> None:
    chance = np.random.default_rng(6)
    stored = [pack_vector(vector) for vector in chance.standard_normal((51, 8)).tolist()]

    def is_corrected(count: int) -> bool:
        few = stored[:count]
        background = Background(few)
        asked = chance.standard_normal(8).tolist()
        ((_, _, corrected), *_) = background.nearest(asked, range(1), few[:1])
        unit = np.frombuffer(few[0], np.int8) / np.linalg.norm(np.frombuffer(few[0], np.int8))
        rows = [vector / np.linalg.norm(vector) for vector in (unit - background.middle,)]
        direction = np.array(asked) / np.linalg.norm(asked) - background.middle
        plain = float(rows[0] @ (direction / np.linalg.norm(direction)))
        return abs(corrected - plain) > 1e-3

    assert not is_corrected(50)
    assert is_corrected(51)


@pytest.mark.parametrize(("added", "is_outgrown"), [(70, False), (71, True)])
def test_codes_are_outgrown_when_many_were_added(added: int, is_outgrown: bool) -> None:
    vector = pack_vector([1.0, 2.0])
    codes = Codes(range(20), [vector] * 20)
    codes.add(range(20, 20 + added), [vector] * added)
    codes.add([], [])

    assert codes.is_outgrown is is_outgrown
