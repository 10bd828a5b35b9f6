"""A lesson: when a mistake happens, what went wrong, what to do instead."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import NamedTuple

from hardwon.core.text.clean import LABEL_LIMIT, LESSON_LIMIT, clip, many_lines, one_line
from hardwon.core.values.evidence import Evidence, Kind, join_evidence, values_of
from hardwon.core.values.fix import Fix, merge_fixes
from hardwon.core.values.scope import Scope

CATEGORY = "lesson"
TAG_LIMIT = 12
CALLS_KEPT = 160
FORBIDDEN = "!"  # prefix of a call that a person has forbidden
SIGNATURES_KEPT = 100
TASK_LIMIT = 300  # characters of a task that a later prompt is compared with
EPOCH = datetime.fromtimestamp(0, UTC)
RULES = "rules"  # the author of lessons that no model worded
RUN = "run"  # the origin of lessons from reflections on runs; the source follows
MINED = "mined"  # the origin of lessons made from steps without a model
USER_SUPPLIED = "(user-supplied lesson; no automatic mistake detection)"


class Status:
    """The states of a lesson: seen, candidate, proven, retired …"""

    SEEN = "seen"  # no fix known: counted, shown in at most one line at the same error
    CANDIDATE = "candidate"  # one run showed a fix: shown at the same error only
    PROVEN = "proven"  # worked again, or a person vouched for it: shown where it fits
    QUARANTINED = "quarantined"  # reads like an instruction; waits for a person
    RETIRED = "retired"  # did not help, or expired
    SUPERSEDED = "superseded"  # merged into another lesson
    ACTIVE = "active"  # in queries: candidate or proven
    ALL = "all"  # in queries: every status


LIVE = (Status.SEEN, Status.CANDIDATE, Status.PROVEN)
_GROUPS = {
    Status.ACTIVE: LIVE[1:],
    Status.ALL: (*LIVE, Status.QUARANTINED, Status.RETIRED, Status.SUPERSEDED),
}


def statuses(word: str) -> tuple[str, ...]:
    """The statuses that a query word stands for."""
    return _GROUPS.get(word, (word,))


# Lessons in these states forbid nothing.
SHELVED = (
    Status.QUARANTINED,
    Status.RETIRED,
    Status.SUPERSEDED,
)


class Lesson(NamedTuple):
    """One lesson in one scope. A change is a new value; stores keep the id."""

    scope: Scope
    situation: str
    correction: str
    mistake: str = ""
    tags: tuple[str, ...] = ()
    trigger: str = "manual"
    signatures: tuple[str, ...] = ()  # exact digests of its failures
    calls: tuple[str, ...] = ()  # keys of the calls that led to it, one per occurrence
    evidence: tuple[Evidence, ...] = ()  # where it comes from
    origin: str = ""  # how it was learnt, and from what
    author: str = ""  # the model, `rules` or `person`
    job: str = ""  # the job that made it; a job makes one lesson at most
    importance: float = 0.5
    confidence: float = 0.6
    status: str = Status.PROVEN
    id: int = 0
    hits: int = 0  # how often it was shown
    met: int = 1  # how often its failure was met
    created_at: datetime = EPOCH
    updated_at: datetime = EPOCH
    last_seen_at: datetime = EPOCH
    expires_at: datetime | None = None
    guard: bool = False  # a person forbade its calls
    kinds: tuple[str, ...] = ()  # digests of its failure kinds
    fixes: tuple[Fix, ...] = ()  # fixes of the failure, the likeliest first

    @property
    def is_active(self) -> bool:
        """Whether it may be shown: a candidate, or proven."""
        return self.status in LIVE[1:]

    @property
    def was_retired(self) -> bool:
        """Whether a hold-out has shown that its present or an earlier wording hardly helps."""
        return any(piece.kind == Kind.RETIRED for piece in self.evidence)

    @property
    def category(self) -> str:
        """The category of the fact, in the words of the published memory format."""
        return CATEGORY

    def render(self) -> str:
        """The lesson in its standard four lines."""
        return (
            f"LESSON: {one_line(self.situation) or '(unknown)'}\n"
            f"MISTAKE: {one_line(self.mistake) or '(unknown)'}\n"
            f"CORRECTION: {one_line(self.correction) or '(unknown)'}\n"
            f"TRIGGER: {self.trigger}"
        )

    def all_tags(self) -> tuple[str, ...]:
        """The tags for searches: `reflexion`, the trigger, and the lesson's own."""
        return unique(("reflexion", f"trigger:{self.trigger}", *self.tags))

    def headline(self) -> str:
        """A short label: the situation; "note" if that equals the correction."""
        return (
            "note"
            if self.situation == one_line(self.correction)
            else clip(self.situation, LABEL_LIMIT)
        )

    def row(self) -> str:
        """The lesson on one line, in the words of the published list."""
        hits = f"  (hits: {self.hits})" if self.hits else ""
        return f"#{self.id}  [{self.headline()}]  {one_line(self.correction)}{hits}"

    def searchable(self) -> str:
        """The text that searches look in."""
        mistake = () if self.mistake == USER_SUPPLIED else (self.mistake,)
        seen = (*values_of(self.evidence, Kind.MET), *values_of(self.evidence, Kind.TASK))
        return " ".join((self.situation, *mistake, self.correction, *self.tags, *seen))

    def was_met_by(self, task: str) -> bool:
        """Whether a run with this very task met its failure."""
        asked = clip(one_line(task), TASK_LIMIT)
        return bool(asked) and asked in values_of(self.evidence, Kind.TASK)

    def dated(self, now: datetime, *, keeps_dates: bool) -> Lesson:
        """This lesson dated now; with `keeps_dates` only missing dates are set."""
        times = (self.created_at, self.updated_at, self.last_seen_at)
        created, updated, seen = (now if at == EPOCH or not keeps_dates else at for at in times)
        return self._replace(created_at=created, updated_at=updated, last_seen_at=seen)

    def met_again(self, other: Lesson, now: datetime) -> Lesson:
        """This lesson with the evidence of one more occurrence of its failure."""
        return self._replace(
            met=self.met + other.met,
            signatures=unique((*self.signatures, *other.signatures))[-SIGNATURES_KEPT:],
            calls=kept_calls((*self.calls, *other.calls)),
            evidence=join_evidence(self.evidence, other.evidence),
            kinds=unique((*self.kinds, *other.kinds)),
            fixes=merge_fixes((*self.fixes, *other.fixes)),
            updated_at=now,
        )


