"""all-MiniLM-L6-v2 on numpy alone; the package `hardwon-minilm` brings weights and vocabulary.

The weights are int8 with a scale for each row; the cosine to the original's vectors is at least
0.998. A short text takes about ten milliseconds on one core; the first one also reads the weights.
"""

from __future__ import annotations

import ctypes
import os
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from glob import glob
from typing import Any, NamedTuple

from hardwon.core._fork import ForkLock
from hardwon.core.errors import MissingExtra, SetupError

try:
    import numpy as np
    from hardwon_minilm import WEIGHTS
    from numpy.typing import NDArray
except ImportError as error:
    raise MissingExtra("vectors") from error

Floats = NDArray[np.float32]

_LAYERS, _HEADS, _WIDTH = 6, 12, 384
_PIECES = 256  # word pieces per text; more are ignored
_BATCH = 16
_PIECE = re.compile(r"[^\W_]+|[^\s\w]|_")
_LONGEST = 40  # characters; no piece of the vocabulary is longer
_REMEMBERED = 50_000  # words
# Where numpy's packages for Linux and macOS keep OpenBLAS, and the names of its functions.
_LIBRARIES = ("../numpy.libs", ".dylibs")
_FUNCTIONS = ("scipy_openblas_{}_num_threads64_", "scipy_openblas_{}_num_threads")


class MiniLM:
    """The embedder that needs neither network nor key."""

    name = "minilm"

    def __init__(self) -> None:
        self._lock = ForkLock()

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """One unit vector per text. The first call reads the weights."""
        with self._lock:
            model = self._model
            pieces = [model.words.numbers(text) for text in texts]
        vectors = np.empty((len(pieces), _WIDTH), np.float32)
        with one_thread():
            # Texts of similar length, so that little is padded.
            order = sorted(range(len(pieces)), key=lambda at: len(pieces[at]))
            for batch in (order[at : at + _BATCH] for at in range(0, len(order), _BATCH)):
                vectors[batch] = model.means([pieces[at] for at in batch])
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        rows: list[list[float]] = vectors.tolist()
        return rows

    @cached_property
    def _model(self) -> Encoder:
        try:
            with np.load(WEIGHTS) as weights:
                return Encoder(weights)
        except FileNotFoundError as error:
            raise SetupError(f"{WEIGHTS} is missing; install hardwon-minilm again") from error


class Encoder:
    """The transformer: numbers of word pieces in, one mean vector per text out."""

    def __init__(self, weights: Mapping[str, Any]) -> None:
        vocabulary = bytes(weights["vocab"]).decode().split("\n")
        self.words = WordPiece(vocabulary, limit=_PIECES)
        self._pieces, self._scales = weights["we.q"], weights["we.s"]
        self._places = weights["pe"].astype(np.float32)
        self._norm = Norm(weights["eg"], weights["eb"])
        self._layers = [Layer(weights, number) for number in range(_LAYERS)]

    def means(self, texts: Sequence[Sequence[int]]) -> Floats:
        """The mean over the pieces of each text."""
        longest = max(map(len, texts))
        numbers = np.zeros((len(texts), longest), np.int64)
        mask = np.zeros((len(texts), longest), np.float32)
        for row, pieces in enumerate(texts):
            numbers[row, : len(pieces)] = pieces
            mask[row, : len(pieces)] = 1
        hidden = self._pieces[numbers] * self._scales[numbers][..., None]
        hidden = self._norm(hidden + self._places[:longest])
        hide = None if mask.all() else (mask[:, None, None, :] - 1) * 1e9
        for layer in self._layers:
            hidden = layer(hidden, hide)
        means: Floats = (hidden * mask[:, :, None]).sum(1) / mask.sum(1)[:, None]
        return means


class Norm(NamedTuple):
    """Layer normalisation."""

    gain: Floats
    shift: Floats

    def __call__(self, values: Floats) -> Floats:
        values = values - values.mean(-1, keepdims=True)
        variance = np.einsum("...i,...i->...", values, values)[..., None] / values.shape[-1]
        values *= 1 / np.sqrt(variance + 1e-12)
        values *= self.gain
        values += self.shift
        return values


class Dense(NamedTuple):
    """A matrix and a bias."""

    matrix: Floats
    shift: Floats

    def __call__(self, values: Floats) -> Floats:
        output: Floats = values @ self.matrix
        output += self.shift
        return output


