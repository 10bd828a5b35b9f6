"""S31: every regular expression of the source against texts made to slow it down.

The patterns are read off the source: the first argument of every call of `re`, evaluated in its
module; where that is a name of the moment, all texts of the module that can be patterns. For each
repeat in a pattern texts are made that enter it and go on for long. A pattern is bad whose time
grows with the square of the length: by processor time of this thread, the least of several
measurements, so that work beside it does not count.
"""

from __future__ import annotations

import ast
import itertools
import random
import re
import signal
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial
from importlib import import_module
from pathlib import Path
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

import hardwon

ROOT = Path(hardwon.__file__).parent
_WAYS = {"search", "match", "fullmatch", "findall", "finditer", "sub", "subn", "split", "compile"}
_ANCHORED = {"match", "fullmatch"}
_ROOM = 4  # levels of tables in tables
_LONG = 30  # repeats from which on a repeat counts as endless
_PARTS = 40  # repeats of one pattern that texts are made for
_SIZES = (1000, 4000, 16_000)  # characters
_NOTICED = 0.0001  # seconds for the shortest; most linear patterns take less
_GROWTH, _SECONDS = 9.0, 0.03  # from the second text to the third: bad from here on
_LIMIT = 1.0  # seconds for one text
_AGAIN = 5  # measurements of a pattern that looks slow
_CHARACTERS = "aA0 _-./:=\"'\\<>()[]{}#,;@|`\n\t%$~*+!?&^x9"
_LETTERS = "bcdefghijklmnopqrstuvwyzBCDEFGHIJKLMNOPQRSTUVWXYZ12345678"

Made = Callable[[int], str]


def s31(folder: Path, n: int, chance: random.Random, mutant: str) -> tuple[int, int]:
    """`n` patterns, or all there are; bad: those whose time is not linear."""
    warnings.simplefilter("ignore", FutureWarning)  # texts that are no patterns are tried, too
    found = patterns()
    chosen = chance.sample(list(found), min(n, len(found)))
    bad = [pattern for pattern in chosen if is_slow(pattern, found[pattern])]
    for pattern in bad:
        print(f"not linear: {pattern!r}", file=sys.stderr)
    return len(chosen), len(bad)


def patterns() -> dict[str, set[str]]:
    """Every pattern of the source, and the functions that it is given to."""
    found: dict[str, set[str]] = {}
    for path in sorted(ROOT.rglob("*.py")):
        name = ".".join(("hardwon", *path.relative_to(ROOT).with_suffix("").parts))
        if name.endswith("__main__"):
            continue
        with suppress(ImportError):  # an optional framework is not here
            module = vars(import_module(name.removesuffix(".__init__")))
            for pattern, way in _of_module(ast.parse(path.read_text(encoding="utf-8")), module):
                found.setdefault(pattern, set()).add(way)
    return found


def _of_module(tree: ast.Module, names: dict[str, Any]) -> Iterator[tuple[str, str]]:
    loose: set[str] = set()  # functions that are given a pattern by a name of the moment
    known: set[str] = set()
    for call in ast.walk(tree):
        if not (isinstance(call, ast.Call) and call.args and _is_of_re(call.func)):
            continue
        assert isinstance(call.func, ast.Attribute)
        ways = _uses(tree, call) if call.func.attr == "compile" else {call.func.attr}
        texts = list(_values(call.args[0], names))
        known.update(texts)
        loose |= ways if not texts else set()
        yield from itertools.product(filter(_is_pattern, texts), ways)
    for text in set(_texts(list(names.values()))) - known if loose else ():
        if re.search(r"\\[wsdbSWDB]|\[|\(\?|[+*]|\{\d", text) and _is_pattern(text):
            yield from ((text, way) for way in loose)


def _is_of_re(function: ast.expr) -> bool:
    if not isinstance(function, ast.Attribute) or function.attr not in _WAYS:
        return False
    return isinstance(function.value, ast.Name) and function.value.id == "re"


