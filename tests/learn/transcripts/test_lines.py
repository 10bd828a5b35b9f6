from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.core.errors import InvalidInput, StorageError
from hardwon.learn.transcripts import transcript

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=8,
)


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


def test_a_line_longer_than_the_limit_keeps_both_ends_of_its_strings(tmp_path: Path) -> None:
    output = "start " + 'é\\n" 😀 ' * 900_000 + " Error: the end"
    raw = json.dumps({"id": "7", "output": output, "after": [1, 2]}).encode()

    found, skipped = _read(tmp_path / "t.jsonl", raw + b'\n{"next": true}\n')

    assert [number for number, _ in found] == [1, 2]
    record = found[0][1]
    assert (record["id"], record["after"]) == ("7", [1, 2])
    assert record["output"].startswith("start ")
    assert record["output"].endswith("Error: the end")
    assert len(record["output"]) < 3 * transcript.STRING_KEPT
    assert not skipped


def test_a_line_of_endless_small_values_is_left_out_not_kept_in_memory(tmp_path: Path) -> None:
    raw = b"[" + b'"ab",' * 4_000_000 + b"1]\n"

    found, _ = _read(tmp_path / "t.jsonl", raw + b'{"next": true}\n')

    assert found == [(2, {"next": True})]


def test_depth_without_end_does_not_break_the_reader(tmp_path: Path) -> None:
    found, skipped = _read(tmp_path / "t.jsonl", b"[" * 100_000 + b"\n{}\n")

    assert found == [(2, {})]
    assert skipped == {"broken": 1}


@given(value=VALUES, cuts=st.lists(st.integers(1, 40), max_size=12))
def test_shortening_in_pieces_changes_no_short_json(value: Any, cuts: list[int]) -> None:
    raw = json.dumps(value, ensure_ascii=False).encode()
    kept = transcript.Shortener()

    rest = raw
    for cut in cuts:
        kept.feed(rest[:cut])
        rest = rest[cut:]
    kept.feed(rest)

    assert json.loads(kept.text()) == value


@given(
    words=st.lists(st.text(min_size=1, max_size=30), min_size=1, max_size=5),
    piece=st.integers(9_000, 70_000),
)
def test_a_shortened_string_is_always_valid_json(words: list[str], piece: int) -> None:
    long = " ".join(words) * (1 + 300_000 // len(" ".join(words)))
    raw = json.dumps([long, "tail"]).encode()
    kept = transcript.Shortener()

    for start in range(0, len(raw), piece):
        kept.feed(raw[start : start + piece])
    found = json.loads(kept.text())

    assert found[1] == "tail"
    assert len(found[0]) <= 2 * transcript.STRING_KEPT


def test_a_gzipped_file_is_read_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl.gz"
    path.write_bytes(gzip.compress(b'{"a": 1}\n'))

    assert list(transcript.json_lines(str(path), Counter())) == [(1, {"a": 1})]


def test_a_directory_and_a_missing_file_are_told_apart(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="is a directory"):
        list(transcript.json_lines(str(tmp_path), Counter()))
    with pytest.raises(StorageError, match="No such file"):
        list(transcript.json_lines(str(tmp_path / "none.jsonl"), Counter()))
