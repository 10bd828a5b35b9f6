"""Lessons in SQLite, with the index that recall reads."""

from __future__ import annotations

from datetime import UTC, datetime

from hardwon import _json as json
from hardwon.backends.sqlite import shelves
from hardwon.domain.lesson import Lesson, Status
from hardwon.domain.recall import Match, Query, Tally, index, keys, rarity
from hardwon.errors import NotFound

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hardwon.backends.sqlite.database import Database, Row
    from hardwon.domain.scope import Scope

POSTINGS_READ = 1000  # at most, for one recall, rarest keys first
_KEYS_ASKED = 400  # SQLite allows 999 values in a query

_TEXTS = "situation, mistake, correction, trigger_name, origin, author, job, status"
_LISTS = "tags, signatures, calls, evidence"
_NUMBERS = "importance, confidence, hit_count, met_count, guard"
_TIMES = "created_at, updated_at, last_seen_at, expires_at"
_COLUMNS = f"{_TEXTS}, {_LISTS}, {_NUMBERS}, {_TIMES}"
_SELECT = f"SELECT id, shelf, {_COLUMNS} FROM lessons"
_INSERT = f"INSERT INTO lessons (shelf, {_COLUMNS}) VALUES (?{', ?' * 21})"
_UPDATE = (
    "UPDATE lessons SET "
    + ", ".join(f"{column} = ?" for column in _COLUMNS.split(", "))
    + " WHERE id = ? AND shelf = ?"
)


