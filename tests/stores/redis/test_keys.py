"""The keys of scopes in Redis, and the patterns that find those of one tenant."""

from __future__ import annotations

from fnmatch import fnmatchcase

import pytest

from hardwon import Scope
from hardwon.storage.stores.redis.entries import Keys, patterns, visible

PUBLISHED = Scope()


@pytest.mark.parametrize(
    ("scope", "place"),
    [
        (PUBLISHED, "app:"),
        (Scope("acme", "coder", "api"), "app:hardwon:acme:coder:api:"),
        (Scope("acme", "coder"), "app:hardwon:acme:coder::"),
        (Scope("default", "default", "api"), "app:hardwon:default:default:api:"),
        (Scope("a:b", "c/d", "e*"), "app:hardwon:a%3Ab:c%2Fd:e%2A:"),
    ],
)
def test_the_default_scope_has_the_published_keys_and_others_a_prefix(
    scope: Scope, place: str
) -> None:
    keys = Keys("app:", scope)

    assert keys.place == place
    assert keys.goal("g1") == f"{place}reflection:g1"
    assert keys.recent == f"{place}reflection:recent_goals"
    assert keys.words == f"{place}hardwon-words:"


@pytest.mark.parametrize(
    ("goal", "key"),
    [("recent_goals", "%recent_goals"), ("%g1", "%%g1"), ("g%1", "g%1"), ("recent", "recent")],
)
def test_a_goal_never_has_the_key_of_the_list_or_of_another_goal(goal: str, key: str) -> None:
    assert Keys("", PUBLISHED).goal(goal) == f"reflection:{key}"


def test_what_is_visible_is_looked_up_nearest_first() -> None:
    scope = Scope("acme", "coder", "api")

    assert visible("p:", scope) == [Keys("p:", scope), Keys("p:", scope.everywhere())]


def found(prefix: str, tenant: str, key: str) -> bool:
    return any(
        fnmatchcase(key, pattern.replace("\\*", "[*]")) for pattern in patterns(prefix, tenant)
    )


@pytest.mark.parametrize(
    ("tenant", "scope", "is_found"),
    [
        ("acme", Scope("acme", "coder", "api"), True),
        ("acme", Scope("acme2", "coder"), False),
        ("acme", PUBLISHED, False),
        ("default", PUBLISHED, True),
        ("default", Scope("default", "coder"), True),
        ("default", Scope("acme", "coder"), False),
    ],
)
def test_the_patterns_of_a_tenant_find_its_keys_and_no_others(
    tenant: str, scope: Scope, is_found: bool
) -> None:
    keys = Keys("app*:", scope)

    for key in (keys.goal("g1"), keys.recent, f"{keys.words}build"):
        assert found("app*:", tenant, key) is is_found
        assert not found("app*:", tenant, key.replace("app*", "apple"))
