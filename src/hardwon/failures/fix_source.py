"""The fix that takes an argument from an earlier result of the same run."""

from __future__ import annotations

from hardwon._cold import re
from hardwon.failures.authored import PATHS, fields
from hardwon.failures.bodies import body_start
from hardwon.failures.fix_case import Case, names_in
from hardwon.failures.fix_tool import is_look
from hardwon.failures.results import leaves, scalars
from hardwon.failures.routes import routed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NamedTuple

    from hardwon.values.step import Step
else:
    from hardwon._cold.namedtuple import NamedTuple

_READ = 65_536
_ASKED = 2  # at most, arguments of a look-up that are named
_TELLING = 4  # shorter values are too common to say where they come from
_LABELLED = 2  # letters of a value that is known by its label; `Page 1 of 3` gives no page
_STALE = r"(?i:condition|stale|conflict|outdated|version|etag|revision|changed|modified|snapshot)"
_PROVES = r"(?i:verif|authenticat|identif|log_?in|sign_?in)"  # tools that check an identity
_AN_ID = r"\b(?:id|ID)\b"
_WORD = r"[a-z_ -]{3,30}"
_REFUSED = (
    r"(?i:\bnot\b|invalid|unknown|cannot|can't|must|should|no such|wrong|unavailable|expired"
    r"|unsupported|denied|mismatch|\bno \w+ (?:with|named|called|has)\b|(?:^|: )no(?:thing)? \w)"
)


class Source(NamedTuple):
    """Where an argument comes from."""

    at: int  # the index of the step whose result holds it
    tool: str
    path: tuple[str, ...]
    beside: tuple[tuple[str, str], ...]


def source_change(key: str, old: Any, new: Any, case: Case) -> tuple[str, str] | None:
    """From which earlier result to take an argument, in words and as a key; else None.

    Not for identity checks: people have to give those values themselves.
    """
    if re.search(_PROVES, case.failed.tool):
        return None
    fresh, stale = (_only_in(*pair) for pair in ((new, old), (old, new)))
    if key in PATHS or not is_refused(case.line):
        return None
    sources, wrong_sources = (_sources(key, value, case) for value in (fresh, stale))
    if not re.search(r"\d", fresh):  # a plain word: only if the run looked it up after the failure
        sources = [source for source in sources if source.at > case.at and stale in case.line]
    if words := _distinguished(key, wrong_sources, sources, case) or _of_entry(
        key, wrong_sources, sources, case
    ):
        return words
    return _from_place(key, wrong_sources, sources, case)


def source_in_words(key: str, value: Any, case: Case) -> str:
    """The place in an earlier result that a new argument comes from, in words; "" if unknown."""
    sources = [source for text in scalars(value)[:1] for source in _sources(key, text, case)]
    fitting = [source for source in sources if _has_role(key, source.path)]
    fitting.sort(key=lambda source: not is_look(source.tool))
    return _where(fitting[0].tool, fitting[0].path) if fitting else ""


def _from_place(
    key: str, wrong_sources: list[Source], sources: list[Source], case: Case
) -> tuple[str, str] | None:
    """The advice to use a place that has held the right value and never the wrong one."""
    wrong_places = {(source.at, source.path) for source in wrong_sources}
    only_right = [source for source in sources if (source.at, source.path) not in wrong_places]
    only_right.sort(key=lambda source: (-_shared(case, source), not _is_about(case, source)))
    if not only_right or _is_unsure(only_right[0], wrong_sources):
        return None
    source = only_right[0]
    older = [
        earlier
        for earlier in wrong_sources
        if (earlier.tool, earlier.path) == (source.tool, source.path)
    ]
    if older and (asked := _asked_otherwise(older[0], source, case)):
        where = _where(source.tool, source.path)  # whether a call follows this cannot be seen
        return f"Take `{key}` from {where}, asked with another {asked}.", f"{key} of {asked}"
    return taken_from(key, source.tool, source.path, is_latest=bool(older))


