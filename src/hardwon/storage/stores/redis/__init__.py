"""Reflections on goals in a shared Redis, under the published keys; all else stays in the store.

An update is atomic; a read never waits long. The default scope uses exactly the published keys. The
published form of JSON is written, both forms are read.
"""

from __future__ import annotations

import json
import logging
import os
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing, suppress
from datetime import datetime
from functools import cache
from typing import Any, NamedTuple, TypeVar, cast
from urllib.parse import quote, unquote

from hardwon.core._fork import cached_property
from hardwon.core.errors import Unavailable
from hardwon.core.text.clean import clean
from hardwon.core.time_limits import TimeLimit
from hardwon.core.values import time_of
from hardwon.core.values.lesson import EPOCH
from hardwon.core.values.reflection import Likeness, Reflection, is_known, surplus_reflections
from hardwon.core.values.scope import Scope
from hardwon.knowledge.ranking.reflections import CANDIDATES, HOLDERS_READ, likenesses, words_of
from hardwon.storage.ports import ReflectionStore, Store
from hardwon.storage.stores.redis.server import RedisClient, name_of

T = TypeVar("T")
log = logging.getLogger("hardwon")
_PATIENCE = 0.03  # seconds for one round trip of an agent's turn, which makes two at most
_WRITE_PATIENCE = 5.0  # seconds; nobody waits for a worker
_TRIES = 200  # attempts at an update that others keep overtaking
_HERE = os.path.dirname(__file__)
_RECENT = "recent_goals"
_STATES = {"success": "completed", "failure": "failed"}


class Keys(NamedTuple):
    """The keys of one scope: `reflection:<goal id>` after a unique prefix."""

    prefix: str
    scope: Scope

    @property
    def place(self) -> str:
        """The prefix before `reflection:`; only the configured one for the default scope."""
        if self.scope == Scope():
            return self.prefix
        names = ":".join(quote(part or "", safe="") for part in self.scope)
        return f"{self.prefix}hardwon:{names}:"

    @property
    def recent(self) -> str:
        """The list of recent goals."""
        return f"{self.place}reflection:{_RECENT}"

    @property
    def words(self) -> str:
        """The prefix of a word in the index."""
        return f"{self.place}hardwon-words:"

    def goal(self, subject: str) -> str:
        """The key of one goal; an id that would clash with another key is marked."""
        marked = f"%{subject}" if subject == _RECENT or subject.startswith("%") else subject
        return f"{self.place}reflection:{marked}"


def visible(prefix: str, scope: Scope) -> list[Keys]:
    """The keys of every scope visible from this one."""
    return [Keys(prefix, seen) for seen in scope.visible()]


def goal_patterns(prefix: str, scope: Scope) -> list[str]:
    """Patterns that match the goals of an agent in all projects; lists of recent goals as well."""
    names = ":".join(quote(part, safe="") for part in scope[:2])
    globs = [f"{_escape(prefix)}hardwon:{names}:*:reflection:*"]
    return [*globs, f"{_escape(prefix)}reflection:*"] if scope[:2] == Scope()[:2] else globs


def goal_of(prefix: str, key: str) -> tuple[Keys, str] | None:
    """The place and the id of a goal; None for a key that is no goal's."""
    place, rest = Scope(), key.removeprefix(prefix)
    if rest.startswith("hardwon:"):
        tenant, agent, project, rest = rest.removeprefix("hardwon:").split(":", 3)
        place = Scope(unquote(tenant), unquote(agent), unquote(project) or None)
    kind, _, marked = rest.partition(":")
    if kind != "reflection" or marked == _RECENT:
        return None
    return Keys(prefix, place), marked.removeprefix("%")


def _escape(prefix: str) -> str:
    return "".join(f"\\{sign}" if sign in "*?[]\\" else sign for sign in prefix)


def patterns(prefix: str, tenant: str) -> list[str]:
    """Patterns that match every key of a tenant, and no others."""
    escaped = _escape(prefix)
    globs = [f"{escaped}hardwon:{quote(tenant, safe='')}:*"]
    if tenant == Scope().tenant:
        globs += [f"{escaped}reflection:*", f"{escaped}hardwon-words:*"]
    return globs


class Unreadable(ValueError):
    """The value under a goal's key is not a list of reflections."""


def decode(value: bytes | None) -> list[dict[str, Any]]:
    """Decode the entries; empty if the key is missing."""
    if not value:
        return []
    try:
        entries = json.loads(value)
    except (ValueError, RecursionError) as error:
        raise Unreadable("not JSON") from error
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise Unreadable("not a JSON list of reflections")
    return entries


