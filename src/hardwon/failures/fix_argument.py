"""Arguments of a tool, told by role and source and never by value."""

from __future__ import annotations

from functools import lru_cache

from hardwon._cold import json, re
from hardwon.failures.authored import PATHS, fields
from hardwon.failures.fix_case import Case, is_gone, names_in
from hardwon.values.fix import Fix

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, NamedTuple

else:
    from hardwon._cold.namedtuple import NamedTuple

_READ = 65_536
_DEPTH = 8
_LEAVES = 4_000
_TELLING = 4  # characters from which on a value can be told from others
_WORD = r"[a-z_ -]{3,30}"
_REFUSED = (
    r"(?i:\bnot\b|invalid|unknown|cannot|can't|must|should|no such|wrong|unavailable|expired"
    r"|unsupported|denied|mismatch)"
)


class Leaf(NamedTuple):
    """One value of a result: where it stands, and the plain fields beside it."""

    path: tuple[str, ...]  # names only; places in lists and ids used as names are "*"
    value: str
    beside: tuple[tuple[str, str], ...]


class Source(NamedTuple):
    """Where an argument comes from."""

    at: int  # which step gave it
    tool: str
    path: tuple[str, ...]
    beside: tuple[tuple[str, str], ...]


def argument_fix(case: Case) -> Fix | None:
    """What the working call of the same tool passes in another way, by role and source."""
    if case.failed.tool != case.last.tool or case.last.failed or not is_gone(case):
        return None
    old, new = fields(case.failed.args), fields(case.last.args)
    if not old or not new or not _is_same_object(old, new, case):
        return None
    told = _counted(old, new, case) or [
        one for key in sorted({*old, *new}) if (one := _told(key, old, new, case))
    ]
    if not told or len(told) > 2:
        return None
    text = f"`{case.last.tool}`: {' '.join(words for words, _ in told)}"
    key = " ".join(("argument", case.last.tool, *(key for _, key in told)))
    return Fix("argument", text, key, "", "")


def _counted(old: dict[str, Any], new: dict[str, Any], case: Case) -> list[tuple[str, str]]:
    """Lists that have to be equally long."""
    if not re.search(r"(?i:number|count|length|match|same size|as many)", case.line):
        return []
    lists = [key for key in new if isinstance(new[key], list) and isinstance(old.get(key), list)]
    if len({len(new[key]) for key in lists}) != 1 or len({len(old[key]) for key in lists}) < 2:
        return []
    named = " and ".join(f"`{key}`" for key in sorted(lists))
    return [(f"Give {named} the same number of entries, one for each.", f"{named} same length")]


def _is_same_object(old: dict[str, Any], new: dict[str, Any], case: Case) -> bool:
    """Whether both calls are about the same thing: some value stays, or there is only one."""
    same = [key for key in old if key in new and old[key] == new[key]]
    return bool(same) or len(new) == 1 or len(case.between) <= 2


def _told(key: str, old: dict[str, Any], new: dict[str, Any], case: Case) -> tuple[str, str] | None:
    """How one argument has to be given; None when it did not change or explains nothing."""
    if key in old and key in new:
        return _changed(key, old[key], new[key], case) if old[key] != new[key] else None
    is_named = key.lower() in case.line.lower() or bool(names_in(key) & case.names)
    is_only = set(old) ^ set(new) == {key} and all(old[k] == new[k] for k in old if k in new)
    if not (is_named or is_only):
        return None
    if key in new:
        return f"Pass `{key}` too.", f"+{key}"
    return f"Leave out `{key}`.", f"-{key}"


def _changed(key: str, old: Any, new: Any, case: Case) -> tuple[str, str] | None:
    for tell in (_retyped, _summed, _sourced, _respelt):
        if told := tell(key, old, new, case):
            return told
    return None


_KINDS = {dict: "an object", list: "a list", str: "text", int: "a number", bool: "true or false"}


def _retyped(key: str, old: Any, new: Any, case: Case) -> tuple[str, str] | None:
    """Another type of value."""
    if type(old) is type(new) or {type(old), type(new)} <= {int, float}:
        return None
    kind = _KINDS.get(type(new))
    if kind is None:
        return None
    return f"Give `{key}` as {kind}, not as {_KINDS.get(type(old), 'nothing')}.", f"{key} {kind}"


