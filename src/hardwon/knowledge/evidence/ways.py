"""Ways: calls of a project's own programs that worked in earlier runs, in their usual order."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from hardwon.knowledge.evidence.calls import Call, is_own
from hardwon.knowledge.evidence.folding import fold_call, shorten_values
from hardwon.knowledge.evidence.inner import failing_call, working_calls
from hardwon.knowledge.reading.authored import made_paths, tail

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from hardwon.core.values.run import Step

_PLACES = 4  # words of a call that may name what it runs
_SORT = 3  # calls that differ in one word until they are one sort
_OTHERS = 5  # other forms of a call that are named
_PLAIN = re.compile(r"[A-Za-z-][A-Za-z_.:/-]*")  # a word that is no value of one task
_HELP = frozenset(["--help", "-h", "help"])
_AGAIN = 0.5  # what each further run is worth beside the first


class Way(NamedTuple):
    """A call that works in a project, with its record."""

    call: str  # the newest that worked, values of the run folded
    family: str  # equal for calls of one sort
    others: tuple[str, ...]  # the words by which other calls of the family differ
    runs: int  # in how many runs it worked
    worked: int
    failed: int
    form_worked: int  # this form of the call alone, without the others of its family
    form_failed: int
    place: float  # its usual place in a run, from 0 to 1
    news: float  # how much of it an agent could not guess

    @property
    def worth(self) -> float:
        """What it is worth to a newcomer: needed often, hard to guess, wrong at first."""
        return self.news * (1 + _AGAIN * (self.runs - 1)) * (1 + min(self.failed, 3))


class _Record:
    """What runs show about calls of one family."""

    def __init__(self) -> None:
        self.runs: set[int] = set()
        self.worked = self.failed = 0
        self.places: list[float] = []
        self.forms_worked, self.forms_failed = Counter[str](), Counter[str]()
        self.examples: dict[str, tuple[Call, str]] = {}  # the newest of each form, oldest first

    def note(self, call: Call, task: str, *, run: int, place: float) -> None:
        """Count a call that worked."""
        self.runs.add(run)
        self.worked += 1
        self.places.append(place)
        form = _form(call)
        self.forms_worked[form] += 1
        if form not in self.examples or not re.search(r"\$\{?\w", call.text):
            self.examples.pop(form, None)
            self.examples[form] = call, compact(call.text, task)

    def note_failure(self, call: Call) -> None:
        """Count a call that failed."""
        self.failed += 1
        self.forms_failed[_form(call)] += 1

    def add(self, other: _Record) -> None:
        """Count the calls of another family, too."""
        self.runs |= other.runs
        self.worked += other.worked
        self.failed += other.failed
        self.places += other.places
        self.forms_worked += other.forms_worked
        self.forms_failed += other.forms_failed
        self.examples |= other.examples

    def way(self, family: str) -> Way:
        """The way that the calls show."""
        *older, (call, text) = self.examples.values()
        main = _plain_words(call.text)
        others = (
            " ".join(word for word in _plain_words(other.text) if word not in main)
            for other, _ in reversed(older)
        )
        return Way(
            call=text,
            family=family,
            others=tuple(dict.fromkeys(o for o in others if o and "/" not in o))[:_OTHERS],
            runs=len(self.runs),
            worked=self.worked,
            failed=self.failed,
            form_worked=self.forms_worked[_form(call)],
            form_failed=self.forms_failed[_form(call)],
            place=sum(self.places) / len(self.places),
            news=len(call.own_words) ** 0.5,
        )


def compact(text: str, task: str) -> str:
    """A call on one line, with values of its run folded."""
    return shorten_values(" ".join(fold_call(text, task).split()))


def _form(call: Call) -> str:
    """Equal for calls that differ in values of one task only."""
    return " ".join(_plain_words(call.text))


def _plain_words(text: str) -> list[str]:
    """The words of a call before its first argument that is a text or JSON, without values."""
    return _PLAIN.findall(" ".join(_whole_words(re.split(r"[\"'{]", text, maxsplit=1)[0])))


def _whole_words(text: str) -> list[str]:
    return [word for word in text.split() if _PLAIN.fullmatch(word)]


def ways_of(runs: Iterable[tuple[str, Sequence[Step]]]) -> list[Way]:
    """The ways that runs show (task and steps of each, oldest first), the most valuable first."""
    records: dict[str, _Record] = {}
    for number, (task, steps) in enumerate(runs):
        own = {tail(path) for step in steps for path in made_paths(step)}
        for at, step in enumerate(steps):
            failing = failing_call(step)
            if failing is not None and _is_way(failing, own):
                records.setdefault(failing.family, _Record()).note_failure(failing)
            for call in (call for call in working_calls(step) if _is_way(call, own)):
                record = records.setdefault(call.family, _Record())
                record.note(call, task, run=number, place=at / len(steps))
    found = [record.way(family) for family, record in _unite(records).items() if record.runs]
    calls = [way.call for way in found]
    whole = (  # a call without its arguments only asked for its usage
        way for way in found if not any(call.startswith(f"{way.call} ") for call in calls)
    )
    return sorted(whole, key=lambda way: (-way.worth, way.place))


def _unite(records: dict[str, _Record]) -> dict[str, _Record]:
    """The records; of calls that differ in their last word only, three and more are one sort.

    Sub-commands of one program are no sort: each does something else.
    """
    alike: dict[str, list[str]] = {}
    for family, record in records.items():
        call, _ = next(iter(record.examples.values()), (None, ""))
        if call is not None and call.kind == call.shape.strip() and not call.kind.endswith("="):
            alike.setdefault(call.kind.rpartition(" ")[0], []).append(family)
    for sort, families in alike.items():
        if " " in sort and len(families) >= _SORT:
            first, *rest = (records.pop(family) for family in families)
            for record in rest:
                first.add(record)
            records[f"{sort} …"] = first
    return records


def _is_way(call: Call, own: set[str]) -> bool:
    """Whether a call may be a way: agents know their tools, and values of tools are private.

    What runs a file that the run made itself, is none.
    """
    if call.is_tool or not is_own(call) or not _HELP.isdisjoint(call.shape.split()):
        return False
    return own.isdisjoint(tail(word) for word in call.text.split()[:_PLACES])


def in_order(ways: Iterable[Way]) -> list[Way]:
    """The ways in the order in which runs usually make the calls."""
    return sorted(ways, key=lambda way: way.place)
