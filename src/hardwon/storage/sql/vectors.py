"""Compact vectors, and a fast search for the nearest of many.

A stored vector is int8; only its direction counts. What all vectors of a store have in common does
not distinguish them, so their mean is subtracted before they are compared, as rare words count for
more than common ones. A vector in a crowd of others is near to many queries by chance (its
"hubness"), so it counts less than one that stands alone. In memory a vector is a code: one bit per
number, its sign. The number of differing bits approximates the distance of two vectors: all codes
are compared, also to measure crowds, and the best few vectors are compared exactly.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hardwon.core._fork import OUTER, ForkLock
from hardwon.core.errors import MissingExtra
from hardwon.core.values.lesson import Wording
from hardwon.core.values.scope import Scope
from hardwon.storage.sql import scopes
from hardwon.storage.sql.dialect import Row, SqlDatabase, Tenancy, bind, read_queries

try:
    import numpy as np
    from numpy.typing import NDArray
except ImportError as error:
    raise MissingExtra("vectors") from error

Floats = NDArray[np.float32]

_TOP = 127
_WORD = 64  # bits of a machine word
_AT_ONCE = 8192  # vectors converted together; as floats they are large
_DOUBT = 50  # vectors at which their mean has half its weight
_SAMPLE = 2000  # vectors sampled to measure crowds
_CROWD = 10  # nearest neighbours that form the crowd of a vector
_WEIGHED = 48  # nearest vectors whose crowds are measured
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
        self._sample = self.codes_of(_units(sampled)) if sampled else None
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
        # `einsum` stays in this thread; BLAS would wake others, which costs more on a busy machine.
        beyond = np.einsum("ij,j->i", self._subtract_mean(rows), self._subtract_mean(query)[0])
        best = np.lexsort((ids, -beyond))[:_WEIGHED]
        corrected = beyond[best] - (self._crowds(self.codes_of(rows[best])) - self._usual) / 2
        plain = np.einsum("ij,j->i", rows[best], query[0])
        weighed = zip((ids[at] for at in best), plain.tolist(), corrected.tolist(), strict=True)
        return sorted(weighed, key=lambda row: (-row[2], row[0]))

    def _subtract_mean(self, rows: Floats) -> Floats:
        """The vectors without their mean, as unit vectors."""
        return _unit(rows - self.middle)

    def codes_of(self, rows: Floats) -> NDArray[np.uint64]:
        """The codes of unit vectors: whether each number is above the mean, in machine words."""
        signs = rows > self.middle
        room = -signs.shape[1] % _WORD
        bits = np.packbits(np.pad(signs, ((0, 0), (0, room))), axis=1)
        return bits.view(np.uint64)

    def _crowds(self, codes: NDArray[np.uint64]) -> Floats:
        """The mean cosine of each vector to its nearest neighbours, as their codes tell it."""
        if self._sample is None:
            return np.zeros(len(codes), np.float32)
        bits = np.zeros((len(codes), len(self._sample)), np.uint16)
        for own, others in zip(codes.T, self._sample.T, strict=True):
            bits += np.bitwise_count(own[:, None] ^ others)
        nearest = np.sort(np.partition(bits, _CROWD, axis=1)[:, : _CROWD + 1], axis=1)
        is_itself = nearest[:, 0] == 0
        mean = np.where(is_itself, nearest[:, 1:].mean(1), nearest[:, :-1].mean(1))
        # Two vectors differ in as large a share of bits as their angle is of half a turn.
        crowds: Floats = np.cos(mean * (np.pi / len(self.middle))).astype(np.float32)
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
            self.background.codes_of(_units(stored[at : at + _AT_ONCE]))
            for at in range(0, len(ids), _AT_ONCE)
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
        (query,) = self.background.codes_of(_unit(np.asarray([vector], np.float32)))
        # One word of all codes at a time: these lie together in memory.
        for word, stored in zip(query, self._words, strict=True):
            bits += np.bitwise_count(stored ^ word)
        # The differences are small integers: counting beats sorting.
        bound = np.searchsorted(np.cumsum(np.bincount(bits)), limit)
        places = np.flatnonzero(bits <= bound)
        least = places[np.argsort(bits[places], kind="stable")][:limit]
        return [int(number) for number in self._ids[least]]


def _units(stored: Sequence[bytes]) -> Floats:
    rows = np.frombuffer(b"".join(stored), np.int8).reshape(len(stored), -1)
    return _unit(rows.astype(np.float32))


def _unit(rows: Floats) -> Floats:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True).astype(np.float32, copy=False)
    units: Floats = rows / lengths.clip(_TINY)
    return units


_DEPTH = 96  # vectors compared exactly; codes alone are only approximate
_GONE = 0.25  # share of missing vectors after which all codes are read again
_SQL = read_queries(__file__)


class SqlVectors:
    """One vector a lesson; the codes of each scope that was searched stay in memory."""

    def __init__(self, database: SqlDatabase) -> None:
        self._db = database
        self._views: dict[tuple[object, ...], _View] = {}
        self._lock = ForkLock(rank=OUTER)
        # By embedder: the state of the database when no vector was missing
        self._complete: dict[str, object] = {}

    def lacking(self, embedder: str, *, after: int = 0, limit: int) -> list[Wording]:
        """Active lessons of every scope without a vector, with an id over `after`, by id."""
        state = self._db.state()
        if state is not None and self._complete.get(embedder) == state:
            return []
        values = {"embedder": embedder, "after": after, "limit": limit}
        wordings = [
            Wording(*row)
            for tenant in self._db.tenants()
            for row in self._db.of(tenant).rows(_SQL["lacking"], **values)
        ]
        if not wordings and after == 0:
            self._complete[embedder] = state
        return sorted(wordings)[:limit]

    def save(self, embedder: str, embedded: Iterable[tuple[Wording, Sequence[float]]]) -> None:
        """Store the vectors, all or none; skip a lesson whose words have changed meanwhile."""
        vectors = [(words, pack_vector(vector)) for words, vector in embedded]
        ids = [words.lesson for words, _ in vectors]
        lengths = sorted({len(vector) for _, vector in vectors})
        with self._db:
            for tenancy in map(self._db.of, self._db.tenants()):
                if shelves := [shelf for (shelf,) in tenancy.rows(_SQL["lock"], ids=ids)]:
                    tenancy.run(_SQL["replace"], shelves=shelves, ids=ids)
                    tenancy.run(_SQL["drop_other_lengths"], embedder=embedder, lengths=lengths)
                    for words, vector in vectors:
                        tenancy.run(
                            _SQL["add"], embedder=embedder, vector=vector, **words._asdict()
                        )

    def nearest(
        self, scope: Scope, embedder: str, vector: Sequence[float], *, limit: int
    ) -> list[tuple[int, float, float]]:
        """The active lessons seen from the scope, the nearest first.

        Each with its cosine, and with the cosine when what all lessons share is left out.
        """
        tenancy, shelves = self._db.of(scope.tenant), scopes.visible(self._db, scope).ids
        key = (scope.tenant, embedder, *shelves, len(vector))
        with self._lock:
            view = self._views.get(key)
            if view is None or view.is_outgrown:
                view = self._views[key] = _View(tenancy, embedder, shelves, len(vector))
            nearest = view.nearest(tenancy, vector)
            if view.is_stale:
                view = self._views[key] = _View(tenancy, embedder, shelves, len(vector))
                nearest = view.nearest(tenancy, vector)
        return nearest[:limit]

    def counts(self, embedder: str) -> tuple[int, int]:
        """How many lessons have a vector of this embedder, and how many should."""
        tenancies = map(self._db.of, self._db.tenants())
        rows = [tenancy.rows(_SQL["counts"], embedder=embedder)[0] for tenancy in tenancies]
        return sum(row[0] for row in rows), sum(row[1] for row in rows)


class _View:
    """The codes visible from one scope. Replaced or deleted rows are just not found."""

    def __init__(
        self, tenancy: Tenancy, embedder: str, shelves: Sequence[int], length: int
    ) -> None:
        self._which = {"embedder": embedder, "length": length}
        self._lasts = dict.fromkeys(shelves, 0)
        rows = self._read_added(tenancy)
        self._codes = Codes([row[0] for row in rows], [row[1] for row in rows])
        self.is_stale = False  # whether many vectors of the last search were gone

    @property
    def is_outgrown(self) -> bool:
        """Whether all codes should be read again."""
        return self._codes.is_outgrown

    def nearest(self, tenancy: Tenancy, vector: Sequence[float]) -> list[tuple[int, float, float]]:
        """Lessons with both cosines, nearest first, including the newest."""
        rows = self._read_added(tenancy)
        self._codes.add([row[0] for row in rows], [row[1] for row in rows])
        ids = self._codes.nearest(vector, _DEPTH)
        (exact,) = tenancy.ask(tenancy.of_each(bind(_SQL["exact"]), id=ids))
        self.is_stale = len(ids) - len(exact) > _GONE * len(ids)
        ids, stored = [row[0] for row in exact], [row[1] for row in exact]
        return self._codes.background.nearest(vector, ids, stored)

    def _read_added(self, tenancy: Tenancy) -> list[Row]:
        """The vectors since the last call, ordered by number."""
        lasts = self._lasts.items()
        groups = tenancy.ask(
            *(bind(_SQL["added"], shelf=shelf, last=last, **self._which) for shelf, last in lasts)
        )
        for shelf, rows in zip(self._lasts, groups, strict=True):
            self._lasts[shelf] = rows[-1][0] if rows else self._lasts[shelf]
        return sorted(row for rows in groups for row in rows)
