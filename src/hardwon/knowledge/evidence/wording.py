"""The text of a trail: what was called, as it was typed, and what worked."""

from __future__ import annotations

import re
from itertools import takewhile
from typing import TYPE_CHECKING, NamedTuple

from hardwon.core.text.clean import clip, one_line
from hardwon.core.text.frames import inert
from hardwon.core.values.lesson import EDITED, INSTEAD, NEXT, PREPARED, Fix
from hardwon.knowledge.evidence.folding import fold_call, fold_value, shorten_values
from hardwon.knowledge.evidence.trails import SHOWN, arguments, changed_rows, leaves

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hardwon.knowledge.evidence.calls import Call
    from hardwon.knowledge.evidence.trails import Passed

TRAIL = "trail"  # the sort of a fix that shows calls
FURTHER = "further"  # the same where the last call failed, too, in another way
SHOW_CALLS = frozenset([TRAIL, FURTHER, INSTEAD, NEXT])
VALUES = " ~"  # at the end of a key: only values were changed
_ANSWER = 200  # characters of an answer
_NAMES = 80  # characters of the names of arguments beside those that were changed
_PARTS = 4  # changes that are named
_LINES, _LINE = 8, 120  # of an edit
_NEW_WORDS = 3  # of an edit that its key names
_LABEL = 4  # words before a value in an error
_PLAIN = re.compile(r"[a-z]+").fullmatch
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d)?")
_SORTED = re.compile(r"([A-Za-z]+(?:[_-][A-Za-z]+)*)([_-]?)\d+")  # an id with its sort: card_4711


class Seen(NamedTuple):
    """What a run was told and shown."""

    task: str
    text: str = ""  # in small letters, its prompts
    line: str = ""  # the error line of the failure that it got past
    printed: str | None = None  # in small letters, what its tools answered


def trail_fix(found: Passed, run: Seen) -> Fix:
    """The trail as a fix of its failure."""
    said = next((asked.answer for asked in found.before if asked.answer), "")
    return Fix(
        sort=found.replaced or (FURTHER if found.is_further else TRAIL),
        text=trail_text(found, run),
        key=_key(found),
        call=show_call(found.working, run),
        mistake=show_call(found.failing, run),
        said=clip(one_line(said), _ANSWER),
    )


def _key(found: Passed) -> str:
    """Equal for trails that end in the same sort of call, and changed or came first the same."""
    family = found.working.family
    before = [_name_before(asked.call) for asked in found.before]
    edits = [name for name in before if f"{PREPARED}{name}".startswith(EDITED)]
    if found.is_own_script or found.working.is_same(found.failing):
        first = sorted({*before})
        return PREPARED.join(("own" if found.is_own_script else family, *(first or [""])))
    if edits:
        return PREPARED.join((family, *edits))
    return family if found.working.shape != found.failing.shape else f"{family}{VALUES}"


def _name_before(call: Call) -> str:
    """What came first: the program, or an edit of a file with the new words that it brought."""
    old = {word for each in call.writings for word in re.findall(r"\w{3,}", each.old)}
    new = {word for each in call.writings for word in re.findall(r"\w{3,}", each.new)}
    words = " ".join(sorted(new - old)[:_NEW_WORDS]) or call.program
    return f"{EDITED.removeprefix(PREPARED)}{words}" if call.paths else call.program


def trail_text(found: Passed, run: Seen) -> str:
    """What explained the failure, what was called first, and what worked."""
    said = [asked for asked in found.before if asked.answer]
    first = [show_step(asked.call, run) for asked in found.before if not asked.answer]
    explained = "".join(
        f"`{show_call(asked.call, run)}` says “{inert(clip(one_line(asked.answer), _ANSWER))}” "
        for asked in said
    )
    result = "Got further" if found.is_further else "What worked"
    if found.replaced and not found.before:
        failing = "" if found.failing.is_tool else f" of `{show_call(found.failing, run)}`"
        return f"Instead{failing}, `{show_call(found.working, run)}` worked."
    if any(asked.call is found.working for asked in said):  # nothing else is known
        return explained.rstrip()
    if not first and found.working.is_same(found.failing):
        return f"{explained}{result}: the same call, made again later."
    parts = [*first, "the same call" if found.is_own_script else _show_working(found, run)]
    if any("\n" in part for part in parts):
        rows = (part.replace("\n", "\n  ") for part in parts)
        return f"{explained}{result}:\n- " + "\n- ".join(rows)
    return f"{explained}{result}: {'first ' if first else ''}{', then '.join(parts)}."


def show_step(call: Call, run: Seen, failing: Call | None = None) -> str:
    """A call in backticks, or the lines that an edit of a file removed and added.

    If the failing call was an edit of the same lines, the lines around them made the difference.
    """
    rows = changed_rows(call)
    if failing and not failing.is_same(call) and rows == changed_rows(failing):
        rows = changed_rows(call, " +-")
    if rows:
        shown = (
            clip(f"{row[: -len(row.lstrip())]}{fold_call(row, run.task)}", _LINE)
            for row in rows[:_LINES]
        )
        return f"edit of `{fold_call(call.paths[0], run.task)}`:\n" + "\n".join(shown)
    if call.writings and len(call.typed) > SHOWN and not call.is_tool:
        return f"write `{fold_call(call.paths[0], run.task)}`"
    text = show_call(call, run)
    return f"\n{text}" if "\n" in text else f"`{text}`"