def _uses(tree: ast.Module, compiled: ast.Call) -> set[str]:
    """The methods that a compiled pattern with a name is asked for; else it is searched for."""
    names = {
        target.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and node.value is compiled
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    asked = {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id in names
    }
    return asked & _WAYS or {"search"}


def _values(node: ast.expr, names: dict[str, Any]) -> Iterator[str]:
    """What an expression may be; parts of a text that only a call knows are a word."""
    if isinstance(node, ast.IfExp):
        yield from itertools.chain(_values(node.body, names), _values(node.orelse, names))
    elif isinstance(node, ast.JoinedStr):
        parts = [next(_values(part, names), "word") for part in node.values]
        yield "".join(parts)
    elif isinstance(node, ast.FormattedValue):
        yield from _values(node.value, names)
    else:
        with suppress(Exception):
            value = eval(compile(ast.Expression(node), "", "eval"), dict(names))
            yield from [value] if isinstance(value, str) else []


def _texts(values: Iterable[Any], depth: int = 0) -> Iterator[str]:
    """Every text in tables of texts."""
    for value in values if depth < _ROOM else ():
        if isinstance(value, str):
            yield value
        elif isinstance(value, re.Pattern):
            yield from [value.pattern] if isinstance(value.pattern, str) else []
        elif isinstance(value, tuple | list | frozenset):
            yield from _texts(value, depth + 1)
        elif isinstance(value, dict) and "__builtins__" not in value:
            yield from _texts((*value, *value.values()), depth + 1)


def _is_pattern(text: str) -> bool:
    try:
        return bool(re.compile(text))
    except (re.error, RecursionError, OverflowError):
        return False


def is_slow(text: str, ways: set[str]) -> bool:
    """Whether the time of a pattern grows faster than a text that is made for it."""
    pattern = re.compile(text)
    return any(
        _grows(pattern, ways, made) and _grows(pattern, ways, made, _AGAIN) for made in texts(text)
    )


def _grows(pattern: re.Pattern[str], ways: set[str], made: Made, times: int = 1) -> bool:
    """Whether the least time of each length grows by more than the lengths do."""

    def least(size: int) -> float:
        return min(_seconds(pattern, ways, made(size)) for _ in range(times))

    if least(_SIZES[0]) < _NOTICED:
        return False
    second, third = map(least, _SIZES[1:])
    return third >= _LIMIT or (third > _SECONDS and third / second > _GROWTH)


def _seconds(pattern: re.Pattern[str], ways: set[str], text: str) -> float:
    """The time to look for a pattern everywhere in a text that does not end as it should."""
    signal.signal(signal.SIGVTALRM, _too_late)
    signal.setitimer(signal.ITIMER_VIRTUAL, _LIMIT)
    began = time.thread_time()
    try:
        if ways <= _ANCHORED:
            pattern.match(text + "\0")
            pattern.fullmatch(text + "\0")
        else:
            for _ in pattern.finditer(text + "\0"):
                pass
    except TimeoutError:
        return _LIMIT
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return time.thread_time() - began


def _too_late(*_: object) -> None:
    raise TimeoutError


def texts(pattern: str) -> Iterator[Made]:
    """Texts of any length that enter each repeat of a pattern and stay in it."""
    repeats = list(dict.fromkeys(_repeats(parser.parse(pattern))))[:_PARTS]
    for before, body in repeats:
        yield partial(_led, before, body)
        yield from (partial(_led, "", text) for text in (before + body, before or "a"))
    bodies = list(dict.fromkeys(body for _, body in repeats))[:8]
    for one, other in itertools.permutations(bodies, 2):
        yield partial(_halves, one, other)
        yield partial(_led, "", one + other)
    usual = (one for one in _CHARACTERS if one in pattern or one in "a0 -")
    yield from (partial(_led, "", character) for character in usual)


def _led(before: str, body: str, size: int) -> str:
    """The body over and over, after a text that leads to it."""
    return before + body * (size // len(body))


def _halves(one: str, other: str, size: int) -> str:
    return _led("", one, size // 2) + _led("", other, size // 2)


def _repeats(items: Any, before: str = "") -> Iterator[tuple[str, str]]:
    """For each long repeat: a text that leads to it, and one that it repeats."""
    for operation, value in items:
        name = str(operation)
        if name.endswith("_REPEAT"):
            _, most, inner = value
            body = _example(inner) or "a"
            if int(most) > _LONG:
                yield before, body
            yield from _repeats(inner, before)
        for inner in _inside(name, value):
            yield from _repeats(inner, before)
        before += _example([(operation, value)])


def _inside(name: str, value: Any) -> list[Any]:
    """The parts of a group or of alternatives."""
    if name == "SUBPATTERN":
        return [value[-1]]
    if name in {"ASSERT", "ASSERT_NOT"}:
        return [value[1]]
    if name == "BRANCH":
        return list(value[1])
    return [value] if name == "ATOMIC_GROUP" else []


def _example(items: Any) -> str:
    """A short text that a part of a pattern matches."""
    return "".join(_example_of(str(operation), value) for operation, value in items)


def _example_of(name: str, value: Any) -> str:
    if name == "LITERAL":
        return chr(value)
    if name == "IN":
        return _member(value)
    if name.endswith("_REPEAT"):
        return _example(value[2]) * int(min(value[0], 4))
    if name in {"SUBPATTERN", "ATOMIC_GROUP", "BRANCH"}:
        return _example(_inside(name, value)[0])
    if name == "NOT_LITERAL":
        return "b" if value == ord("a") else "a"
    return "a" if name == "ANY" else ""


def _member(choices: Any) -> str:
    """A character of a class."""
    usual = (one for one in _CHARACTERS + _LETTERS if _holds(choices, ord(one)))
    named = (chr(value) for name, value in choices if str(name) == "LITERAL")
    return next(itertools.chain(usual, named), "a")


def _holds(choices: Any, code: int) -> bool:
    is_negated = is_in = False
    for name, value in choices:
        is_negated |= str(name) == "NEGATE"
        is_in |= str(name) == "LITERAL" and value == code
        is_in |= str(name) == "RANGE" and value[0] <= code <= value[1]
        is_in |= str(name) == "CATEGORY" and _is_of(str(value), chr(code))
    return is_in != is_negated


def _is_of(category: str, character: str) -> bool:
    is_word = character.isalnum() or character == "_"
    kinds = {"WORD": is_word, "DIGIT": character.isdigit(), "SPACE": character.isspace()}
    name = category.removeprefix("CATEGORY_")
    return not kinds[name[4:]] if name.startswith("NOT_") else kinds.get(name, False)