def encode(entries: list[dict[str, Any]]) -> bytes:
    """The value that holds the entries."""
    return json.dumps(entries, ensure_ascii=False, separators=(",", ":")).encode()


def entry_of(reflection: Reflection) -> dict[str, Any]:
    """A reflection as an entry: the published fields, then hardwon's."""
    expires = reflection.expires_at
    return {
        "goal_id": reflection.subject,
        "insight": reflection.insight,
        "importance": reflection.importance,
        "goal_state": reflection.state,
        "created_at": reflection.created_at.isoformat(),
        "objective": reflection.title,
        "expires_at": expires and expires.isoformat(),
        "detail": reflection.detail,
        "job": reflection.job,
    }


def reflection_of(fields: dict[str, Any], scope: Scope, subject: str) -> Reflection:
    """The reflection of an entry, whichever program wrote it."""
    state = str(fields.get("goal_state") or fields.get("outcome") or "failed")
    return Reflection(
        scope=scope,
        subject=subject,
        insight=clean(str(fields.get("insight") or fields.get("reflection") or "")),
        created_at=time_of(fields.get("created_at") or fields.get("timestamp")) or EPOCH,
        title=clean(str(fields.get("objective") or "")),
        state=_STATES.get(state, state),
        importance=_share(fields.get("importance")),
        expires_at=time_of(fields.get("expires_at")),
        detail=str(fields.get("detail") or "{}"),
        job=str(fields.get("job") or ""),
    )


def _share(value: object) -> float:
    try:
        return min(1.0, max(0.0, float(str(value))))
    except ValueError:
        return 0.5


class RedisReflections:
    """`reflection:<goal id>` holds a JSON list, `reflection:recent_goals` the newest goals."""

    is_shared = True

    def __init__(
        self, url: str, *, prefix: str = "", recent: int = 10, patience: float = _PATIENCE
    ) -> None:
        self._prefix = prefix
        self._kept = recent
        self._limit = TimeLimit(patience)
        self._is_well = True
        self.name = name_of(url)
        self._reader = RedisClient(url, timeout=patience)
        self._writer = RedisClient(url, timeout=_WRITE_PATIENCE)
        # In the background, with a client of its own: nothing waits for a warning.
        checker = RedisClient(url, timeout=_WRITE_PATIENCE)
        threading.Thread(
            target=_warn, args=(self.name, checker), daemon=True, name="hardwon-redis"
        ).start()

    def save(self, reflection: Reflection, *, keep: int = 0) -> bool:
        return self._watch(lambda: self._save(reflection, keep))

    def about(self, scope: Scope, subject: str) -> list[Reflection]:
        places = visible(self._prefix, scope)
        keys = [place.goal(subject) for place in places]
        values = self._read(lambda server: server.gets(keys))
        pairs = zip(places, values, strict=True)
        reflections = [r for place, value in pairs for r in self._decode(place, subject, value)]
        return sorted(reflections, key=lambda r: r.created_at)

    def recent(self, scope: Scope, *, now: datetime, limit: int) -> list[Reflection]:
        places = visible(self._prefix, scope)
        ask = (self._kept, *(place.place for place in places))
        rows = self._read(lambda server: server.run(_script("recent"), (), *ask))
        oldest_first = sorted(self._all(places, rows[::-1]), key=lambda r: r.created_at)
        return [r for r in reversed(oldest_first) if r.is_alive(now)][:limit]

    def every(self, scope: Scope, *, now: datetime, limit: int) -> list[Reflection]:
        globs = goal_patterns(self._prefix, scope)
        texts = self._watch(lambda: [self._writer.texts(glob) for glob in globs])
        reflections = [
            reflection
            for found in texts
            for key, text in found.items()
            if (goal := goal_of(self._prefix, key))
            for reflection in self._decode(*goal, text.encode())
        ]
        newest_first = sorted(reflections, key=lambda r: r.created_at, reverse=True)
        return [r for r in newest_first if r.is_alive(now)][:limit]

    def alike(
        self, scope: Scope, words: Sequence[str], *, now: datetime, limit: int
    ) -> list[Likeness]:
        places = visible(self._prefix, scope)
        prefixes = [prefix for place in places for prefix in (place.place, place.words)]
        ask = (HOLDERS_READ, CANDIDATES, len(places), *prefixes, *words)
        answer = self._read(lambda server: server.run(_script("alike"), (), *ask))
        counts, rows = answer
        living = [r for r in reversed(self._all(places, rows)) if r.is_alive(now)]
        return likenesses(dict(zip(words, counts, strict=True)), living)[:limit]

    def forget(self, tenant: str) -> None:
        """Remove every reflection of a tenant."""
        self._watch(lambda: self._writer.remove(patterns(self._prefix, tenant)))

    def check(self) -> list[str]:
        """Problems of the server, including settings that could lose acknowledged data."""
        try:
            return [f"{self.name}: {problem}" for problem in self._writer.risks()]
        except Unavailable as error:
            return [f"{self.name}: {error}"]

    def close(self) -> None:
        """Release the connections."""
        self._reader.close()
        self._writer.close()

    def _save(self, reflection: Reflection, keep: int) -> bool:
        """Read, change, and write back unless the value changed meanwhile."""
        place, subject = Keys(self._prefix, reflection.scope), reflection.subject
        names = [place.goal(subject), place.recent]
        names += [place.words + word for word in words_of(reflection)]
        last = reflection.created_at.timestamp(), HOLDERS_READ
        for attempt in range(_TRIES):
            value = self._writer.gets(names[:1])[0]
            stored = decode(value)
            reflections = [reflection_of(entry, reflection.scope, subject) for entry in stored]
            if is_known(reflections, reflection):
                return False
            dropped = set(surplus_reflections(reflections, reflection, keep=keep))
            content = [entry for at, entry in enumerate(stored) if at not in dropped]
            content.append(entry_of(reflection))
            change = value or b"", encode(content), _life(content, reflection)
            if self._writer.run(_script("save"), names, *change, subject, self._kept, *last):
                return True
            time.sleep(min(0.001 * attempt, 0.02))
        raise Unavailable(f"other processes keep changing {subject!r}; try again")

    def _all(self, places: list[Keys], rows: Iterable[Any]) -> list[Reflection]:
        return [
            reflection
            for place, subject, value in rows
            for reflection in self._decode(places[place], subject.decode(errors="replace"), value)
        ]

    def _decode(self, place: Keys, subject: str, value: bytes | None) -> list[Reflection]:
        """The reflections of a value; a foreign value is ignored."""
        try:
            return [reflection_of(entry, place.scope, subject) for entry in decode(value)]
        except Unreadable as error:
            self._complain(f"{place.goal(subject)!r} is {error}")
            return []

    def _read(self, call: Callable[[RedisClient], T]) -> T:
        return self._watch(lambda: self._limit.run(lambda: call(self._reader)))

    def _watch(self, call: Callable[[], T]) -> T:
        """Run a call; failures become Unavailable, with one warning when they begin."""
        try:
            result = call()
        except (Unreadable, Unavailable) as error:
            self._complain(str(error))
            raise Unavailable(f"{self.name}: {error}") from error
        self._is_well = True
        return result

    def _complain(self, problem: str) -> None:
        if self._is_well:
            log.warning("%s: %s; reflections wait in the queue", self.name, problem)
        self._is_well = False