def _asked_otherwise(wrong: Source, right: Source, case: Case) -> str:
    """The arguments in which two look-ups differ, in words; "" if they are equal."""
    first, second = (fields(case.steps[source.at].args) for source in (wrong, right))
    differing = sorted(key for key in {*first, *second} if first.get(key) != second.get(key))
    return " and ".join(f"`{key}`" for key in differing[:_ASKED])


def taken_from(
    key: str, tool: str, path: tuple[str, ...], *, is_latest: bool = False
) -> tuple[str, str]:
    """The advice to take an argument from a place in a result, in words and as a key."""
    warning = "an earlier one no longer holds" if is_latest else "do not make it up"
    words = f"Take `{key}` from {_where(tool, path, is_latest=is_latest)}; {warning}."
    return words, f"{key} from {tool} {'.'.join(path)}"


def _only_in(value: Any, other: Any) -> str:
    """The first text or number in a value that the other value lacks; "" if there is none."""
    other_values = set(scalars(other))
    return next((text for text in scalars(value) if text not in other_values), "")


def is_refused(line: str) -> bool:
    """Whether an error rejects a value, rather than saying that something is used up."""
    is_short = re.search(r"(?i:not enough|insufficient|exceed|sold out|too many)", line)
    return bool(re.search(rf"{_REFUSED}|{_STALE}", line)) and not is_short


def _shared(case: Case, source: Source) -> int:
    """How many words of the source's field name occur in the error."""
    line = case.line.lower()
    return sum(
        word.rstrip("s") in line for word in names_in(source.path[-1] if source.path else "")
    )


def _is_about(case: Case, source: Source) -> bool:
    """Whether the source was asked about the same thing: its call shares an argument value."""
    asked_for = set(scalars(fields(case.steps[source.at].args)))
    return bool(asked_for & set(scalars(fields(case.last.args))))


def _is_unsure(source: Source, wrong_sources: list[Source]) -> bool:
    """Whether the wrong value comes from the same place of a later result."""
    at_same_place = [
        other for other in wrong_sources if (other.tool, other.path) == (source.tool, source.path)
    ]
    return bool(at_same_place) and all(other.at > source.at for other in at_same_place)


def _distinguished(
    key: str, wrong_sources: list[Source], sources: list[Source], case: Case
) -> tuple[str, str] | None:
    """The advice for two values at one place: a sibling field shows which one is right."""
    for source in sources:
        at_same_place = [
            other for other in wrong_sources if (other.at, other.path) == (source.at, source.path)
        ]
        if at_same_place and (telling := _telling(at_same_place[0], source, case)):
            words, mark = telling
            field = re.split(r"!?=", mark)[0]
            where = _where(source.tool, source.path)
            advice = f"Take for `{key}` one whose `{field}` {words}, from {where}."
            return advice, f"{key} {mark}"
    return None


def _of_entry(
    key: str, wrong_sources: list[Source], sources: list[Source], case: Case
) -> tuple[str, str] | None:
    """The advice for two entries of one result: take the one that another argument names."""
    arguments = {str(v): k for k, v in fields(case.last.args).items() if k != key and _is_own(v)}
    for source in sources:
        at_same_place = [
            other for other in wrong_sources if (other.at, other.path) == (source.at, source.path)
        ]
        shared = [arguments[value] for _, value in source.beside if value in arguments]
        if (
            at_same_place
            and shared
            and not any(value in arguments for _, value in at_same_place[0].beside)
        ):
            where = _where(source.tool, source.path)
            words = f"Take `{key}` from {where}, of the entry that `{shared[0]}` names."
            return words, f"{key} of entry {shared[0]} {source.tool} {'.'.join(source.path)}"
    return None


def _is_own(value: object) -> bool:
    return isinstance(value, str) and len(value) >= _TELLING