def _summed(key: str, old: Any, new: Any, case: Case) -> tuple[str, str] | None:
    """Amounts that have to add up to a number which the error names."""
    numbers = {float(n) for n in re.findall(r"\d+(?:\.\d+)?", case.line)}
    if not numbers:
        return None
    if isinstance(new, int | float) and not isinstance(new, bool) and float(new) in numbers:
        return f"Give as `{key}` the number that the error names.", f"{key} named"
    for name, total in _sums(new):
        if total in numbers and dict(_sums(old)).get(name) != total:
            words = f"The `{name}`s in `{key}` must add up to the total that the error names."
            return words, f"{key} {name} sum"
    return None


def _sums(value: Any) -> Iterator[tuple[str, float]]:
    """The sum of each numeric field over a list of objects."""
    if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
        return
    for name in value[0] if value else ():
        numbers = [one.get(name) for one in value]
        if all(isinstance(n, int | float) and not isinstance(n, bool) for n in numbers):
            yield name, float(sum(numbers))


def _sourced(key: str, old: Any, new: Any, case: Case) -> tuple[str, str] | None:
    """A value that stands in an earlier result, where the wrong one does not stand."""
    fresh = [value for value in scalars(new) if value not in set(scalars(old))]
    stale = [value for value in scalars(old) if value not in set(scalars(new))]
    if not fresh or key in PATHS or not _is_refused(case) or not re.search(r"\d", fresh[0]):
        return None
    sources = _sources(fresh[0], case)
    before = _sources(stale[0], case) if stale else []
    if told := _distinguished(key, before, sources, case):
        return told
    known = {(source.at, source.path) for source in before}
    alone = [source for source in sources if (source.at, source.path) not in known]
    alone.sort(key=lambda source: (-_shared(case, source), not _is_about(case, source)))
    if not alone or _is_unsure(alone[0], before):
        return None
    source = alone[0]
    words = f"Take `{key}` from {_where(source)}; do not make it up."
    return words, f"{key} from {source.tool} {'.'.join(source.path)}"


def _is_refused(case: Case) -> bool:
    """Whether the error is about a wrong value, not about something that is used up."""
    is_short = re.search(r"(?i:not enough|insufficient|exceed|sold out|too many)", case.line)
    return bool(re.search(_REFUSED, case.line)) and not is_short


def _shared(case: Case, source: Source) -> int:
    """How many words of the error stand in the names of the place."""
    line = case.line.lower()
    return sum(
        word.rstrip("s") in line for word in names_in(source.path[-1] if source.path else "")
    )


def _is_about(case: Case, source: Source) -> bool:
    """Whether a result is about the same thing as the call: both were given the same value."""
    asked = set(scalars(fields(case.steps[source.at].args)))
    return bool(asked & set(scalars(fields(case.last.args))))


def _is_unsure(source: Source, before: list[Source]) -> bool:
    """Whether the wrong value comes from the same kind of place."""
    same = [one for one in before if (one.tool, one.path) == (source.tool, source.path)]
    return bool(same) and all(one.at > source.at for one in same)


def _distinguished(
    key: str, before: list[Source], sources: list[Source], case: Case
) -> tuple[str, str] | None:
    """Both values stand at the same place: the field beside them that tells which is right."""
    for source in sources:
        same = [one for one in before if (one.at, one.path) == (source.at, source.path)]
        if same and (telling := _telling(same[0], source, case)):
            words, mark = telling
            field = re.split(r"!?=", mark)[0]
            told = f"Take for `{key}` one whose `{field}` {words}, from {_where(source)}."
            return told, f"{key} {mark}"
    return None


def _where(source: Source) -> str:
    names = [name for name in source.path if name != "*"]
    under = f"`{'.'.join(names)}` in " if names else ""
    return f"{under}the result of `{source.tool}`"


