"""Texts become vectors: with the model that comes along, or by an endpoint."""

from __future__ import annotations

import json
import sys
from datetime import timedelta
from math import hypot
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.core.errors import (
    InvalidInput,
    MissingExtra,
    PermanentError,
    SetupError,
    TransientError,
)
from hardwon.models.embeddings import ensure, open_embedder
from hardwon.models.minilm import MiniLM, WordPiece
from hardwon.storage.ports import Embedder
from tests.models.server import Part, playing, silent

GOLDEN = json.loads(Path(__file__).with_name("golden-vectors.json").read_text(encoding="utf-8"))
MARKS = ("[UNK]", "[CLS]", "[SEP]")
PIECES = (*MARKS, *"abcdefghij_.", *(f"##{letter}" for letter in "abcdefghij"), "abc", "##def")
SECRET = "ghp_" + "a1B2" * 9


@pytest.fixture(scope="module")
def minilm(weights: None) -> MiniLM:
    return MiniLM()


def test_weights_that_are_missing_are_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("hardwon.models.minilm.WEIGHTS", str(tmp_path / "minilm.npz"))

    with pytest.raises(SetupError, match=r"minilm\.npz.*install hardwon-minilm again"):
        MiniLM().embed(["a text"])


def words() -> WordPiece:
    return WordPiece(PIECES, limit=16)


def in_pieces(text: str) -> list[str]:
    return [PIECES[number] for number in words().numbers(text)]


def endpoint(address: str, timeout: float = 5) -> Embedder:
    return open_embedder(
        f"openai:e5@{address}/v1", key="sk-test", timeout=timedelta(seconds=timeout)
    )


def answer(*vectors: list[float], order: tuple[int, ...] = ()) -> Part:
    numbered = zip(order or range(len(vectors)), vectors, strict=True)
    rows = [{"index": at, "embedding": vector} for at, vector in numbered]
    return Part(body=json.dumps({"data": rows, "usage": {"prompt_tokens": 5}}).encode())


@pytest.mark.parametrize("golden", GOLDEN, ids=lambda one: one["text"][:20])
def test_vectors_are_those_of_the_reference(minilm: MiniLM, golden: dict[str, Any]) -> None:
    (vector,) = minilm.embed([golden["text"]])

    cosine = sum(a * b for a, b in zip(vector, golden["vector"], strict=True))
    assert cosine == pytest.approx(1, abs=1e-3)
    assert minilm._model.words.numbers(golden["text"]) == golden["pieces"]


def test_a_text_has_the_same_vector_alone_and_among_others(minilm: MiniLM) -> None:
    texts = ["", "short", "a somewhat longer text about deadlocks in worker threads", "日本語"] * 5

    together = minilm.embed(texts)

    for text, vector in zip(texts[:4], together, strict=False):
        assert minilm.embed([text])[0] == pytest.approx(vector, abs=1e-4)
        assert hypot(*vector) == pytest.approx(1, abs=1e-4)
    assert minilm.embed([]) == []


def test_other_words_for_the_same_are_nearer_than_another_matter(minilm: MiniLM) -> None:
    one, same, other = minilm.embed(
        ["the disk is full", "no space left on device", "translate the menu into Danish"]
    )

    def cosine(vector: list[float]) -> float:
        return sum(a * b for a, b in zip(one, vector, strict=True))

    assert cosine(same) > 0.3 > cosine(other)


def test_a_word_becomes_its_longest_pieces() -> None:
    assert in_pieces("abcdef") == ["[CLS]", "abc", "##def", "[SEP]"]
    assert in_pieces("abca ABC.") == ["[CLS]", "abc", "##a", "abc", ".", "[SEP]"]
    assert in_pieces("a_b") == ["[CLS]", "a", "_", "b", "[SEP]"]
    assert in_pieces("äbc xyz") == ["[CLS]", "abc", "[UNK]", "[SEP]"]


@given(st.text())
def test_every_text_has_pieces_between_its_marks(text: str) -> None:
    pieces = in_pieces(text)

    assert pieces[0] == "[CLS]"
    assert pieces[-1] == "[SEP]"
    assert 2 <= len(pieces) <= 16
    assert "[CLS]" not in pieces[1:]


@given(st.text(alphabet="abcdefghij", min_size=1, max_size=12))
def test_the_pieces_of_a_known_word_spell_it(word: str) -> None:
    assert "".join(piece.removeprefix("##") for piece in in_pieces(word)[1:-1]) == word


def test_an_endpoint_gives_unit_vectors_in_the_order_of_the_texts() -> None:
    with playing(answer([0, 3], [4, 0], order=(1, 0))) as stage:
        vectors = endpoint(stage.address).embed(["first", f"second {SECRET}"])

    assert vectors == [[1, 0], [0, 1]]
    (asked,) = stage.asked
    assert asked["path"] == "/v1/embeddings"
    assert asked["body"]["model"] == "e5"
    assert asked["body"]["input"][0] == "first"
    assert SECRET not in json.dumps(asked["body"])
    assert {key.lower(): value for key, value in asked["headers"].items()}[
        "authorization"
    ] == "Bearer sk-test"


@pytest.mark.parametrize(
    "part",
    [
        answer([1.0]),
        answer([1.0], [1.0, 2.0]),
        answer([1.0, 0.0], [0.0, 0.0]),
        answer([1.0, 0.0], [float("nan"), 1.0]),
        answer([1.0], [1.0], order=(0, 0)),
        Part(body=b'{"data": "none"}'),
        Part(body=b"{}"),
        Part(body=b"[]"),
        Part(status=401, body=b"{}"),
    ],
)
def test_an_endpoint_that_answers_nonsense_is_not_asked_again(part: Part) -> None:
    with playing(part) as stage, pytest.raises(PermanentError):
        endpoint(stage.address).embed(["one", "two"])


@pytest.mark.parametrize("part", [Part(status=503), Part(act=silent)], ids=["busy", "silent"])
def test_an_endpoint_that_is_busy_may_be_asked_later(part: Part) -> None:
    with playing(part) as stage, pytest.raises(TransientError):
        endpoint(stage.address, timeout=0.2).embed(["one"])


@pytest.mark.parametrize("name", ["mini", "anthropic:x", "openai:", "openai", "minilm:x"])
def test_a_name_no_embedder_has_is_refused(name: str) -> None:
    with pytest.raises(InvalidInput, match="minilm"):
        ensure(name)


@pytest.mark.parametrize(
    ("package", "name", "extra"),
    [
        ("numpy", "minilm", "vectors"),
        ("hardwon_minilm", "minilm", "vectors"),
        ("numpy", "openai:x", "vectors"),
        ("httpx2", "openai:x", "models"),
    ],
)
def test_a_missing_package_names_its_extra(
    package: str, name: str, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)

    with pytest.raises(MissingExtra, match=rf"hardwon\[{extra}\]"):
        ensure(name)