class Layer:
    """Self-attention, then the feed-forward part, each with its norm."""

    def __init__(self, weights: Mapping[str, Any], number: int) -> None:
        prefix = f"{number}."
        projection = _dense(weights, f"{prefix}qkv")
        root = np.float32((_WIDTH / _HEADS) ** 0.5)
        projection.matrix[:, :_WIDTH] /= root  # once here instead of in every attention
        projection.shift[:_WIDTH] /= root
        self._projection = projection
        self._out = _dense(weights, f"{prefix}o")
        self._wide, self._narrow = _dense(weights, f"{prefix}i"), _dense(weights, f"{prefix}d")
        self._first = Norm(weights[f"{prefix}g1"], weights[f"{prefix}b1"])
        self._second = Norm(weights[f"{prefix}g2"], weights[f"{prefix}b2"])

    def __call__(self, hidden: Floats, hide: Floats | None) -> Floats:
        texts, pieces, _ = hidden.shape
        rows = hidden.reshape(texts * pieces, _WIDTH)
        attended = self._attention(rows, texts, pieces, hide)
        rows = self._first(self._out(attended) + rows)
        rows = self._second(self._narrow(_gelu(self._wide(rows))) + rows)
        return rows.reshape(texts, pieces, _WIDTH)

    def _attention(self, rows: Floats, texts: int, pieces: int, hide: Floats | None) -> Floats:
        parts = self._projection(rows).reshape(texts, pieces, 3, _HEADS, _WIDTH // _HEADS)
        query, key, value = parts.transpose(2, 0, 3, 1, 4)
        weights = query @ key.transpose(0, 1, 3, 2)
        if hide is not None:
            weights += hide
        weights -= weights.max(-1, keepdims=True)
        np.exp(weights, out=weights)
        weights /= weights.sum(-1, keepdims=True)
        attended: Floats = (weights @ value).transpose(0, 2, 1, 3).reshape(rows.shape)
        return attended


def _dense(weights: Mapping[str, Any], name: str) -> Dense:
    rows = weights[f"{name}.q"] * weights[f"{name}.s"][:, None]
    matrix = np.ascontiguousarray(rows.T.astype(np.float32))
    return Dense(matrix, weights[f"{name}b"].copy())


def _gelu(values: Floats) -> Floats:
    """The GELU activation, with tanh; in place, since it takes half of all time."""
    output = values * values
    output *= values
    output *= 0.044715
    output += values
    output *= 0.7978845608
    np.tanh(output, out=output)
    output += 1
    output *= values
    output *= 0.5
    return output


class WordPiece:
    """Splits texts into the longest pieces that BERT's uncased vocabulary has."""

    def __init__(self, vocabulary: Iterable[str], *, limit: int) -> None:
        self._numbers = {piece: number for number, piece in enumerate(vocabulary)}
        self._unknown = self._numbers["[UNK]"]
        self._first, self._last = self._numbers["[CLS]"], self._numbers["[SEP]"]
        self._limit = limit
        self._cache: dict[str, list[int]] = {}

    def numbers(self, text: str) -> list[int]:
        """The numbers of a text's pieces between its two marks, at most `limit` with them."""
        pieces = [self._first]
        text = text.lower()
        if not text.isascii():  # without accents
            parts = unicodedata.normalize("NFD", text)
            text = "".join(letter for letter in parts if unicodedata.category(letter) != "Mn")
        for word in _PIECE.findall(text):
            pieces += self._pieces(word)
            if len(pieces) >= self._limit:
                break
        return [*pieces[: self._limit - 1], self._last]

    def _pieces(self, word: str) -> list[int]:
        """The longest pieces first; a word that cannot be split is unknown as a whole."""
        if word in self._cache:
            return self._cache[word]
        pieces: list[int] = []
        start = 0
        while start < len(word):
            end = min(len(word), start + _LONGEST)
            mark = "##" if start else ""
            while end > start and mark + word[start:end] not in self._numbers:
                end -= 1
            if end == start:
                pieces = [self._unknown]
                break
            pieces.append(self._numbers[mark + word[start:end]])
            start = end
        if len(self._cache) < _REMEMBERED:
            self._cache[word] = pieces
        return pieces


@contextmanager
def one_thread() -> Iterator[None]:
    """In the block numpy uses one thread, if that can be set.

    OpenBLAS uses all cores for every product. For a text of a few words that costs more than it
    saves, and on a busy machine its threads wait for each other: that took five times as long.
    """
    if _CONTROL is None:
        yield
        return
    get, put = _CONTROL
    before = get()
    put(1)
    try:
        yield
    finally:
        put(before)


def _control() -> tuple[Callable[[], int], Callable[[int], object]] | None:
    """Functions that get and set the number of threads; None without OpenBLAS."""
    home = os.path.dirname(np.__file__)
    for place in _LIBRARIES:
        for path in glob(os.path.join(home, place, "*openblas*")):
            library = ctypes.CDLL(path)
            for name in _FUNCTIONS:
                if hasattr(library, name.format("get")):
                    get, put = (getattr(library, name.format(verb)) for verb in ("get", "set"))
                    return get, put
    return None


_CONTROL = _control()
