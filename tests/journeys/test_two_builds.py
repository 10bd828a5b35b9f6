"""A process of the last release runs while the present build migrates the home beneath it."""

from __future__ import annotations

import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

import hardwon
from hardwon.core.errors import NewerSchema
from hardwon.core.values.lesson import Status
from hardwon.storage.stores.sqlite import SqliteStore
from hardwon.storage.stores.sqlite.database import SCHEMA, Database
from tests.samples import CODER, lesson

RELEASE = Path(__file__).parents[1] / "data" / "hardwon-0.2.0.tar.xz"
OLD = """
import sys
sys.path.insert(0, sys.argv[1])
import hardwon
coder = hardwon.open(sys.argv[2]).agent("coder", project="shop")
for text in sys.stdin:
    try:
        print("kept", coder.learn(text.strip()).id, flush=True)
    except Exception as error:
        print("refused", error, flush=True)
"""


class OldWriter:
    """A process of the last release that keeps what it is told, and says so."""

    def __init__(self, folder: Path, home: Path) -> None:
        with tarfile.open(RELEASE) as files:
            if hasattr(tarfile, "data_filter"):  # Python 3.11.2 has none
                files.extraction_filter = tarfile.data_filter
            files.extractall(folder)
        command = [sys.executable, "-c", OLD, str(folder), str(home)]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def learn(self, text: str) -> str:
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(f"{text}\n")
        self._process.stdin.flush()
        return self._process.stdout.readline().strip()

    def close(self) -> None:
        self._process.communicate(timeout=30)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


def test_an_older_writer_is_refused_once_the_home_is_migrated(tmp_path: Path, home: Path) -> None:
    old = OldWriter(tmp_path / "old", home)
    before = [old.learn(f"run step {number} of the shop first") for number in range(5)]

    new = hardwon.open(home).agent("coder", project="shop")
    kept = new.learn("check the stock before you order")
    after = [old.learn(f"close step {number} of the shop last") for number in range(5)]
    old.close()

    assert all(answer.startswith("kept") for answer in before)
    assert all(answer.startswith("refused") for answer in after)
    texts = {each.correction for each in new.lessons.list(limit=99)}
    assert texts == {
        kept.correction,
        *(f"run step {number} of the shop first" for number in range(5)),
    }


def test_a_writer_of_this_build_is_refused_once_a_newer_one_has_migrated(tmp_path: Path) -> None:
    store = SqliteStore(str(tmp_path))
    store.lessons.add(lesson("before"))
    newer = Database(str(tmp_path / "hardwon.db"))
    with newer:
        newer.run(f"PRAGMA user_version = {SCHEMA + 1}")
    newer.close()

    with pytest.raises(NewerSchema, match="upgrade hardwon"):
        store.lessons.add(lesson("after"))

    assert len(store.lessons.recent(CODER, status=Status.ALL, limit=9)) == 1