class SqliteLessons:
    """The lesson store of the embedded default."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def add(self, lesson: Lesson) -> Lesson:
        with self._db as db:
            shelf = shelves.ensure(db, lesson.scope)
            made = lesson.job and db.row(
                f"{_SELECT} WHERE shelf = ? AND job = ?", (shelf, lesson.job)
            )
            if made:
                return _lesson(made, {shelf: lesson.scope})
            stored = lesson._replace(id=db.run(_INSERT, (shelf, *_values(lesson))))
            self._index(shelf, stored)
            return stored

    def get(self, scope: Scope, number: int) -> Lesson:
        seen = shelves.Visible(self._db, scope)
        row = self._db.row(
            f"{_SELECT} WHERE id = ? AND shelf IN ({seen.marks})", (number, *seen.ids)
        )
        if row is None:
            raise NotFound("lesson", number)
        return _lesson(row, seen.scopes)

    def update(self, lesson: Lesson) -> None:
        with self._db as db:
            shelf = self._shelf_of(lesson.scope, lesson.id)
            self._unindex(shelf, lesson.id)
            db.run(_UPDATE, (*_values(lesson), lesson.id, shelf))
            self._index(shelf, lesson)

    def delete(self, scope: Scope, number: int) -> None:
        with self._db as db:
            lesson = self.get(scope, number)
            shelf = self._shelf_of(lesson.scope, number)
            self._unindex(shelf, number)
            db.run("DELETE FROM lessons WHERE id = ? AND shelf = ?", (number, shelf))

    def recent(self, scope: Scope, *, status: str, limit: int) -> list[Lesson]:
        seen = shelves.Visible(self._db, scope)
        rows = self._db.rows(
            f"{_SELECT} WHERE shelf IN ({seen.marks}) AND status = ?"
            " ORDER BY last_seen_at DESC, created_at DESC, id DESC LIMIT ?",
            (*seen.ids, status, limit),
        )
        return [_lesson(row, seen.scopes) for row in rows]

    def search(self, scope: Scope, text: str, *, limit: int) -> list[Lesson]:
        seen = shelves.Visible(self._db, scope)
        where, value = _containing(text)
        rows = self._db.rows(
            f"{_SELECT} WHERE {where} AND shelf IN ({seen.marks}) AND status = ?"
            " ORDER BY hit_count DESC, last_seen_at DESC, id DESC LIMIT ?",
            (*value, *seen.ids, Status.ACTIVE, limit),
        )
        return [_lesson(row, seen.scopes) for row in rows]

    def match(self, scope: Scope, query: Query, *, now: datetime, limit: int) -> list[Match]:
        seen = shelves.Visible(self._db, scope)
        tally = self._tally(seen, keys(query)[:_KEYS_ASKED])
        best = list(dict.fromkeys((*tally.best(limit), *self._usual(seen, query.usual))))
        rows = self._db.rows(
            f"{_SELECT} WHERE id IN ({','.join('?' * len(best))}) AND +shelf IN ({seen.marks})"
            " AND +status = ? AND (expires_at IS NULL OR expires_at > ?)",
            (*best, *seen.ids, Status.ACTIVE, now.timestamp()),
        )
        found = {row[0]: tally.match(_lesson(row, seen.scopes)) for row in rows}
        return [found[number] for number in best if number in found]

    def _usual(self, seen: shelves.Visible, limit: int) -> list[int]:
        """The lessons met most often, those met last first among equals."""
        if not limit:
            return []
        found = [
            row
            for shelf in seen.ids
            for row in self._db.rows(
                "SELECT met_count, updated_at, id FROM lessons WHERE shelf = ? AND status = ?"
                " AND met_count > 1 ORDER BY met_count DESC, updated_at DESC LIMIT ?",
                (shelf, Status.ACTIVE, limit),
            )
        ]
        return [number for *_, number in sorted(found, reverse=True)[:limit]]

    def _tally(self, seen: shelves.Visible, asked: tuple[str, ...]) -> Tally:
        """Read the postings of the asked keys, rarest first, within the limit."""
        known = self._db.rows(
            f"SELECT id, term, holders FROM terms WHERE shelf IN ({seen.marks})"
            f" AND term IN ({','.join('?' * len(asked))}) ORDER BY holders",
            (*seen.ids, *asked),
        )
        tally, left = Tally(), POSTINGS_READ
        for number, term, holders in known:
            if left <= 0:
                break
            postings = self._db.rows(
                "SELECT lesson, impact FROM postings WHERE term = ? ORDER BY impact DESC LIMIT ?",
                (number, left),
            )
            left -= len(postings)
            tally.add(term, postings, rarity(holders, seen.active))
        return tally

    def _shelf_of(self, scope: Scope, number: int) -> int:
        shelf = shelves.own(self._db, scope)
        if shelf is None or not self._db.row(
            "SELECT 1 FROM lessons WHERE id = ? AND shelf = ?", (number, shelf)
        ):
            raise NotFound("lesson", number)
        return shelf

    def _index(self, shelf: int, lesson: Lesson) -> None:
        """Make an active lesson findable."""
        if lesson.status != Status.ACTIVE:
            return
        impacts = index(lesson)
        self._db.run_many(
            "INSERT INTO terms (shelf, term, holders) VALUES (?, ?, 1)"
            " ON CONFLICT (shelf, term) DO UPDATE SET holders = holders + 1",
            [(shelf, term) for term in impacts],
        )
        numbers = self._db.rows(
            "SELECT id, term FROM terms WHERE shelf = ?"
            " AND term IN (SELECT value FROM json_each(?))",
            (shelf, json.dumps(list(impacts))),
        )
        entries = [(number, impacts[term]) for number, term in numbers]
        self._db.run_many(
            "INSERT INTO postings (term, impact, lesson) VALUES (?, ?, ?)",
            [(*entry, lesson.id) for entry in entries],
        )
        self._db.run("INSERT INTO indexed VALUES (?, ?)", (lesson.id, json.dumps(entries)))
        self._db.run("UPDATE shelves SET active = active + 1 WHERE id = ?", (shelf,))

    def _unindex(self, shelf: int, number: int) -> None:
        """Take exactly that out of the index which was written for the lesson."""
        row = self._db.row("SELECT entries FROM indexed WHERE lesson = ?", (number,))
        if row is None:
            return
        entries = json.loads(row[0])
        self._db.run_many(
            "DELETE FROM postings WHERE term = ? AND impact = ? AND lesson = ?",
            [(*entry, number) for entry in entries],
        )
        self._db.run_many(
            "UPDATE terms SET holders = holders - 1 WHERE id = ?", [(term,) for term, _ in entries]
        )
        self._db.run("DELETE FROM indexed WHERE lesson = ?", (number,))
        self._db.run("UPDATE shelves SET active = active - 1 WHERE id = ?", (shelf,))


def page(db: Database, scopes: dict[int, Scope], *, after: int, limit: int) -> list[Lesson]:
    """The active lessons of these shelves with an id over `after`, in the order of ids."""
    rows = db.rows(
        f"{_SELECT} WHERE id > ? AND +shelf IN ({','.join('?' * len(scopes))})"
        " AND +status = ? ORDER BY id LIMIT ?",
        (after, *scopes, Status.ACTIVE, limit),
    )
    return [_lesson(row, scopes) for row in rows]


def _containing(text: str) -> tuple[str, tuple[str, ...]]:
    """The condition that a lesson contains the text; the trigram index needs three characters."""
    if len(text) >= 3:
        quoted = '"' + text.replace('"', '""') + '"'
        return "id IN (SELECT rowid FROM lesson_text WHERE lesson_text MATCH ?)", (quoted,)
    escaped = text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    fields = "situation || ' ' || mistake || ' ' || correction || ' ' || tags"
    return f"({fields}) LIKE ? ESCAPE '\\'", (f"%{escaped}%",)


def _values(lesson: Lesson) -> tuple[object, ...]:
    """The columns of a lesson, in the order of `_COLUMNS`."""
    expires = lesson.expires_at
    lists = (lesson.tags, lesson.signatures, lesson.calls, lesson.evidence)
    return (
        *(lesson.situation, lesson.mistake, lesson.correction, lesson.trigger),
        *(lesson.origin, lesson.author, lesson.job, lesson.status),
        *(json.dumps(items, ensure_ascii=False) for items in lists),
        *(lesson.importance, lesson.confidence, lesson.hits, lesson.met, lesson.guard),
        *(lesson.created_at.timestamp(), lesson.updated_at.timestamp()),
        *(lesson.last_seen_at.timestamp(), expires and expires.timestamp()),
    )


def _list(text: str) -> tuple[str, ...]:
    return () if text == "[]" else tuple(json.loads(text))


def _lesson(row: Row, scopes: dict[int, Scope]) -> Lesson:
    """The lesson of a row that `_SELECT` brought."""
    return Lesson(
        scope=scopes[row[1]],
        id=row[0],
        situation=row[2],
        mistake=row[3],
        correction=row[4],
        trigger=row[5],
        origin=row[6],
        author=row[7],
        job=row[8],
        status=row[9],
        tags=_list(row[10]),
        signatures=_list(row[11]),
        calls=_list(row[12]),
        evidence=_list(row[13]),
        importance=row[14],
        confidence=row[15],
        hits=row[16],
        met=row[17],
        guard=bool(row[18]),
        created_at=datetime.fromtimestamp(row[19], UTC),
        updated_at=datetime.fromtimestamp(row[20], UTC),
        last_seen_at=datetime.fromtimestamp(row[21], UTC),
        expires_at=row[22] and datetime.fromtimestamp(row[22], UTC),
    )