def _where(tool: str, path: tuple[str, ...], *, is_latest: bool = False) -> str:
    names = [name for name in path if name != "*"]
    under = f"`{'.'.join(names)}` in " if names else ""
    return f"{under}the {'latest ' if is_latest else ''}result of `{tool}`"


def _telling(before: Source, after: Source, case: Case) -> tuple[str, str] | None:
    """The sibling field that separates the right value from the wrong one; None if unknown."""
    old, line = dict(before.beside), case.line.lower()
    differing = [(k, v) for k, v in after.beside if k in old and old[k] != v]
    for field, value in differing:
        if value in {"true", "false"} and names_in(field) & case.names:
            return f"is {value}", f"{field}={value}"
        if re.fullmatch(_WORD, old[field]) and old[field].replace("_", " ") in line:
            example = f", such as {value}" if re.fullmatch(_WORD, value) else ""
            return f"is not {old[field]}{example}", f"{field}!={old[field]}"
    return None


def _sources(key: str, value: str, case: Case) -> list[Source]:
    """The earlier results that hold the value, the latest first."""
    if not value or not (_is_telling(value) or _may_be_short(key, case)):
        return []
    return [
        source
        for at in range(len(case.steps) - 2, -1, -1)
        if _may_give(case.steps[at], value, case)
        for source in _places(key, value, at, case.steps[at])
    ]


def _places(key: str, value: str, at: int, step: Step) -> list[Source]:
    """The places of the value in the result of one step; a short value must have a like name."""
    matches = [leaf for leaf in leaves(step.output[:_READ]) if leaf.value == value]
    if not _is_telling(value):
        matches = [leaf for leaf in matches if _has_role(key, leaf.path)]
    if not matches and (_is_in_words(value, step) or _is_labelled(key, value, step)):
        return [Source(at, routed(step).tool, (), ())]
    return [Source(at, routed(step).tool, leaf.path, leaf.beside) for leaf in matches]


def _is_telling(value: str) -> bool:
    return len(value) >= _TELLING


def _is_in_words(value: str, step: Step) -> bool:
    """Whether a tool that reads answered in plain words, with an id among them."""
    is_text = _is_telling(value) and is_look(step.tool) and body_start(step.output.strip()) < 0
    return (
        is_text
        and bool(re.search(r"\d", value))
        and any(
            value == word.rstrip(".#@/-")
            for word in re.findall(r"[\w.#@/-]++", step.output[:_READ])
        )
    )


def _is_labelled(key: str, value: str, step: Step) -> bool:
    """Whether plain words have the value behind the argument's name: `SEQ 140`."""
    text, names = step.output[:_READ], "|".join(names_in(key))
    if not names or len(value) < _LABELLED or body_start(text.strip()) >= 0:
        return False
    labelled = re.finditer(rf"(?i:\b(?:{names})\W{{1,3}}(\w\S*))", text)
    return any(match[1].rstrip(".,;") == value for match in labelled)


def _may_give(step: Step, value: str, case: Case) -> bool:
    """Whether a step returned the value without having been given it."""
    if step.failed or value not in step.output or routed(step).tool == routed(case.last).tool:
        return False
    return value not in fields(step.args).values()


def _may_be_short(key: str, case: Case) -> bool:
    """Whether even a short value is worth tracing: the error names it or calls it stale."""
    is_named = bool(names_in(key) & case.names) or (
        is_id_name(key) and bool(re.search(_AN_ID, case.line))
    )
    return is_named or bool(re.search(_STALE, case.line))


def _has_role(key: str, path: tuple[str, ...]) -> bool:
    """Whether an argument and a field of a result have similar names, or both are ids."""
    if not path:
        return False
    return bool(names_in(key) & names_in(path[-1])) or (is_id_name(key) and is_id_name(path[-1]))


def is_id_name(name: str) -> bool:
    """Whether a field is named as ids are: `id`, `id_`, `file_id`, `fileId`."""
    return bool(re.search(r"(?:^|_)(?:id|ID)_?$|[a-z]I[dD]$", name))