def kept_calls(calls: tuple[str, ...]) -> tuple[str, ...]:
    """The newest calls that led to a lesson, and all forbidden ones."""
    ordinary = tuple(call for call in calls if call[0] != FORBIDDEN)
    return (*(call for call in calls if call[0] == FORBIDDEN), *ordinary[-CALLS_KEPT:])


def is_vouched(lesson: Lesson) -> bool:
    """Whether a person, or a model that saw the evidence, vouches for it."""
    return lesson.author not in ("", RULES) or bool(values_of(lesson.evidence, Kind.APPROVED))


def unique(items: tuple[str, ...]) -> tuple[str, ...]:
    """The items without repeats, in order."""
    return tuple(dict.fromkeys(items))


def clean_tags(tags: tuple[str, ...]) -> tuple[str, ...]:
    """Lower-case, hyphenated, unique, at most twelve."""
    cleaned = (one_line(tag, 40).lower().replace(" ", "-").strip("-,#") for tag in tags)
    return unique(tuple(tag for tag in cleaned if tag))[:TAG_LIMIT]


def tidy(lesson: Lesson) -> Lesson:
    """The lesson within the general limits of length."""
    return lesson._replace(
        situation=one_line(lesson.situation, LABEL_LIMIT * 4),
        mistake=one_line(lesson.mistake, LESSON_LIMIT),
        correction=many_lines(lesson.correction, LESSON_LIMIT),
        tags=clean_tags(lesson.tags),
    )


def lesson_of_person(scope: Scope, text: str) -> Lesson:
    """The lesson that a person wrote down."""
    return Lesson(
        scope=scope,
        situation=text,
        mistake=USER_SUPPLIED,
        correction=text,
        tags=("user-supplied",),
        trigger="manual",
        origin="manual",
        author="person",
        importance=0.8,
        confidence=0.9,
    )
