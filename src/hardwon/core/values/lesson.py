"""A lesson: when a mistake happens, what to do instead, its fixes, and where it comes from."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any, NamedTuple

from hardwon.core.text.clean import LABEL_LIMIT, clip, one_line
from hardwon.core.values.scope import Scope


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


def read_evidence(items: Iterable[Any]) -> tuple[Evidence, ...]:
    """Evidence from stored or imported items: `[kind, value, at]` or a text `kind:value`."""

    def read(kind: object, value: object, at: Any = 0.0) -> Evidence:
        return Evidence(str(kind), str(value), float(at))

    return join_evidence(
        parse_evidence(item) if isinstance(item, str) else read(*item) for item in items
    )


INSTEAD = "instead"  # the sort of a fix that shows what was called where the call was given up
NEXT = "next"  # the same of calls that may have been made for another reason
UNCHANGED = "unchanged"  # the sort for tests that also fail without the run's change
PREPARED = " < "  # in a key: before the calls that came first
EDITED = f"{PREPARED}edit "  # in a key: before the words that an edit of a file brought
TEXT_LIMIT = 600  # characters of a fix
PROVEN_RUNS = 2  # runs in which a fix must have worked
DOUBTED_RUNS = 2  # failed runs after which it must be proven again
FIXES_KEPT = 8  # of one lesson


class Fix(NamedTuple):
    """One fix of a failure kind, with its record."""

    sort: str  # trail, lines, unchanged; others in lessons of older versions
    text: str  # the correction as it is shown; code lines keep newlines and indentation
    key: str  # equal for the same fix in two runs
    call: str = ""  # the recommended call, as typed
    mistake: str = ""  # what was removed, or tried without success
    worked: int = 1  # runs in which it worked
    failed: int = 0  # runs in which it was applied and failed
    said: str = ""  # the answer of a call that explained the failure

    @property
    def is_vague(self) -> bool:
        """Whether it only shows calls, one of which may have mattered; all else tells more."""
        is_before = self.key.count(PREPARED) > 1 and not self.said and EDITED not in self.key
        return is_before or self.sort == NEXT

    @property
    def is_proven(self) -> bool:
        """Whether it worked in two runs, and has not failed too often since."""
        return self.worked >= PROVEN_RUNS and (
            self.failed < DOUBTED_RUNS or self.worked >= 2 * self.failed
        )


def is_of_test_in(fix: Fix, output: str) -> bool:
    """Whether an output mentions the test that fails without any change."""
    return fix.key.partition(" ")[2] in output


def rank_fixes(fixes: Iterable[Fix]) -> tuple[Fix, ...]:
    """The fixes by their record, the likeliest first."""

    def rank(fix: Fix) -> tuple[bool, bool, bool, int, str]:
        is_empty = fix.key.endswith(PREPARED)
        return is_empty, fix.is_vague, not fix.is_proven, fix.failed - fix.worked, fix.key

    return tuple(sorted(fixes, key=rank)[:FIXES_KEPT])


def with_success(fixes: tuple[Fix, ...], fix: Fix) -> tuple[Fix, ...]:
    """The fixes after one more run in which this one worked; the newest text is kept."""
    earlier = next((stored for stored in fixes if stored.key == fix.key), None)
    if earlier is None:
        return rank_fixes((*fixes, fix))
    grown = fix._replace(worked=earlier.worked + 1, failed=earlier.failed)
    return rank_fixes(grown if stored.key == fix.key else stored for stored in fixes)


def with_failure(fixes: tuple[Fix, ...], key: str) -> tuple[Fix, ...]:
    """The fixes after one more run in which this one was applied without success."""
    changed = (fix._replace(failed=fix.failed + (fix.key == key)) for fix in fixes)
    return rank_fixes(changed)


def without_success(fixes: tuple[Fix, ...], key: str) -> tuple[Fix, ...]:
    """The fixes after one success of this one was found to be none: it counts as a failure."""
    changed = (
        fix._replace(worked=fix.worked - 1, failed=fix.failed + 1) if fix.key == key else fix
        for fix in fixes
    )
    return rank_fixes(changed)


def merge_fixes(fixes: Iterable[Fix]) -> tuple[Fix, ...]:
    """The fixes of several lessons, each once, with summed records."""
    by_key: dict[str, Fix] = {}
    for fix in fixes:
        if known := by_key.get(fix.key):
            worked, failed = known.worked + fix.worked, known.failed + fix.failed
            fix = known._replace(worked=worked, failed=failed)
        by_key[fix.key] = fix
    return rank_fixes(by_key.values())


def read_fixes(items: Iterable[Any]) -> tuple[Fix, ...]:
    """Fixes from stored or imported records."""
    kinds = (str, str, str, str, str, int, int, str)  # of the fields, in their order
    records = (zip(kinds, item, strict=False) for item in items)
    return tuple(Fix(*[kind(value) for kind, value in record]) for record in records)


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
FILE_TAG = "file:"  # of a lesson that a file of the repository holds; digests follow
PROVISIONAL = 0xC000_0000  # numbers from here on were given in a copy; four bytes hold them
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


SHELVED = (Status.QUARANTINED, Status.RETIRED, Status.SUPERSEDED)  # these forbid nothing


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
    def stays_here(self) -> bool:
        """Whether a file of the repository holds it and the server of this machine does not."""
        return self.id >= PROVISIONAL and any(tag.startswith(FILE_TAG) for tag in self.tags)

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
        is_note = self.situation == one_line(self.correction)
        return "note" if is_note else clip(self.situation, LABEL_LIMIT)

    def row(self) -> str:
        """The lesson on one line, in the words of the published list."""
        hits = f"  (hits: {self.hits})" if self.hits else ""
        return f"#{self.id}  [{self.headline()}]  {one_line(self.correction)}{hits}"

    def searchable(self) -> str:
        """The text that searches look in."""
        mistake = () if self.mistake == USER_SUPPLIED else (self.mistake,)
        seen = (*evidence_of(self, Kind.MET), *evidence_of(self, Kind.TASK))
        return " ".join((self.situation, *mistake, self.correction, *self.tags, *seen))

    def was_met_by(self, task: str) -> bool:
        """Whether a run with this very task met its failure."""
        asked = clip(one_line(task), TASK_LIMIT)
        return bool(asked) and asked in evidence_of(self, Kind.TASK)

    def with_dates(self, now: datetime, *, keeps_dates: bool) -> Lesson:
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
    return lesson.author not in ("", RULES) or bool(evidence_of(lesson, Kind.APPROVED))


def unique(items: tuple[str, ...]) -> tuple[str, ...]:
    """The items without repeats, in order."""
    return tuple(dict.fromkeys(items))


def clean_tags(tags: tuple[str, ...]) -> tuple[str, ...]:
    """Lower-case, hyphenated, unique, at most twelve."""
    cleaned = (one_line(tag, 40).lower().replace(" ", "-").strip("-,#") for tag in tags)
    return tuple(dict.fromkeys(filter(None, cleaned)))[:TAG_LIMIT]


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


def with_evidence(lesson: Lesson, kind: str, value: object) -> Lesson:
    """The lesson with one more piece of evidence."""
    return lesson._replace(evidence=join_evidence(lesson.evidence, [Evidence(kind, str(value))]))


def evidence_of(lesson: Lesson, kind: str) -> tuple[str, ...]:
    """The values of one kind of evidence."""
    return tuple([piece.value for piece in lesson.evidence if piece.kind == kind])


def without_evidence(lesson: Lesson, kind: str) -> Lesson:
    """The lesson without the evidence of one kind."""
    return lesson._replace(evidence=tuple(piece for piece in lesson.evidence if piece.kind != kind))


def quarantine_lesson(lesson: Lesson, reason: str) -> Lesson:
    """The lesson in quarantine, and why."""
    return with_evidence(lesson, Kind.QUARANTINED, reason)._replace(status=Status.QUARANTINED)


def confirmation(lesson: Lesson) -> str:
    """The confirmation for the author of a new lesson; says so if it is held back."""
    recorded = f"OK: recorded lesson #{lesson.id} — {lesson.row()}"
    return "\n".join((recorded, *quarantine_note(lesson)))


def quarantine_note(lesson: Lesson) -> tuple[str, ...]:
    """The note on a lesson in quarantine; empty for any other."""
    if lesson.status != Status.QUARANTINED:
        return ()
    reason = "; ".join(evidence_of(lesson, Kind.QUARANTINED))
    return (f"held back: {reason}; waits for approval: hardwon lesson approve {lesson.id}",)


def approve_lesson(lesson: Lesson, by: str = "person") -> Lesson:
    """The lesson as approved by a person; the reason of its quarantine stays."""
    return with_evidence(lesson, Kind.APPROVED, by)._replace(status=Status.PROVEN)


def is_approved(lesson: Lesson, reason: str) -> bool:
    """Whether a person has released the lesson although this was the reason to hold it back."""
    was_reason = reason in evidence_of(lesson, Kind.QUARANTINED)
    return was_reason and bool(evidence_of(lesson, Kind.APPROVED))


def is_from(lesson: Lesson, origin: str) -> bool:
    """Whether the lesson has this origin, author, job or evidence."""
    origins = {lesson.origin, lesson.author, lesson.job, *map(str, lesson.evidence)}
    return origin in origins or lesson.origin.startswith(f"{origin}:")


def descendants(lessons: Iterable[Lesson], origin: str) -> list[Lesson]:
    """All lessons of an origin, and all lessons merged from those."""
    pool = list(lessons)
    family = {lesson.id: lesson for lesson in pool if is_from(lesson, origin)}
    has_grown = True
    while has_grown:
        parents = set(map(str, family))
        grown = (one for one in pool if not parents.isdisjoint(evidence_of(one, Kind.PARENT)))
        children = {lesson.id: lesson for lesson in grown if lesson.id not in family}
        has_grown = bool(children)
        family |= children
    return list(family.values())


CHANGES_KEPT = 1000  # changes of a scope; the oldest are dropped
# Decided by a hold-out: the lesson hardly helps, or may help after all
RETIRE, RETURN = "retire", "return"


class Change(NamedTuple):
    """One edit, guard or deletion: the lesson as it was before."""

    before: Lesson
    act: str
    at: datetime
    id: int = 0


class Wording(NamedTuple):
    """The text fields of one stored lesson."""

    lesson: int
    situation: str
    mistake: str
    correction: str

    def text(self) -> str:
        """The text to embed: each part once, in reading order."""
        parts = (self.situation, self.mistake, self.correction)
        distinct = dict.fromkeys(part for part in parts if part and part != USER_SUPPLIED)
        return ". ".join(distinct)

    def texts(self) -> list[str]:
        """The texts its vector is made of: the whole text, and the situation once more.

        Queries say what happens, seldom what to do about it.
        """
        return list(dict.fromkeys((self.text(), self.situation or self.text())))
