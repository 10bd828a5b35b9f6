"""A property that is computed once, without a lock that a fork could leave locked."""

from __future__ import annotations

import threading

from hardwon._cold.cached import cached_property


class Thing:
    computed = 0

    @cached_property
    def value(self) -> object:
        """What it is."""
        self.computed += 1
        return object()


def test_it_is_computed_once_for_each_object() -> None:
    one, other = Thing(), Thing()

    assert one.value is one.value
    assert one.computed == 1
    assert one.value is not other.value


def test_threads_get_the_same_value_though_no_lock_is_held() -> None:
    thing, gate, values = Thing(), threading.Barrier(8), []

    def read() -> None:
        gate.wait()
        values.append(thing.value)

    threads = [threading.Thread(target=read) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(set(map(id, values))) == 1


def test_it_can_be_looked_at_on_the_class() -> None:
    assert Thing.value.__doc__ == "What it is."
