"""The store without a file: forks, transactions, and how much it keeps."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from hardwon.core.values.delivery import Delivery
from hardwon.core.values.lesson import Status
from hardwon.core.values.report import ListQuery, Place
from hardwon.core.values.run import EndedRun
from hardwon.storage.stores import sqlite
from hardwon.storage.stores.sqlite import MemoryStore
from tests.samples import CODER, NOW, lesson

FORKED = """
import os
from hardwon.storage.stores.sqlite import MemoryStore
from tests.samples import CODER, lesson

def texts(store):
    return [one.situation for one in store.lessons.recent(CODER, status="all", limit=9)]

store = MemoryStore()
store.lessons.add(lesson("before"))
with store.together():
    store.lessons.add(lesson("open"))
    child = os.fork()
    if not child:
        store.lessons.add(lesson("child"))
        os._exit(7 if sorted(texts(store)) == ["when: before", "when: child"] else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
assert sorted(texts(store)) == ["when: before", "when: open"], texts(store)
"""


def test_a_forked_process_goes_on_with_a_copy() -> None:
    subprocess.run([sys.executable, "-W", "error", "-c", FORKED], check=True, timeout=60)


def test_two_stores_share_nothing_and_leave_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    first, second = MemoryStore(), MemoryStore()
    first.lessons.add(lesson("alpha", guard=True, calls=("bash: rm",)))

    assert second.lessons.recent(CODER, status=Status.ALL, limit=9) == []
    assert first.units.salt() != second.units.salt()
    assert os.listdir(tmp_path) == []


def test_what_is_noted_is_folded_in_before_it_becomes_much(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hardwon.storage.sql.journal._MOST_NOTES", 3)
    store = MemoryStore()
    for number in range(4):
        store.deliveries.log(Delivery(str(number), CODER, "turn", "alpha", (), (), 0, 0, NOW))

    assert store._journal.is_empty
    assert len(store.deliveries.recent(CODER, limit=9)) == 4


def test_only_the_newest_runs_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite, "_MOST_RUNS", 2)
    store = MemoryStore()
    for day in (1, 2, 3):
        at = NOW.replace(day=day)
        store.ended_runs.keep(EndedRun(f"run{day}", CODER, "r", "a", at, at, "worked", 1, 0, 0))

    kept = store.ended_runs.recent(ListQuery(Place(CODER.tenant)))
    assert [run.id for run in kept] == ["run3", "run2"]


def test_threads_that_note_at_once_lose_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hardwon.storage.sql.journal._MOST_NOTES", 5)
    store = MemoryStore()

    def note(name: int) -> None:
        for number in range(100):
            store.deliveries.log(Delivery(f"{name}-{number}", CODER, "turn", "", (), (), 0, 0, NOW))

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(note, range(4)))

    assert len(store.deliveries.recent(CODER, limit=1000)) == 400