def _life(content: list[dict[str, Any]], new: Reflection) -> int:
    """Milliseconds until the last entry expires; 0 when one never does.

    An entry of the published program has no own expiry: only its key had one.
    """
    dated = [entry for entry in content if "expires_at" in entry]
    reflections = [reflection_of(entry, new.scope, new.subject) for entry in dated]
    ends = [stored.expires_at for stored in reflections if stored.expires_at]
    if len(ends) < len(reflections):
        return 0
    return max(1, int((max(ends) - new.created_at).total_seconds() * 1000))


@cache
def _script(name: str) -> str:
    with open(os.path.join(_HERE, f"{name}.lua"), encoding="utf-8") as file:
        return file.read()


def _warn(name: str, checker: RedisClient) -> None:
    """Log if the server's settings could lose acknowledged data."""
    with closing(checker), suppress(Unavailable):
        for problem in checker.risks():
            log.warning("%s: %s", name, problem)


def with_redis(store: Store, url: str, **values: Any) -> Store:
    """The store with its reflections in Redis, which is used only for them."""
    return cast("Store", _WithRedis(store, url, **values))


class _WithRedis:
    def __init__(self, store: Store, url: str, **values: Any) -> None:
        self._store = store
        self._address = url, values

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    @property
    def reflections(self) -> ReflectionStore:
        return self._redis

    def forget(self, tenant: str) -> None:
        self._store.forget(tenant)
        self._redis.forget(tenant)

    def check(self) -> list[str]:
        return self._store.check() + self._redis.check()

    def close(self) -> None:
        if "_redis" in self.__dict__:
            self._redis.close()
        self._store.close()

    @cached_property
    def _redis(self) -> RedisReflections:
        url, values = self._address
        return RedisReflections(url, **values)
