"""The server itself: the only module that touches redis-py. Every failure of it is Unavailable."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hardwon.errors import MissingExtra, Unavailable

try:
    import redis
    from redis.backoff import NoBackoff
    from redis.retry import Retry
except ImportError as error:
    raise MissingExtra("redis") from error

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import TracebackType


class Server:
    """A client that connects when it is first used, and once more when a connection was cut."""

    def __init__(self, url: str, *, timeout: float) -> None:
        self._client = redis.Redis.from_url(
            url,
            socket_timeout=timeout,
            socket_connect_timeout=timeout,
            retry=Retry(NoBackoff(), 1),
        )

    def gets(self, keys: Iterable[str]) -> list[bytes | None]:
        """The values of the keys in one round trip; a key of another type is an error."""
        with _translated, self._client.pipeline(transaction=False) as pipe:
            for key in keys:
                pipe.get(key)
            return list(pipe.execute())

    def run(self, script: str, keys: Iterable[str], *values: Any) -> Any:
        """What a Lua script returns, in one round trip."""
        names = list(keys)
        with _translated:
            return self._client.eval(script, len(names), *names, *values)

    def remove(self, patterns: Iterable[str]) -> None:
        """Delete every key that matches one of the patterns."""
        with _translated:
            for pattern in patterns:
                for key in self._client.scan_iter(match=pattern, count=1000):
                    self._client.unlink(key)

    def risks(self) -> list[str]:
        """Why this server could lose what it has acknowledged, in words."""
        with _translated:
            try:
                found = self._client.config_get(
                    "appendonly", "appendfsync", "maxmemory", "maxmemory-policy"
                )
            except redis.ResponseError:
                return ["cannot tell whether it keeps what it acknowledges (no CONFIG allowed)"]
        return _risks({_text(key): _text(value) for key, value in dict(found).items()})

    def close(self) -> None:
        """Release the connections."""
        self._client.close()


class _Translated:
    """`with` it, an error of redis-py becomes one of ours."""

    def __enter__(self) -> None:
        """Nothing to prepare."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        if isinstance(error, redis.RedisError):
            raise Unavailable(" ".join(str(error).split()) or type(error).__name__) from error


_translated = _Translated()


def _risks(settings: dict[str, str]) -> list[str]:
    problems = []
    if settings.get("appendonly") == "no":
        problems.append("appendonly is off: a crash loses reflections; set appendonly yes")
    elif settings.get("appendfsync") != "always":
        problems.append(
            f"appendfsync is {settings.get('appendfsync')}: a crash loses the last second or more"
            "; set appendfsync always"
        )
    policy = settings.get("maxmemory-policy", "")
    if settings.get("maxmemory", "0") != "0" and policy != "noeviction":
        problems.append(f"maxmemory-policy is {policy}: a full server drops reflections")
    return problems


def _text(value: Any) -> str:
    return value.decode(errors="replace") if isinstance(value, bytes) else str(value)