def show_call(call: Call, run: Seen) -> str:
    """A call as it was typed; of a tool its name and what may be shown of its arguments."""
    if not call.is_tool:
        return clip(shorten_values(fold_call(call.typed, run.task)), SHOWN)
    given = [_argument(name, value, run) for name, value in leaves(call)]
    given.sort(key=lambda argument: "=" not in argument)
    return clip(f"{call.program}({', '.join(given)})", SHOWN)


def _argument(name: str, value: object, run: Seen) -> str:
    """The name of an argument, with its value where that is a choice and names nobody."""
    shown = fold_value(value, run.text, run.printed)
    is_choice = isinstance(value, bool) or (isinstance(value, str) and shown == value)
    return f"{name}={shown}" if is_choice and " " not in shown else name


def _show_working(found: Passed, run: Seen) -> str:
    """The call that worked; of the tool that failed the names of its arguments, and what changed.

    The values that stayed are known to the reader, who has other ones.
    """
    working = found.working
    if not working.is_tool or working.paths or found.failing.program != working.program:
        return show_step(working, run, found.failing)
    changes = _changes(found, run)
    names = ", ".join(name for name, _ in leaves(working))
    names = "…" if changes and len(names) > _NAMES else names
    return f"`{clip(f'{working.program}({names})', SHOWN)}`{changes}"


def _changes(found: Passed, run: Seen) -> str:
    """Which arguments of a tool were changed, added or left out, and how.

    If the error names some of them, only those are told.
    """
    old, new = (dict(leaves(call)) for call in (found.failing, found.working))
    told = {
        **{name: f"with `{name}`{_as_shown(new[name], run)}" for name in new if name not in old},
        **{name: f"without `{name}`" for name in old if name not in new},
        **{
            name: _compare(name, new[name], old[name], run)
            for name in new
            if name in old and old[name] != new[name]
        },
    }
    before = dict(_totals(found.failing))
    for name, total in _totals(found.working):
        if before.get(name) != total and (label := _label(total, run.line)):
            told[name] = f"other `{name}`, which add up to {label}"
    said = {*re.findall(r"\w+", run.line)}
    named = [words for name, words in told.items() if re.split(r"\W", name)[-1] in said]
    parts = (named or list(told.values()))[:_PARTS]
    return f" ({', '.join(parts)})" if parts else ""


def _compare(name: str, value: object, old: object, run: Seen) -> str:
    """An argument and its new value, or how that differs from the one which it replaces."""
    if shown := _as_shown(value, run, old):
        return f"another `{name}`{shown}"
    new, earlier = (_MOMENT.match(str(one)) for one in (value, old))
    if isinstance(value, int | float) and isinstance(old, int | float) and _is_number(value):
        return f"a {'larger' if value > old else 'smaller'} `{name}`"
    if new and earlier and new[0] != earlier[0]:
        return f"{'a later' if new[0] > earlier[0] else 'an earlier'} `{name}`"
    return f"another `{name}`"


def _totals(call: Call) -> Iterator[tuple[str, object]]:
    """The sums of the numbers that a tool is given in a list of objects, with their names."""
    given = arguments(call)
    for field, rows in given.items() if isinstance(given, dict) else ():
        items = rows if isinstance(rows, list) and len(rows) > 1 else ()
        for name in items[0] if items and all(isinstance(item, dict) for item in items) else ():
            numbers = [item[name] for item in items if _is_number(item.get(name))]
            if len(numbers) == len(items):
                yield f"{field}[].{name}", sum(numbers)


def _label(value: object, line: str) -> str:
    """Where an error names a value, by the plain words before it; "" if it does not."""
    found = re.search(rf"(?<![\w.-]){re.escape(str(value))}(?![\w-])", line)
    if found is None or not str(value):
        return ""
    before = line[: found.start()].split()[-_LABEL:]
    words = " ".join([*takewhile(_PLAIN, reversed(before))][::-1])
    if not words:  # a short one may be named by chance
        return "the one that the error names" if len(str(value)) > 1 else ""
    return f"the “{words} …” that the error names"


def _as_shown(value: object, run: Seen, old: object = "") -> str:
    """How a value was written, without what belongs to one run; "" if that tells nothing."""
    label = _label(value, run.line)
    if _is_number(value) and (label or type(old) is type(value)):
        return label and f", {label}"  # one number for another belongs to its run
    shown = fold_value(value, run.text, run.printed) or _other_sort(value, old, run)
    if shown and shown not in (fold_value(old, run.text, run.printed), str(old)):
        return f" as `{shown}`"
    label = label or _from_task(str(value), str(old), run.task)
    return label and f", {label}"


def _from_task(value: str, old: str, task: str) -> str:
    """The code of the task that a text has and the one which it replaces has not.

    It has few letters, all capital: others may name somebody.
    """
    codes = re.findall(r"(?<![\w-])[A-Z]{1,5}[-_/#]\d+(?![\w-])", value) if " " in value else []
    own = (code for code in codes if code in task and code not in old)
    return next((f"with the `{re.sub(r'[0-9]+', '<n>', code)}` of the task" for code in own), "")


def _other_sort(value: object, old: object, run: Seen) -> str:
    """An id without its number, if the error speaks of the sort of the one that it replaces.

    The sort must have been printed by itself: `card` for `card_4711`. Else it may be a name.
    """
    ours, theirs = (_SORTED.fullmatch(str(one)) for one in (value, old))
    if not ours or not theirs or ours[1] == theirs[1]:
        return ""
    words = theirs[1].replace("_", " ").replace("-", " ")
    is_said = any(re.search(rf"\b{name}\b(?![_-]?\d)", run.line) for name in {theirs[1], words})
    is_printed = f'"{ours[1].lower()}"' in (run.printed or "")
    return f"{ours[1]}{ours[2]}<n>" if is_said and is_printed else ""


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
