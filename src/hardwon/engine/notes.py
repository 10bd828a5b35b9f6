"""What other machines note, kind by kind: only a record of its form is taken in."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import zip_longest
from typing import Any, NamedTuple

from hardwon.core.errors import InvalidInput
from hardwon.core.text.clean import one_line

WANTED, MET, RUN, JOB = "wanted", "step", "run", "job"  # kinds of notes
_OLDEST, _AHEAD = 366 * 86400.0, 300.0  # seconds: what comes may be so old, and so early
_LARGEST = 2**53  # of a number


class _Time:
    """The form of a time."""


class _Late(NamedTuple):
    """The form of what older builds did not note."""

    form: Any


class _Either(NamedTuple):
    """One form or another."""

    forms: tuple[Any, ...]


class _Packed(NamedTuple):
    """The form of a text that is JSON of a form."""

    form: Any


# What notes hold after their kind: types, `(…)` for a list of these, `[…]` for one of any length.
_SCOPE = (str, str, str | None)
_FAILURE = _Either((str | None, (str, str, str, _Late(str))))
_STEP = (str, str, str, bool, _Late(_FAILURE))
_SHOWN = (str, str, [str], int, [int], _Late(str))
_PAST = (str, [_STEP], [int], [str], str, int, [int])
_OUTCOME = (*_SCOPE, str, str)
_FORMS: dict[str, tuple[Any, ...]] = {
    "delivery": (
        *(str, *_SCOPE, str, str, _Packed([int]), _Packed([float]), int, int, _Time, str),
    ),
    "outcome": _OUTCOME,
    "settled": _OUTCOME,
    "failure": (_SCOPE, str, str, _Time),
    "unit": (_SCOPE, str, str, str, bool, float, _Time, int, str, int, float),
    "unit excluded": (_SCOPE, [str], _Time),
    "unit settled": (_SCOPE, str, str, str),
    "ended run": (
        *(_SCOPE, str, str, str, _Time, _Time, str, int, int, int),
        *(_Packed([str]), _Packed([_STEP]), _Packed([_SHOWN]), *([_Late(str)] * 3)),
    ),
    MET: (_SCOPE, _STEP, _PAST, [int]),
    RUN: (_SCOPE, str, [str]),
    JOB: (_SCOPE, str),
}


def believe(noted: object, now: float) -> object:
    """A time that another machine noted; one that cannot be right counts as `now`."""
    is_wrong = isinstance(noted, int | float) and not now - _OLDEST <= noted <= now + _AHEAD
    return now if is_wrong else noted


def check_record(record: Sequence[object], now: float) -> list[object]:
    """The record of another machine, with times that can be; InvalidInput if it is damaged.

    Sessions are checked where they are taken in.
    """
    kind, *values = record
    form = _FORMS.get(str(kind), ())
    try:
        is_damaged = bool(form) and not _fits(values, form)
    except (ValueError, RecursionError):
        is_damaged = True
    if is_damaged:
        raise InvalidInput(f"a damaged record: {one_line(repr(record), 200)}")
    pairs = zip_longest(values, form[: len(values)])
    dated = [kind, *(believe(one, now) if part is _Time else one for one, part in pairs)]
    match dated:
        case ["ended run", _, _, _, _, int() | float() as begun, int() | float() as ended, *_]:
            dated[5] = min(begun, ended)  # the clock may have been set right during the run
    return dated


def _fits(value: Any, form: Any) -> bool:
    if isinstance(form, _Late):
        return _fits(value, form.form)
    if isinstance(form, _Either):
        return any(_fits(value, one) for one in form.forms)
    if isinstance(form, _Packed):
        return isinstance(value, str) and _fits(json.loads(value), form.form)
    if isinstance(form, list):
        return isinstance(value, list) and all(_fits(one, form[0]) for one in value)
    if isinstance(form, tuple):
        least = sum(not isinstance(one, _Late) for one in form)
        is_list = isinstance(value, list) and least <= len(value) <= len(form)
        return is_list and all(map(_fits, value, form))
    if form in (int, float, _Time):
        is_number = type(value) in ((int,) if form is int else (int, float))
        return is_number and (form is _Time or abs(value) <= _LARGEST)
    return isinstance(value, form)
