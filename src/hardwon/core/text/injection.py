"""The injection check: text that reads like an instruction to a model waits for a person.

A lesson says what to do with tools; it never speaks to the model about its instructions, its
prompt or its user, never closes a fence, and never names a download-and-run command.

Three kinds of signs, all checked in linear time: words in order within a short span, pairs whose
second part follows the first on the same line, and plain patterns.
"""

from __future__ import annotations

import re
from binascii import Error as NotBase64
from binascii import a2b_base64
from collections.abc import Sequence
from functools import cache, lru_cache
from itertools import chain
from typing import TYPE_CHECKING, TypeVar

from hardwon.core.text.addressing import hides_in_code, speaks_to_model
from hardwon.core.text.frames import imitates_frame
from hardwon.core.text.injection_patterns import PAIRS, PATTERNS, PHRASES, Pattern, Phrase, WordPair

if TYPE_CHECKING:
    Sign = TypeVar("Sign", WordPair, Pattern)

_READ = 12_000  # characters checked; lessons are far shorter


_HIDDEN = (
    "[\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f\ufff9-\ufffb\U000e0100-\U000e01ef\ufe00-\ufe0e]"
    "|\ufe0f{2}"
)
_JOINED = "(?<=[a-zA-Z ])[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]+(?=[a-zA-Z ])"
_LOOKALIKES = str.maketrans(
    "асеорхуіјѕһԁԛԝкмнтвгαοενρτυικ0134578@$!ı", "aceopxyijshdqwkmhtbraoevptuikoieastbasii"
)
_ROT13 = str.maketrans("abcdefghijklmnopqrstuvwxyz", "nopqrstuvwxyzabcdefghijklm")
_ROTATED = ("vafgehpg", "flfgrz", "cerivbhf", "vtaber", "sbetrg", "ehyrf")
_FIGURE = "013457@$!"  # one of them is in each match of the next pattern
_FIGURES = rf"[a-zA-Z][{_FIGURE}][a-zA-Z]|\b[01345][a-z]{{2}}"
_APART = r"[ .*_|-]\w[ .*_|-]\w[ .*_|-]"  # the same for letters set apart
_SPACED = r"(?<!\w)(?:\w[ .*_|-]){4,80}\w(?!\w)"
_ENCODED = 24  # characters
_BASE64 = rf"(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{{{_ENCODED},8192}}+={{0,2}}"
_PLAIN_TOKEN = r"[a-z_][a-z_'’-]*(?:\.md)?|[:\"“'](?=\s|\w|$)"
_TOKEN = rf"https?://|[\w.+-]{{1,64}}@[\w-]{{1,64}}\.\w|{_PLAIN_TOKEN}"
_NEEDS = frozenset(word for sign in (*PAIRS, *PATTERNS) for word in sign.needs)
_RARE = "|$#[<>(=_:/.-0123456789zqxjk"  # characters that many texts do not have
_MARKS = ("@", ":", '"', "“", "'", "’", "http")  # a token other than a word contains one of these
_NAMES = {":": "<:>", '"': "<quote>", "“": "<quote>", "'": "<quote>"}


@lru_cache(maxsize=1024)  # a lesson is checked whenever it is written, and changes little
def suspicion(text: str) -> str:
    """Why this text must wait for a person; "" if it looks harmless."""
    text = text[:_READ]
    if not text.isascii() and re.search(_HIDDEN, text):
        return "holds hidden or direction-changing characters"
    plain = text if text.isascii() else re.sub(_JOINED, "", text)
    if reason := _in_whole(plain) or _in_forms(plain):
        return reason
    return "hides letters with invisible characters" if plain != text else ""


def _in_whole(plain: str) -> str:
    """The reason found in the text as a whole; "" if none."""
    if imitates_frame(plain):
        return "closes a fence or plays another role"
    if hides_in_code(plain):
        return "speaks to its reader from within a program"
    return ""


def _in_forms(plain: str) -> str:
    """The reason found in the text as it is, or decoded; "" if none."""
    flat = " ".join(plain.split())
    keywords = _keywords_in(flat)  # the same words as in `plain`: only blanks differ
    if reason := _read(plain, keywords) or (flat != plain and _sign(flat, keywords)):
        return reason
    reasons = (_read(form, _keywords_in(form)) for form in _disguises(plain, flat))
    return next(filter(None, reasons), "")


def _read(form: str, keywords: frozenset[str]) -> str:
    """The reason found in phrases, signs or wording; "" if none."""
    if reason := _phrase(_words(form.lower())) or _sign(form, keywords):
        return reason
    is_spoken = speaks_to_model(form)
    return "speaks to a model about itself rather than about the work" if is_spoken else ""


