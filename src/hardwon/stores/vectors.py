"""Vectors made small, and the nearest of many found fast.

A stored vector is int8; only its direction counts. What all vectors of a store have in common says
nothing about any of them, so their mean is taken away before they are compared, as rare words count
for more than common ones. A vector in a crowd of others is near to many questions by chance (its
"hubness"), so it counts for less than one that stands alone. In memory a vector is a code of one
bit a number, its sign. How many bits differ tells roughly how far two are apart: all codes are
looked at, and the best few vectors are compared exactly.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hardwon.errors import MissingExtra

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
_AT_ONCE = 8192  # vectors; as floats they are large
_DOUBT = 50  # vectors before their mean is believed half
_SAMPLE = 2000  # vectors that stand for all when a crowd is looked at
_CROWD = 10  # nearest others that make the crowd of a vector
_WEIGHED = 48  # nearest vectors whose crowds are looked at
_ITSELF = 0.9999  # the cosine of a vector and itself
_TINY = np.float32(1e-9)


def packed(vector: Sequence[float]) -> bytes:
    """The direction of a vector in a byte a number."""
    values = np.asarray(vector, np.float32)
    top = float(np.abs(values).max()) or 1.0
    return bytes(np.round(values * (_TOP / top)).astype(np.int8).tobytes())


def centre(stored: Sequence[bytes]) -> Floats:
    """The mean of the vectors, drawn towards nothing while they are few."""
    parts = (_units(stored[at : at + _AT_ONCE]) for at in range(0, len(stored), _AT_ONCE))
    sums = np.sum([part.sum(0) for part in parts], axis=0)
    mean: Floats = (sums / (len(stored) + _DOUBT)).astype(np.float32)
    return mean


class Background:
    """What the vectors of a store have in common, and how crowded it is around each of them."""

    def __init__(self, stored: Sequence[bytes]) -> None:
        self.middle = centre(stored)
        every = max(1, -(-len(stored) // _SAMPLE))
        drawn = stored[::every] if len(stored) > _DOUBT else ()  # a few make no crowd
        self._others = self._seen(_units(drawn)) if drawn else None
        self._usual = 0.0 if self._others is None else self._crowds(self._others).mean()

    def nearest(
        self, vector: Sequence[float], ids: Sequence[int], stored: Sequence[bytes]
    ) -> list[tuple[int, float, float]]:
        """The nearest of these vectors, best first; those with one likeness by their ids.

        Each with its cosine, and with the cosine as seen before this background.
        """
        if not stored:
            return []
        rows, asked = _units(stored), _unit(np.asarray([vector], np.float32))
        beyond = self._seen(rows) @ self._seen(asked)[0]
        best = np.lexsort((ids, -beyond))[:_WEIGHED]
        seen = beyond[best] - (self._crowds(self._seen(rows[best])) - self._usual) / 2
        plain = rows[best] @ asked[0]
        weighed = zip((ids[at] for at in best), plain.tolist(), seen.tolist(), strict=True)
        return sorted(weighed, key=lambda row: (-row[2], row[0]))

    def _seen(self, rows: Floats) -> Floats:
        """The vectors without what all have in common."""
        return _unit(rows - self.middle)

    def _crowds(self, seen: Floats) -> Floats:
        """The mean cosine of each vector to the nearest others."""
        if self._others is None:
            return np.zeros(len(seen), np.float32)
        cosines = np.partition(seen @ self._others.T, -_CROWD - 1, axis=1)
        nearest = np.sort(cosines[:, -_CROWD - 1 :], axis=1)
        is_itself = nearest[:, -1] > _ITSELF
        crowds: Floats = np.where(is_itself, nearest[:, :-1].mean(1), nearest[:, 1:].mean(1))
        return crowds


class Codes:
    """The codes of many vectors, in memory; those added later are found as well."""

    def __init__(self, ids: Sequence[int], stored: Sequence[bytes]) -> None:
        self.background = Background(stored)
        self._born = len(ids)
        self._ids = np.empty(0, np.int64)
        self._words: list[NDArray[np.uint64]] = []
        self.add(ids, stored)

    @property
    def is_outgrown(self) -> bool:
        """Whether so many vectors were added that the mean may have moved."""
        return len(self._ids) > 2 * self._born + _DOUBT

    def add(self, ids: Sequence[int], stored: Sequence[bytes]) -> None:
        """Take in vectors of the same length."""
        if not ids:
            return
        parts = [
            self._code(_units(stored[at : at + _AT_ONCE])) for at in range(0, len(ids), _AT_ONCE)
        ]
        words = np.vstack(parts).T
        known = self._words or [np.empty(0, np.uint64)] * len(words)
        pairs = zip(known, words, strict=True)
        self._words = [np.concatenate((old, new)) for old, new in pairs]
        self._ids = np.concatenate((self._ids, np.asarray(ids, np.int64)))

    def nearest(self, vector: Sequence[float], limit: int) -> list[int]:
        """The ids of the codes that differ least; all of them when there are no more."""
        if len(self._ids) <= limit:
            return [int(number) for number in self._ids]
        bits = np.zeros(len(self._ids), np.uint16)
        (asked,) = self._code(_unit(np.asarray([vector], np.float32)))
        # A word of all codes at a time: what is read lies together in memory.
        for word, stored in zip(asked, self._words, strict=True):
            bits += np.bitwise_count(stored ^ word)
        return [int(number) for number in self._ids[_least(bits, limit)]]

    def _code(self, rows: Floats) -> NDArray[np.uint64]:
        signs = rows > self.background.middle
        room = -signs.shape[1] % _WORD
        bits = np.packbits(np.pad(signs, ((0, 0), (0, room))), axis=1)
        return bits.view(np.uint64)


def _least(values: NDArray[np.uint16], limit: int) -> NDArray[np.intp]:
    """Where the least values are. They are small whole numbers: counting beats sorting."""
    bound = np.searchsorted(np.cumsum(np.bincount(values)), limit)
    places = np.flatnonzero(values <= bound)
    return places[np.argsort(values[places], kind="stable")][:limit]


def _units(stored: Sequence[bytes]) -> Floats:
    rows = np.frombuffer(b"".join(stored), np.int8).reshape(len(stored), -1)
    return _unit(rows.astype(np.float32))


def _unit(rows: Floats) -> Floats:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True).astype(np.float32, copy=False)
    units: Floats = rows / np.maximum(lengths, _TINY)
    return units
