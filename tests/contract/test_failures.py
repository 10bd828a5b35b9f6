"""What every store must do with failures that it counts."""

from __future__ import annotations

from hardwon import Scope
from hardwon.storage.ports import Store
from tests.samples import CODER, NOW

OTHER = Scope("acme", "writer", "api")


def test_failures_are_counted_by_signature(store: Store) -> None:
    for scope, name, text in [
        (CODER, "s1", "bash: boom"),
        (CODER, "s1", "bash: boom"),
        (CODER, "s2", "bash: other"),
        (OTHER, "s1", "bash: boom"),
    ]:
        store.failures.count(scope, name, text, NOW)

    assert store.failures.commonest(CODER, limit=9) == [("bash: boom", 2), ("bash: other", 1)]
    assert store.failures.commonest(OTHER, limit=9) == [("bash: boom", 1)]


def test_the_commonest_come_first_then_by_name_and_as_many_as_are_asked_for(store: Store) -> None:
    for name in ("c", "b", "a", "a"):
        store.failures.count(CODER, name, f"text {name}", NOW)

    assert store.failures.commonest(CODER, limit=2) == [("text a", 2), ("text b", 1)]


def test_what_was_met_everywhere_counts_for_every_project(store: Store) -> None:
    store.failures.count(CODER, "s1", "bash: boom", NOW)
    store.failures.count(CODER.everywhere(), "s1", "bash: boom", NOW)
    store.failures.count(CODER._replace(project="web"), "s1", "bash: boom", NOW)

    assert store.failures.commonest(CODER, limit=9) == [("bash: boom", 2)]
