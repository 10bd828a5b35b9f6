"""Reflections on goals in a shared Redis; everything else stays in the store."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from hardwon.core._fork import cached_property
from hardwon.storage.stores.redis import reflections as stored

if TYPE_CHECKING:
    from hardwon.storage.ports import ReflectionStore, Store


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
    def _redis(self) -> stored.RedisReflections:
        url, values = self._address
        return stored.RedisReflections(url, **values)
