"""The signature of a failure: a name that is the same in every run with that failure.

Parts that change from run to run become placeholders: `<path>`, `<n>`, `<hex>`, `<id>`, `<time>`,
`<url>`, `<ip>`, `<email>`, `<str>`. Parts that identify the failure stay: words, error codes
(`E0425`, `TS2304`, `HTTP 404`, `Errno 2`), package names (`@types/node`, `github.com/pkg/errors`)
and quoted names.

A quoted value stays, with its digits folded, when it is a bare name of at most 40 characters:
letters, digits and `_ . -`, perhaps led by dashes (`'numpy'`, `'a.b.c'`, `'--no-color'`, and
`'boto3'` as `'boto<n>'`), or when it is one or two signs (`'('`). A quoted path, number, id or
address becomes its own placeholder; any other quoted text becomes `<str>`.
"""

from __future__ import annotations

import re
from functools import lru_cache
from hashlib import blake2b
from typing import NamedTuple

from hardwon.knowledge.reading.error_line import ANSI, error_line

_LONGEST = 200
_LINE = 4_096
_PASSES = 8


class Signature(NamedTuple):
    """The name of a failure: `digest` to look it up, `text` to read."""

    digest: str
    text: str


@lru_cache(maxsize=128)  # the same step is named several times
def signature(tool: str, error: str) -> Signature:
    """The signature of a tool's error output; the same in every run that fails the same way."""
    return line_signature(tool, error_line(error))


def line_signature(tool: str, line: str) -> Signature:
    """The signature of a failure whose error line is known."""
    text = f"{fold(tool).lower() or 'tool'}: {fold(line[:_LINE]) or '<no output>'}"
    text = text[:_LONGEST].rstrip()
    return Signature(blake2b(text.encode(), digest_size=8).hexdigest(), text)


# Patterns are kept as text: `re` compiles and caches them on first use, so an import stays cheap.
# Linear: every repetition is possessive (`++`, `*+`) or bounded.

_CONTROL = r"[\x00-\x08\x0e-\x1f\x7f-\x9f\u200b\ufeff]"

_AMOUNT = r"\d{1,9}(?:\.\d{1,9})?"
_UNIT = r"(?:ns|[uµμ]s|ms|s|m|h|d)"
_LONG_UNIT = r" ?(?:nano|micro|milli)?(?:sec(?:ond)?s?|min(?:ute)?s?|hours?|hrs?|days?)\b"
_ZONE = r"(?:Z|[ ]?[+-]\d\d:?\d\d\b)?"
_CLOCK = rf"\d{{1,2}}:\d\d(?::\d\d)?(?:[.,]\d{{1,9}})?(?: ?[AP]M\b)?{_ZONE}"
_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}"
_WEEKDAY = r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]{0,6},? "
_TIME = "|".join(
    (
        rf"\d{{4}}[-/]\d\d[-/]\d\d(?!\d)(?:[T _,]{{1,2}}{_CLOCK})?",
        rf"(?:{_WEEKDAY})?(?:{_MONTH} \d{{1,2}}|\d{{1,2}}[ /-]{_MONTH})(?!\d)"
        r"(?:,?[ /-]\d{4}\b)?"
        rf"(?:[ :]{_CLOCK}(?: (?:[A-Z]{{3,4}} )?\d{{4}}\b)?)?",
        r"\d{1,2}/\d{1,2}/\d{4}(?!\d)",
        r"\d{1,2}:\d\d:\d\d(?:[.,]\d{1,9})?(?!\w)",
        rf"(?:{_AMOUNT}{_UNIT}){{1,4}}(?![^\W_])",
        rf"{_AMOUNT}{_LONG_UNIT}",
    )
)
_POSITION = r"(?::\d++){0,2}(?:\(\d{1,9}(?:,\d{1,9})?\))?"  # file:line:column, file(line,column)
_HEX4 = r"[0-9a-fA-F]{1,4}"
_CODED = r"(?i:http(?:/[\d.]{1,3})?|errno|(?:status|error|exit)(?:[ _]?code)?|code|signal)"

