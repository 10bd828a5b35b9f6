"""The text of a trail: what was called, as it was typed, and what worked."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from hardwon.core.text.clean import clip, one_line
from hardwon.core.text.frames import inert
from hardwon.core.values.lesson import PREPARED, Fix
from hardwon.knowledge.evidence.folding import fold_call, shorten_values

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hardwon.knowledge.evidence.calls import Call
    from hardwon.knowledge.evidence.trails import Passed

TRAIL = "trail"  # the sort of a fix that shows calls
FURTHER = "further"  # the same where the last call failed, too, in another way
INSTEAD = "instead"  # the same where the failing call was given up
SHOW_CALLS = frozenset([TRAIL, FURTHER, INSTEAD])
VALUES = " ~"  # at the end of a key: only values were changed
_SHOWN = 300  # characters of one call
_ANSWER = 160  # characters of an answer
_VALUE = 24  # characters of an argument that may be shown
_PARTS = 4  # changes that are named
# A value that is written in a form, as a date, an amount or a code; its few letters name nobody.
_CODE = re.compile(r"(?=[^0-9]*\d)[A-Z0-9](?:[0-9 :./+_-]|[A-Z](?![A-Z]{4})){1,23}")


def trail_fix(found: Passed, task: str) -> Fix:
    """The trail as a fix of its failure."""
    said = next((asked.answer for asked in found.before if asked.answer), "")
    return Fix(
        sort=INSTEAD if found.is_instead else FURTHER if found.is_further else TRAIL,
        text=trail_text(found, task),
        key=_key(found),
        call=show_call(found.working, task),
        mistake=show_call(found.failing, task),
        said=clip(one_line(said), _ANSWER),
    )


def _key(found: Passed) -> str:
    """Equal for trails that end in the same sort of call, and changed or came first the same."""
    family = found.working.family
    if found.is_own_script or found.working.is_same(found.failing):
        first = [] if found.is_rewrite else sorted({a.call.program for a in found.before})
        return PREPARED.join(("own" if found.is_own_script else family, *(first or [""])))
    return family if found.working.shape != found.failing.shape else f"{family}{VALUES}"


def trail_text(found: Passed, task: str) -> str:
    """What explained the failure, what was called first, and what worked."""
    said = [asked for asked in found.before if asked.answer]
    first = [asked.call for asked in found.before if not asked.answer]
    steps = "".join(f"`{show_call(call, task)}`, then " for call in first)
    working = f"{'first ' if first else ''}{steps}`{show_call(found.working, task)}`"
    explained = (
        f"`{show_call(asked.call, task)}` says “{inert(clip(one_line(asked.answer), _ANSWER))}” "
        for asked in said
    )
    result = "Got further" if found.is_further else "What worked"
    result = "Given up; what worked instead" if found.is_instead else result
    return f"{''.join(explained)}{result}: {working}{_changes(found)}."


def show_call(call: Call, task: str) -> str:
    """A call as it was typed; of a tool its name and what may be shown of its arguments."""
    if not call.is_tool:
        return clip(" ".join(shorten_values(fold_call(call.text, task)).split()), _SHOWN)
    given = (_argument(name, value) for name, value in _arguments(call).items())
    return f"{call.program}({', '.join(given)})"


def _arguments(call: Call) -> dict[str, object]:
    try:
        given = json.loads(call.text)
    except ValueError:
        return {}
    return given if isinstance(given, dict) else {}


def _argument(name: str, value: object) -> str:
    """The name of an argument; a word that no person or thing is called by is shown, too."""
    is_word = isinstance(value, str) and value.islower() and value.isalpha() and len(value) < _VALUE
    return f"{name}={value}" if isinstance(value, bool) or is_word else name


def _changes(found: Passed) -> str:
    """Which arguments of a tool were changed, added or left out, and in which form."""
    if not found.working.is_tool or found.failing.program != found.working.program:
        return ""
    old, new = (dict(_leaves(_arguments(call))) for call in (found.failing, found.working))
    parts = [
        *(f"with `{name}`{_as_form('', new[name])}" for name in new if name not in old),
        *(f"without `{name}`" for name in old if name not in new),
        *(
            f"another `{name}`{_as_form(old[name], new[name])}"
            for name in new
            if name in old and old[name] != new[name]
        ),
    ]
    return f" ({', '.join(parts[:_PARTS])})" if parts else ""


def _leaves(given: object, name: str = "") -> Iterator[tuple[str, object]]:
    """The values inside an argument, each with its dotted name; of a list its first element."""
    if isinstance(given, dict) and given:
        for key, value in given.items():
            yield from _leaves(value, f"{name}.{key}" if name else str(key))
    elif isinstance(given, list) and given and isinstance(given[0], dict):
        yield from _leaves(given[0], f"{name}[]")
    elif name:
        yield name, given


def _as_form(old: object, new: object) -> str:
    """The form of a code-like value, with its digits folded, if it is not the form it had."""
    if not isinstance(new, str) or not _CODE.fullmatch(new):
        return ""
    form, earlier = (re.sub(r"\d", "0", str(value)) for value in (new, old))
    return f" as `{form}`" if form != earlier else ""
