from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from hardwon.core.errors import InvalidInput, StorageError
from hardwon.learn.transcripts import transcript


def _read(path: Path, raw: bytes) -> tuple[list[tuple[int, Any]], Counter[str]]:
    path.write_bytes(raw)
    skipped: Counter[str] = Counter()
    return list(transcript.json_lines(str(path), skipped)), skipped


@pytest.mark.parametrize(
    ("raw", "lines_of_it"), [(b"", 0), (b"{}\n", 1), (b"{}\n\n{}\n", 3), (b'{}\n{"tor', 2)]
)
def test_lines_are_counted_with_a_torn_last_one(
    tmp_path: Path, raw: bytes, lines_of_it: int
) -> None:
    plain, packed = tmp_path / "t.jsonl", tmp_path / "t.jsonl.gz"
    plain.write_bytes(raw)
    packed.write_bytes(gzip.compress(raw))

    assert transcript.count_lines(str(plain)) == transcript.count_lines(str(packed)) == lines_of_it


def test_a_torn_last_line_and_a_broken_one_are_skipped_and_counted(tmp_path: Path) -> None:
    found, skipped = _read(tmp_path / "t.jsonl", b'{"a": 1}\nnot json\n\n{"b": 2}\n{"c": "tor')

    assert found == [(1, {"a": 1}), (4, {"b": 2})]
    assert skipped == {"broken": 1, "torn": 1}


def test_bytes_that_are_no_text_are_replaced_and_the_line_is_kept(tmp_path: Path) -> None:
    found, skipped = _read(tmp_path / "t.jsonl", b'{"a": "x\xff\xfey"}\n{"b": "\\ud800"}\n')

    assert [number for number, _ in found] == [1, 2]
    assert found[0][1]["a"].startswith("x")
    assert not skipped


def test_a_long_line_is_read_whole_and_one_beyond_the_limit_is_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transcript, "LINE_LIMIT", 1 << 20)
    long, too_long = ({"id": n, "output": "é😀 " * n} for n in (50_000, 200_000))
    raw = "".join(f"{json.dumps(one)}\n" for one in (long, too_long, {"next": True}))

    found, skipped = _read(tmp_path / "t.jsonl", raw.encode())

    assert found == [(1, long), (3, {"next": True})]
    assert skipped == {"too long": 1}


def test_depth_without_end_does_not_break_the_reader(tmp_path: Path) -> None:
    found, skipped = _read(tmp_path / "t.jsonl", b"[" * 100_000 + b"\n{}\n")

    assert found == [(2, {})]
    assert skipped == {"broken": 1}


def test_a_gzipped_file_is_read_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl.gz"
    path.write_bytes(gzip.compress(b'{"a": 1}\n'))

    assert list(transcript.json_lines(str(path), Counter())) == [(1, {"a": 1})]


def test_a_directory_and_a_missing_file_are_told_apart(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="is a directory"):
        list(transcript.json_lines(str(tmp_path), Counter()))
    with pytest.raises(StorageError, match="No such file"):
        list(transcript.json_lines(str(tmp_path / "none.jsonl"), Counter()))
