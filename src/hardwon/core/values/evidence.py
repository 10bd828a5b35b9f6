"""Where a lesson comes from: one typed record per job, occurrence, parent and decision."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable


class Kind:
    """The kinds of evidence. Unknown kinds are kept as they are."""

    JOB = "job"  # the id of the job that reflected on it
    PARENT = "parent"  # the id of a lesson it was made of
    MET = "met"  # what was seen when the failure was met
    TASK = "task"  # the task of a run that met it
    TRIED = "tried"  # what was tried without effect
    CASE = "case"  # one run's meeting with the failure, as a model reads it
    ASKED = "asked"  # the amount of evidence when a model was last asked
    ABOUT = "about"  # an error, call or name that its text mentions
    HELPED = "helped"  # a failure kind that a run overcame with it
    OFFERED = "offered"  # a failure kind at which it was shown because of its words
    QUARANTINED = "quarantined"  # why it was held back
    APPROVED = "approved"  # who released it or vouched for it
    REWORD = "reword"  # why a model should word it again
    DIFFERS = "differs-from"  # the id of a lesson that contradicts it
    RETIRED = "retired"  # which wording hardly helps, and how that is known
    SHOWN_BY = "steps"  # a run, and the numbers of its steps that show it
    CONFIRMED = "confirmed"  # a later run in which its call worked
    WEAKENED = "weakened"  # a later run in which its call failed
    WITHDRAWN = "withdrawn"  # why it no longer holds
    SESSION = "session"  # the transcript and line it was read from
    LOOP = "loop"  # the loop and the reflection it was made of
    NOTE = "note"  # anything else


class Evidence(NamedTuple):
    """One piece of evidence."""

    kind: str
    value: str
    at: float = 0.0  # seconds since 1970; 0 if unknown

    def __str__(self) -> str:
        return f"{self.kind}:{self.value}"


# The newest of each kind are kept. Decisions and parents are never dropped: revoking needs them.
CAPS = {
    Kind.MET: 8,
    Kind.TASK: 4,
    Kind.TRIED: 8,
    Kind.CASE: 4,
    Kind.ASKED: 1,
    Kind.OFFERED: 100,
    Kind.HELPED: 100,
    Kind.ABOUT: 40,
}
UNLIMITED = frozenset({Kind.PARENT, Kind.QUARANTINED, Kind.APPROVED})
_OTHERS = 50


def join_evidence(*parts: Iterable[Evidence]) -> tuple[Evidence, ...]:
    """All pieces in order, each once, the newest within the cap of their kind."""
    unique = {(piece.kind, piece.value): piece for part in parts for piece in part}
    newest: list[Evidence] = []
    counts: dict[str, int] = {}
    for piece in reversed(unique.values()):
        counts[piece.kind] = counts.get(piece.kind, 0) + 1
        if piece.kind in UNLIMITED or counts[piece.kind] <= CAPS.get(piece.kind, _OTHERS):
            newest.append(piece)
    return tuple(reversed(newest))


def parse_evidence(text: str) -> Evidence:
    """The evidence in a text `kind:value`, as packs and older stores write it."""
    kind, mark, value = text.partition(":")
    is_marked = mark and kind.replace("-", "").isalpha() and kind.islower() and len(kind) <= 20
    return Evidence(kind, value.strip()) if is_marked else Evidence(Kind.NOTE, text)


def values_of(pieces: Iterable[Evidence], kind: str) -> tuple[str, ...]:
    """The values of one kind."""
    return tuple([piece.value for piece in pieces if piece.kind == kind])


def read_evidence(items: Iterable[Any]) -> tuple[Evidence, ...]:
    """Evidence from stored or imported items: `[kind, value, at]` or a text `kind:value`."""
    return join_evidence(
        parse_evidence(item) if isinstance(item, str) else _evidence_of_record(*item)
        for item in items
    )


def _evidence_of_record(kind: object, value: object, at: Any = 0.0) -> Evidence:
    return Evidence(str(kind), str(value), float(at))