def _sign(form: str, keywords: frozenset[str]) -> str:
    return _pair(form, keywords) or _pattern(form, keywords)


def _words(lower: str) -> list[str]:
    has_address = "@" in lower or "://" in lower
    tokens: list[str] = re.findall(_TOKEN if has_address else _PLAIN_TOKEN, lower)
    return list(map(_word, tokens)) if any(map(lower.__contains__, _MARKS)) else tokens


def _phrase(words: list[str]) -> str:
    places: dict[str, list[int]] = {}
    for word in _beginnings().keys() & words:
        places[word] = [at for at, candidate in enumerate(words) if candidate == word]
    begun = {number for word in places for number in _beginnings()[word]}
    for phrase in (PHRASES[number] for number in sorted(begun)):
        starts = (at for word in _choice(phrase.words[0]) for at in places.get(word, ()))
        if any(_follows(words, at, phrase) for at in starts):
            return phrase.reason
    return ""


@cache
def _beginnings() -> dict[str, list[int]]:
    """For each first word, the phrases that begin with it."""
    numbers: dict[str, list[int]] = {}
    for number, phrase in enumerate(PHRASES):
        for word in _choice(phrase.words[0]):
            numbers.setdefault(word, []).append(number)
    return numbers


@cache
def _choice(words: str) -> frozenset[str]:
    return frozenset(words.split())


def _word(token: str) -> str:
    if token.startswith("http"):
        return "<url>"
    return "<email>" if "@" in token else _NAMES.get(token, token.replace("’", "'"))


def _follows(words: list[str], start: int, phrase: Phrase) -> bool:
    """Whether the other words of the phrase follow in order, within its span."""
    at, end = start, start + phrase.span
    for alternatives in phrase.words[1:]:
        choice = _choice(alternatives)
        at = next((i for i in range(at + 1, min(end, len(words))) if words[i] in choice), -1)
        if at < 0:
            return False
    return True


def _pair(text: str, keywords: frozenset[str]) -> str:
    possible = _possible(PAIRS, keywords)
    for line in text.splitlines() if possible else ():
        for pair in possible:
            start = re.search(f"(?i){pair.start}", line)
            if start and re.compile(f"(?i){pair.end}").search(line, start.end()):
                return pair.reason
    return ""


def _pattern(text: str, keywords: frozenset[str]) -> str:
    for pattern in _possible(PATTERNS, keywords):
        if re.search(f"(?i){pattern.sign}", text):
            return pattern.reason
    return ""


def _keywords_in(text: str) -> frozenset[str]:
    """The required words in the text; all of them beyond ASCII, where letters have more forms."""
    if not text.isascii():
        return _NEEDS
    lower = text.lower()
    possible = (words for rare, words in _needs_by_rare() if rare in lower)
    return frozenset(filter(lower.__contains__, chain.from_iterable(possible)))


@cache
def _needs_by_rare() -> tuple[tuple[str, list[str]], ...]:
    """The required words by a rare character in them, quick to search for, or by "" without one."""
    words: dict[str, list[str]] = {}
    for word in _NEEDS:
        rare = next((character for character in _RARE if character in word), "")
        words.setdefault(rare, []).append(word)
    return tuple(words.items())


def _possible(signs: Sequence[Sign], keywords: frozenset[str]) -> Sequence[Sign]:
    return [sign for sign in signs if not keywords.isdisjoint(sign.needs)] if keywords else []


def _disguises(text: str, flat: str) -> list[str]:
    """The text without disguises such as look-alike letters; `flat` is it on one line."""
    forms = []
    if not text.isascii() or (any(map(text.__contains__, _FIGURE)) and re.search(_FIGURES, text)):
        forms.append(_compatible(flat).lower().translate(_LOOKALIKES))
    if re.search(_APART, flat) and re.search(_SPACED, flat):
        forms.append(re.sub(_SPACED, lambda match: re.sub(r"[ .*_|-]", "", match[0]), flat))
    lower = flat.lower()
    if any(map(lower.__contains__, _ROTATED)):
        forms.append(lower.translate(_ROT13))
    long = " ".join([word for word in flat.split(" ") if len(word) >= _ENCODED])
    return forms + [plain for encoded in re.findall(_BASE64, long) if (plain := _decode(encoded))]


def _compatible(text: str) -> str:
    import unicodedata  # over a megabyte; plain text never needs it

    return unicodedata.normalize("NFKC", text)


def _decode(encoded: str) -> str:
    try:
        plain = a2b_base64(encoded + "=" * (-len(encoded) % 4)).decode("utf-8")
    except (NotBase64, UnicodeDecodeError):
        return ""
    return plain if plain.isprintable() and " " in plain else ""