def _telling(before: Source, after: Source, case: Case) -> tuple[str, str] | None:
    """The field beside the value that tells the right one from the wrong one."""
    old, line = dict(before.beside), case.line.lower()
    differing = [(k, v) for k, v in after.beside if k in old and old[k] != v]
    for field, value in differing:
        if value in {"true", "false"} and names_in(field) & case.names:
            return f"is {value}", f"{field}={value}"
        if re.fullmatch(_WORD, old[field]) and old[field].replace("_", " ") in line:
            such = f", such as {value}" if re.fullmatch(_WORD, value) else ""
            return f"is not {old[field]}{such}", f"{field}!={old[field]}"
    return None


def scalars(value: Any) -> list[str]:
    """The texts and numbers in a value, however deep."""
    if isinstance(value, dict):
        return [one for inner in value.values() for one in scalars(inner)]
    if isinstance(value, list):
        return [one for inner in value for one in scalars(inner)]
    return [] if value is None or isinstance(value, bool) else [str(value)]


def _sources(value: str, case: Case) -> list[Source]:
    """The earlier results that hold the value, the latest first."""
    found: list[Source] = []
    for at in range(len(case.steps) - 2, -1, -1) if len(value) >= _TELLING else ():
        step = case.steps[at]
        if step.failed or step.tool == case.last.tool or value in step.args:
            continue  # what was asked for is no source
        if value not in step.output:
            continue
        own = [leaf for leaf in leaves(step.output[:_READ]) if leaf.value == value]
        found += [Source(at, step.tool, leaf.path, leaf.beside) for leaf in own]
    return found


@lru_cache(maxsize=64)
def leaves(output: str) -> tuple[Leaf, ...]:
    """The values of a JSON result; none when it is no JSON."""
    if not output.lstrip().startswith(("{", "[")):
        return ()
    try:
        whole = json.loads(output)
    except ValueError:
        return ()
    found: list[Leaf] = []
    _collect(whole, (), found)
    return tuple(found)


def _collect(value: Any, path: tuple[str, ...], found: list[Leaf]) -> None:
    if len(path) > _DEPTH or len(found) > _LEAVES:
        return
    if isinstance(value, list):
        for one in value:
            _collect_one(one, path, found, beside=())
    elif isinstance(value, dict):
        _collect_fields(value, path, found)


def _collect_fields(value: dict[str, Any], path: tuple[str, ...], found: list[Leaf]) -> None:
    beside = tuple((k, _plain(v)) for k, v in value.items() if not isinstance(v, dict | list))
    for name, inner in value.items():
        if is_id(name):
            own = inner if isinstance(inner, dict) else {}
            fields_ = tuple(
                (k, _plain(v)) for k, v in own.items() if not isinstance(v, dict | list)
            )
            found.append(Leaf(path, name, fields_))
            _collect_one(inner, (*path, "*"), found, beside=beside)
        else:
            _collect_one(inner, (*path, name), found, beside=beside)


def _collect_one(
    value: Any, path: tuple[str, ...], found: list[Leaf], *, beside: tuple[tuple[str, str], ...]
) -> None:
    if isinstance(value, dict | list):
        _collect(value, path, found)
    elif value is not None:
        found.append(Leaf(path, _plain(value), beside))


def _plain(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def is_id(name: str) -> bool:
    """Whether the name of a field is itself a value: an id that something is kept under."""
    return bool(re.search(r"\d{3,}|[^\w-]|^[A-Z]", name))


def _respelt(key: str, old: Any, new: Any, case: Case) -> tuple[str, str] | None:
    """Another form of the same value: a date, letters, a sign before it."""
    if not isinstance(old, str) or not isinstance(new, str):
        return None
    for pattern, words in _FORMS:
        if re.fullmatch(pattern, new) and not re.fullmatch(pattern, old):
            return f"Give `{key}` {words}.", f"{key} {words}"
    return None


_FORMS = (
    (r"\d{4}-\d\d-\d\d", "as YYYY-MM-DD"),
    (r"\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:?\d\d)", "as a date and time with its zone"),
    (r"/\S*", "as a path from the root"),
    (r"https?://\S+", "as a whole address"),
    (r"#\S+", "with the `#` before it"),
)
