"""Split texts into word pieces of BERT's uncased vocabulary."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_PIECE = re.compile(r"[^\W_]+|[^\s\w]|_")
_LONGEST = 40  # characters; no piece of the vocabulary is longer
_REMEMBERED = 50_000  # words


class WordPiece:
    """Splits texts into the longest pieces that the vocabulary has."""

    def __init__(self, vocabulary: Iterable[str], *, limit: int) -> None:
        self._numbers = {piece: number for number, piece in enumerate(vocabulary)}
        self._unknown = self._numbers["[UNK]"]
        self._first, self._last = self._numbers["[CLS]"], self._numbers["[SEP]"]
        self._limit = limit
        self._cache: dict[str, list[int]] = {}

    def numbers(self, text: str) -> list[int]:
        """The numbers of a text's pieces between its two marks, at most `limit` with them."""
        pieces = [self._first]
        for word in _PIECE.findall(_folded(text)):
            pieces += self._pieces(word)
            if len(pieces) >= self._limit:
                break
        return [*pieces[: self._limit - 1], self._last]

    def _pieces(self, word: str) -> list[int]:
        pieces = self._cache.get(word)
        if pieces is None:
            pieces = self._split(word)
            if len(self._cache) < _REMEMBERED:
                self._cache[word] = pieces
        return pieces

    def _split(self, word: str) -> list[int]:
        """The longest pieces first; a word that cannot be split is unknown as a whole."""
        pieces: list[int] = []
        start = 0
        while start < len(word):
            end = min(len(word), start + _LONGEST)
            mark = "##" if start else ""
            while end > start and mark + word[start:end] not in self._numbers:
                end -= 1
            if end == start:
                return [self._unknown]
            pieces.append(self._numbers[mark + word[start:end]])
            start = end
        return pieces


def _folded(text: str) -> str:
    """Lower case, without accents."""
    text = text.lower()
    if text.isascii():
        return text
    parts = unicodedata.normalize("NFD", text)
    return "".join(letter for letter in parts if unicodedata.category(letter) != "Mn")
