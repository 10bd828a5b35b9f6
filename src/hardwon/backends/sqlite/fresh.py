"""What was kept lately: findable at once, moved into the dictionary with many others."""

from __future__ import annotations

from hardwon import _json as json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from hardwon.backends.sqlite.database import Database

    Postings = dict[str, list[tuple[int, int]]]

SPAN = "SELECT (SELECT min(id) FROM fresh), (SELECT max(id) FROM fresh)"


class Fresh:
    """The rows of `fresh`, read once by this process and kept up to date."""

    def __init__(self, database: Database) -> None:
        self._db = database
        self._state: tuple[int, int, int] = (0, 0, 0)
        self._entries: dict[int, tuple[int, dict[str, int]]] = {}  # by lesson: shelf, impacts
        self._added: dict[int, int] = {}  # lessons that the dictionary does not count yet, by shelf

    def add(self, shelf: int, lesson: int, entries: dict[str, int], *, is_new: bool) -> None:
        """Note by what a lesson is found from now on. Call inside `with database:`."""
        self._db.run(
            "INSERT INTO fresh (shelf, lesson, is_new, entries) VALUES (?, ?, ?, ?)",
            (shelf, lesson, is_new, json.dumps(entries)),
        )

    def look(self) -> None:
        """Take notice of what has changed since the last look."""
        first, last = self._db.rows(SPAN)[0]
        state = (self._db.undone, first or 0, last or 0)
        if state == self._state:
            return
        if state[:2] != self._state[:2] or state[2] < self._state[2]:
            self._state = (0, 0, 0)
            self._entries.clear()
            self._added.clear()
        self._read(self._state[2])
        self._state = state

    def postings(self, shelves: Iterable[int], asked: tuple[str, ...]) -> Postings:
        """For each of the asked keys, the lessons of these shelves that hold it, with impacts."""
        found: Postings = {}
        wanted, visible = frozenset(asked), frozenset(shelves)
        for lesson, (shelf, entries) in self._entries.items():
            if shelf in visible:
                for key in wanted & entries.keys():
                    found.setdefault(key, []).append((lesson, entries[key]))
        return found

    def added(self, shelves: Iterable[int]) -> int:
        """How many lessons of these shelves the dictionary does not count yet."""
        return sum(self._added.get(shelf, 0) for shelf in shelves)

    def settled(self, postings: list[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
        """Those postings of the dictionary that still hold: term, lesson and impact."""
        if not self._entries:
            return postings
        return [one for one in postings if one[1] not in self._entries]

    def _read(self, after: int) -> None:
        rows = self._db.rows(
            "SELECT shelf, lesson, is_new, entries FROM fresh WHERE id > ? ORDER BY id", (after,)
        )
        for shelf, lesson, is_new, entries in rows:
            self._entries[lesson] = shelf, json.loads(entries)
            self._added[shelf] = self._added.get(shelf, 0) + is_new