# Plain words before another word. They stay as they are, and most of a line consists of them. The
# words left out may begin something else: `exit code 1`.
PLAIN = r"(?P<plain>(?<![a-z])(?:(?!tmp|error|exit|status)[a-z]++ (?=[a-z]))+)"
_VOLATILE = "|".join(
    (
        PLAIN,
        r"(?P<placeholder><(?:path|n|hex|id|time|url|ip|email|str)>)",
        r"(?P<url>(?<![\w+.-])[A-Za-z][A-Za-z0-9+.-]{0,20}+://[^\s'\"`<>()\[\]{},;]*+)",
        r"(?P<email>(?<![\w.+-])[\w.+-]++@[\w-]++(?:\.[\w-]++)+)",
        r"(?P<id>(?<![\w-])[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}(?![\w-])"
        r"|(?<!\w)tmp\.?[A-Za-z0-9_]{8}(?![\w.]))",
        rf"(?P<time>(?<![\w.])(?:{_TIME}))",
        r"(?P<ip>(?<![\w.:])(?:\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?(?![\w.])"
        rf"|\[?(?:{_HEX4}:){{2,7}}(?::?{_HEX4})(?![\w:])\]?(?::\d{{1,5}}(?!\w))?))",
        rf"(?P<code>(?<![^\W_]){_CODED}[ :=(]{{1,3}}\d{{1,5}}(?![\w.:]))",
        r"(?P<package>(?<![\w.@/-])(?:@[a-z][\w.-]{0,60}+/[a-z][\w.-]{0,60}+(?![/\w])"
        r"|[a-z][\w-]{0,40}+(?:\.[a-z][\w-]{0,40}+)?\.(?:com|org|net|io|in|dev)"
        r"/[A-Za-z][\w./-]{0,100}+))",
        rf"(?P<path>(?<!\w)[A-Za-z]:[\\/][^\s'\"`<>|,;:()\[\]]*+{_POSITION}"
        rf"|(?<![\w.~@%+$/)<-])[\w.~@%+$-]*+/(?![\s>])[\w.~@%+$/=#-]*+{_POSITION})",
        r"(?P<quoted>(?<![\w\\])'[^'\\]*+(?:\\.[^'\\]*+)*'(?!\w)"
        r"|(?<![\w\\])\"[^\"\\]*+(?:\\.[^\"\\]*+)*\"|`[^`']*+[`'](?!\w)"
        r"|\u2018[^\u2018\u2019]*+\u2019|\u201c[^\u201c\u201d]*+\u201d)",
        r"(?P<n>(?<![\w.-])\d++(?:\.\d++)*(?![\w.:(-]))",
        rf"(?P<word>(?<![\w.-])[^\W\d]*+[\d.-][\w.-]*+{_POSITION})",
        r"(?P<rest>\d++(?:\.\d++)*)",
    )
)


@lru_cache(maxsize=1024)  # each step folds the errors of the steps before it again
def fold(text: str) -> str:
    """The text on one line with volatile parts as placeholders; folding again changes nothing."""
    valid = text.encode("utf-8", "replace").decode()  # a lone surrogate cannot be stored
    if not valid.isprintable():
        valid = re.sub(_CONTROL, " ", re.sub(ANSI, "", valid))
    folded = " ".join(valid.split())
    for _ in range(_PASSES):
        before, folded = folded, re.sub(_VOLATILE, _replacement, folded)
        if folded == before:
            return folded
    return "<str>"  # still changing: give up, so that the time stays linear


def _replacement(match: re.Match[str]) -> str:
    kind = match.lastgroup or "str"
    if kind in ("plain", "placeholder", "code"):
        return match.group()
    rewrite = _REWRITES.get(kind)
    return rewrite(match.group()) if rewrite else f"<{kind}>"


def _fold_numbers(text: str) -> str:
    return re.sub(r"\d++(?:\.\d++)*", "<n>", text)


def _fold_path(text: str) -> str:
    end = len(text.rstrip("."))  # a full stop ends the sentence, not the path
    return "<path>" + text[end:] if end else text


def _fold_quoted(text: str) -> str:
    """A quoted value, folded; a short name stays (see the module's docstring)."""
    inner = text[1:-1].strip()
    if 0 < len(inner) <= 300 and not re.search(r"['\"`]", inner):
        inner = fold(inner)
        if re.fullmatch(r"<\w+>", inner):
            return inner
        bare = re.sub(r"<(?:n|id)>", "0", inner)
        is_name = len(bare) <= 40 and re.fullmatch(r"-{0,2}@?[^\W\d][\w.-]*(?:/[\w.-]+)?", bare)
        if is_name or re.fullmatch(r"[^\w\s'\"`]{1,2}", inner):
            return f"'{inner}'"
    return "<str>"


_FILE_NAME = (
    r"\.?\w[\w.-]*\.(?:pyi?|[cm]?jsx?|[cm]?tsx?|jsonl?|ya?ml|toml|cfg|ini|conf|lock|md|rst|txt|log|csv|html?|css"
    r"|sql|sh|go|rs|java|class|jar|kt|rb|php|cs|c|h|cc|cpp|hpp|o|so|a|dll|exe|zip|gz|tar|whl|xml"
    r"|png|jpe?g|pdf|db|sqlite|ipynb|tmp|bak)"
)


def _fold_word(text: str) -> str:
    """A word with digits, folded: as a file name, number, id or error code, or only its digits."""
    word = re.split(r"[:(]", text, maxsplit=1)[0].rstrip(".-")
    suffix = text[len(word) :]
    if re.fullmatch(_FILE_NAME, word):
        return "<path>" + ("." if suffix.endswith(".") else "")
    return _fold_name(word) + _fold_numbers(suffix)


def _fold_name(word: str) -> str:
    if re.fullmatch(r"0[xX][0-9a-fA-F]+|[0-9a-fA-F]{7,}", word) and not word.isdigit():
        return "<hex>" if re.search(r"\d", word) else word
    if re.fullmatch(r"[A-Z]{1,5}-?\d{3,5}", word):
        return word
    parts = re.split(r"([-_.])", word)
    tail = next((at for at, part in enumerate(parts) if _is_random(part)), len(parts))
    return _fold_numbers("".join(parts[:tail])) + ("<id>" if tail < len(parts) else "")


def _is_random(part: str) -> bool:
    """Whether letters and digits alternate as in `7d9c5b6f4`, unlike `sha256sum`."""
    return len(part) >= 8 and len(re.findall(r"\d++|[^\W\d]++", part)) >= 4


_REWRITES = {
    "package": _fold_numbers,
    "path": _fold_path,
    "quoted": _fold_quoted,
    "word": _fold_word,
    "rest": _fold_numbers,
}
