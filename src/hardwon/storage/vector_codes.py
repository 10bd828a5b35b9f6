"""Compact vectors, and a fast search for the nearest of many.

A stored vector is int8; only its direction counts. What all vectors of a store have in common does
not distinguish them, so their mean is subtracted before they are compared, as rare words count for
more than common ones. A vector in a crowd of others is near to many queries by chance (its
"hubness"), so it counts less than one that stands alone. In memory a vector is a code: one bit per
number, its sign. The number of differing bits approximates the distance of two vectors: all codes
are compared, and the best few vectors are compared exactly.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hardwon.core.errors import MissingExtra

try:
    import numpy as np
except ImportError as error:
    raise MissingExtra("vectors") from error

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

_TOP = 127
_WORD = 64  # bits of a machine word
_AT_ONCE = 8192  # vectors converted together; as floats they are large
_DOUBT = 50  # vectors at which their mean has half its weight
_SAMPLE = 2000  # vectors sampled to measure crowds
_CROWD = 10  # nearest neighbours that form the crowd of a vector
_WEIGHED = 48  # nearest vectors whose crowds are measured
_ITSELF = 0.9999  # the cosine of a vector and itself
_TINY = np.float32(1e-9)


def pack_vector(vector: Sequence[float]) -> bytes:
    """The direction of a vector, one byte per number."""
    values = np.asarray(vector, np.float32)
    top = float(np.abs(values).max()) or 1.0
    return bytes(np.round(values * (_TOP / top)).astype(np.int8).tobytes())


def centre(stored: Sequence[bytes]) -> Floats:
    """The mean of the vectors, shrunk towards 0 while they are few."""
    parts = (_units(stored[at : at + _AT_ONCE]) for at in range(0, len(stored), _AT_ONCE))
    sums = np.sum([part.sum(0) for part in parts], axis=0)
    mean: Floats = (sums / (len(stored) + _DOUBT)).astype(np.float32)
    return mean


class Background:
    """The mean of a store's vectors, and how crowded each of them is."""

    def __init__(self, stored: Sequence[bytes]) -> None:
        self.middle = centre(stored)
        every = max(1, -(-len(stored) // _SAMPLE))
        sampled = stored[::every] if len(stored) > _DOUBT else ()  # too few make no crowd
        self._sample = self._subtract_mean(_units(sampled)) if sampled else None
        self._usual = 0.0 if self._sample is None else self._crowds(self._sample).mean()

    def nearest(
        self, vector: Sequence[float], ids: Sequence[int], stored: Sequence[bytes]
    ) -> list[tuple[int, float, float]]:
        """The nearest of these vectors, best first; equal ones by id.

        Each has its cosine, and the cosine corrected for mean and crowd.
        """
        if not stored:
            return []
        rows, query = _units(stored), _unit(np.asarray([vector], np.float32))
        beyond = self._subtract_mean(rows) @ self._subtract_mean(query)[0]
        best = np.lexsort((ids, -beyond))[:_WEIGHED]
        corrected = beyond[best] - (self._crowds(self._subtract_mean(rows[best])) - self._usual) / 2
        plain = rows[best] @ query[0]
        weighed = zip((ids[at] for at in best), plain.tolist(), corrected.tolist(), strict=True)
        return sorted(weighed, key=lambda row: (-row[2], row[0]))

    def _subtract_mean(self, rows: Floats) -> Floats:
        """The vectors without their mean, as unit vectors."""
        return _unit(rows - self.middle)

    def _crowds(self, rows: Floats) -> Floats:
        """The mean cosine of each vector to its nearest neighbours."""
        if self._sample is None:
            return np.zeros(len(rows), np.float32)
        cosines = np.partition(rows @ self._sample.T, -_CROWD - 1, axis=1)
        nearest = np.sort(cosines[:, -_CROWD - 1 :], axis=1)
        is_itself = nearest[:, -1] > _ITSELF
        crowds: Floats = np.where(is_itself, nearest[:, :-1].mean(1), nearest[:, 1:].mean(1))
        return crowds


class Codes:
    """The codes of many vectors in memory; more can be added."""

    def __init__(self, ids: Sequence[int], stored: Sequence[bytes]) -> None:
        self.background = Background(stored)
        self._born = len(ids)
        self._ids = np.empty(0, np.int64)
        self._words: list[NDArray[np.uint64]] = []
        self.add(ids, stored)

    @property
    def is_outgrown(self) -> bool:
        """Whether so many were added that the mean may have moved."""
        return len(self._ids) > 2 * self._born + _DOUBT

    def add(self, ids: Sequence[int], stored: Sequence[bytes]) -> None:
        """Add vectors of the same length."""
        if not ids:
            return
        parts = [
            self._code(_units(stored[at : at + _AT_ONCE])) for at in range(0, len(ids), _AT_ONCE)
        ]
        words = np.vstack(parts).T
        before = self._words or [np.empty(0, np.uint64)] * len(words)
        pairs = zip(before, words, strict=True)
        self._words = [np.concatenate((old, new)) for old, new in pairs]
        self._ids = np.concatenate((self._ids, np.asarray(ids, np.int64)))

    def nearest(self, vector: Sequence[float], limit: int) -> list[int]:
        """The ids of the codes that differ least; all ids if there are at most `limit`."""
        if len(self._ids) <= limit:
            return [int(number) for number in self._ids]
        bits = np.zeros(len(self._ids), np.uint16)
        (query,) = self._code(_unit(np.asarray([vector], np.float32)))
        # One word of all codes at a time: these lie together in memory.
        for word, stored in zip(query, self._words, strict=True):
            bits += np.bitwise_count(stored ^ word)
        return [int(number) for number in self._ids[_least(bits, limit)]]

    def _code(self, rows: Floats) -> NDArray[np.uint64]:
        signs = rows > self.background.middle
        room = -signs.shape[1] % _WORD
        bits = np.packbits(np.pad(signs, ((0, 0), (0, room))), axis=1)
        return bits.view(np.uint64)


def _least(values: NDArray[np.uint16], limit: int) -> NDArray[np.intp]:
    """The positions of the least values. They are small integers: counting beats sorting."""
    bound = np.searchsorted(np.cumsum(np.bincount(values)), limit)
    places = np.flatnonzero(values <= bound)
    return places[np.argsort(values[places], kind="stable")][:limit]


def _units(stored: Sequence[bytes]) -> Floats:
    rows = np.frombuffer(b"".join(stored), np.int8).reshape(len(stored), -1)
    return _unit(rows.astype(np.float32))


def _unit(rows: Floats) -> Floats:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True).astype(np.float32, copy=False)
    units: Floats = rows / lengths.clip(_TINY)
    return units
