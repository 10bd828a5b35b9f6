"""A person's text files are changed as a whole or not at all, also under kill -9."""

from __future__ import annotations

import os
import random
import stat
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from threading import Thread

import pytest

from hardwon.core.errors import InvalidInput, StorageError
from hardwon.storage.stores.markdown import read_text, update


def test_a_file_that_changes_meanwhile_is_read_again_and_merged(tmp_path: Path) -> None:
    path = tmp_path / "MEMORY.md"
    path.write_text("one\n", encoding="utf-8")
    calls: list[str | None] = []

    def change(text: str | None) -> str:
        if not calls:  # a person saves while we think
            path.write_text("one\ntwo\n", encoding="utf-8")
        calls.append(text)
        return f"{text}ours\n"

    update(str(path), change, root=str(tmp_path))

    assert path.read_text(encoding="utf-8") == "one\ntwo\nours\n"
    assert calls == ["one\n", "one\ntwo\n"]


def test_the_mode_of_a_file_stays_and_no_other_file_is_left(tmp_path: Path) -> None:
    path = tmp_path / "MEMORY.md"
    path.write_text("x", encoding="utf-8")
    path.chmod(0o640)

    update(str(path), lambda text: f"{text}y", root=str(tmp_path))

    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert os.listdir(tmp_path) == ["MEMORY.md"]


@pytest.mark.parametrize(
    ("content", "mode", "problem"), [(b"mine", 0o400, "read-only"), (b"caf\xe9", 0o600, "UTF-8")]
)
def test_a_file_that_cannot_be_changed_stays_as_it_is(
    tmp_path: Path, content: bytes, mode: int, problem: str
) -> None:
    path = tmp_path / "MEMORY.md"
    path.write_bytes(content)
    path.chmod(mode)

    with pytest.raises(StorageError, match=problem):
        update(str(path), lambda text: "other", root=str(tmp_path))

    assert path.read_bytes() == content


def test_a_link_out_of_the_tree_is_refused_and_one_within_is_followed(tmp_path: Path) -> None:
    root = tmp_path / "project"
    root.mkdir()
    (tmp_path / "secret.md").write_text("s", encoding="utf-8")
    (root / "out.md").symlink_to(tmp_path / "secret.md")
    (root / "real.md").write_text("r", encoding="utf-8")
    (root / "in.md").symlink_to(root / "real.md")

    with pytest.raises(InvalidInput, match="leads out of"):
        update(str(root / "out.md"), lambda text: "x", root=str(root))
    with pytest.raises(InvalidInput, match="is a directory"):
        update(str(root), lambda text: "x", root=str(root))
    update(str(root / "in.md"), lambda text: "x", root=str(root))

    assert (tmp_path / "secret.md").read_text(encoding="utf-8") == "s"
    assert (root / "real.md").read_text(encoding="utf-8") == "x"
    assert (root / "in.md").is_symlink()


def _appended(line: str, text: str | None) -> str:
    return f"{text or ''}{line}"


def test_many_writers_lose_no_line(tmp_path: Path) -> None:
    path = str(tmp_path / "MEMORY.md")

    def write(name: str) -> None:
        for number in range(5):
            line = f"{name}{number}\n"
            update(path, partial(_appended, line), root=str(tmp_path))

    threads = [Thread(target=write, args=(name,)) for name in "ab"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    found = (read_text(path) or "").split()
    assert sorted(found) == sorted(f"{name}{n}" for name in "ab" for n in range(5))


@pytest.mark.parametrize(("more", "is_read"), [(0, True), (1, False)])
def test_a_file_may_have_so_many_bytes(tmp_path: Path, more: int, is_read: bool) -> None:
    path = tmp_path / "MEMORY.md"
    path.write_text("x" * (4 * 1024 * 1024 + more))

    if is_read:
        assert read_text(str(path))
    else:
        with pytest.raises(StorageError, match="larger than 4194304 bytes"):
            read_text(str(path))


def test_a_file_that_keeps_changing_is_given_up(tmp_path: Path) -> None:
    path, calls = tmp_path / "MEMORY.md", []

    def change(text: str | None) -> str:
        calls.append(text)
        path.write_text(f"{len(calls)}")
        return "ours"

    with pytest.raises(StorageError, match="keeps changing"):
        update(str(path), change, root=str(tmp_path))

    assert len(calls) == 50


def test_a_new_file_is_private_and_its_folder_is_made(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b.md"

    change = update(str(path), lambda _: "text", root=str(tmp_path))

    assert (change.before, change.after, path.read_text()) == (None, "text", "text")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_file_is_removed_unless_it_changed_meanwhile(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text("old")
    seen: list[str | None] = []

    def remove(text: str | None) -> None:
        if not seen:
            path.write_text("new")
        seen.append(text)

    update(str(path), remove, root=str(tmp_path))

    assert seen == ["old", "new"]
    assert not path.exists()


def test_only_old_files_of_killed_processes_are_tidied(tmp_path: Path) -> None:
    old, new, own = (tmp_path / name for name in (".hardwon-1", ".hardwon-2", "mine"))
    for file, age in ((old, 3700), (new, 3500), (own, 9999)):
        file.touch()
        os.utime(file, (time.time() - age,) * 2)

    update(str(tmp_path / "a.md"), lambda _: "text", root=str(tmp_path))

    assert (old.exists(), new.exists(), own.exists()) == (False, True, True)


WRITER = """
import sys
from hardwon.storage.stores.markdown import update
path, root = sys.argv[1:]
for number in range(10**9):
    update(path, lambda text: (text or "") + "line of an entry " * 20 + "end\\n", root=root)
    print(number, flush=True)
"""
LINE = "line of an entry " * 20 + "end\n"


def _killed_once(path: Path, chance: random.Random) -> int:
    """Run the writer until it is killed at some moment; how many writes it acknowledged."""
    command = [sys.executable, "-c", WRITER, str(path), str(path.parent)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout
        writer.stdout.readline()
        time.sleep(chance.uniform(0, 0.05))
        writer.kill()
        return 1 + len(writer.stdout.read().split())


@pytest.mark.parametrize(
    "cycles", [pytest.param(3, id="smoke"), pytest.param(100, marks=pytest.mark.torture)]
)
def test_a_killed_writer_leaves_the_old_text_or_the_new_one(tmp_path: Path, cycles: int) -> None:
    path, chance, acknowledged = tmp_path / "MEMORY.md", random.Random(7), 0

    for _ in range(cycles):
        acknowledged += _killed_once(path, chance)
        text = path.read_text(encoding="utf-8")

        assert text == LINE * text.count("\n")
        assert text.count("\n") >= acknowledged
        acknowledged = text.count("\n")
