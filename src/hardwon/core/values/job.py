"""A job: the durable request to reflect on one episode; how it is retried; counts of the queue."""

from __future__ import annotations

import hashlib
from datetime import datetime, timedelta
from typing import NamedTuple, TypedDict

from hardwon.core.errors import StorageError, TransientError
from hardwon.core.values.run import Episode, Trigger
from hardwon.core.values.scope import Scope

# White space as Go defines it (unicode.IsSpace); Python's definition adds U+001C to U+001F.
_SPACE = "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"  # noqa: E501
_TO_BLANK = str.maketrans(dict.fromkeys(_SPACE, " "))


class Job(NamedTuple):
    """One reflection to be done. Attempts are counted when they start."""

    id: str
    episode: Episode
    trigger: str
    outcome: str  # why we reflect, in words
    enqueued_at: datetime
    due: datetime
    attempts: int = 0
    last_error: str = ""
    wait: timedelta = timedelta(0)  # planned wait before the next attempt
    claim: str = ""  # the token of the attempt that holds it; not stored with the job

    def with_attempt(self) -> Job:
        """The job with one more attempt begun."""
        return self._replace(attempts=self.attempts + 1)

    def postponed(self, until: datetime, error: str, *, wait: timedelta = timedelta(0)) -> Job:
        """The job to be tried again at `until`, which is `wait` from now."""
        return self._replace(due=until, last_error=error, wait=wait)

    def handed_back(self) -> Job:
        """The job as it was before its attempt began."""
        return self._replace(attempts=max(0, self.attempts - 1))


def outcome_of(episode: Episode, trigger: str) -> str:
    """Why we reflect, in the words of the published record format."""
    if trigger == Trigger.GOAL:
        return f"GOAL {episode.source}: {episode.signal('goal_state')}: {episode.error}"
    if trigger == Trigger.EXECUTION:
        return f"EXECUTION {episode.signal('run')}: {episode.error}"
    if trigger == Trigger.RUN:
        return f"RUN {episode.signal('run')}: {episode.error}".rstrip(": ")
    if episode.error:
        return f"ERROR: {episode.error}"
    if trigger == Trigger.HALLUCINATION:
        return f"DISCREPANCY (from CoVe): {episode.signal('verifier_discrepancies')}"
    if trigger == Trigger.LOW_QUALITY:
        return f"LOW QUALITY (from Self-Refine): {episode.signal('refine_low_quality_reason')}"
    return "MANUAL: user requested /reflect"


def job_id(task: str, trigger: str, attempt: str, outcome: str, scope: Scope | None = None) -> str:
    """The id of a request, from its content: the same failure in the same scope has one id.

    The default scope adds nothing, so ids equal those of the published system.
    """
    words = _lower(task).translate(_TO_BLANK).split(" ")
    parts = [
        f"task:{' '.join(word for word in words if word)}",
        f"trigger:{_lower(trigger.strip(_SPACE))}",
        f"attempt:{attempt.strip(_SPACE)}",
        f"outcome:{outcome.strip(_SPACE)}",
    ]
    if scope is not None and scope != Scope():
        parts.append("scope:" + "\0".join(part or "" for part in scope))
    digest = hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass"))
    return digest.hexdigest()[:16]


def new_job(episode: Episode, trigger: str, now: datetime) -> Job:
    """The job that asks for a reflection on this episode."""
    outcome = outcome_of(episode, trigger)
    identity = job_id(episode.task, trigger, episode.attempt, outcome, episode.scope)
    return Job(identity, episode, trigger, outcome, enqueued_at=now, due=now)


def _lower(text: str) -> str:
    """Lower-cased one character at a time, as Go does: no final sigma, `İ` becomes `i`."""
    return text.lower() if text.isascii() else "".join(c.lower()[0] for c in text)


class Backoff(NamedTuple):
    """How long to wait between attempts, and how many there are."""

    first: timedelta = timedelta(seconds=1)
    limit: timedelta = timedelta(minutes=5)
    spread: float = 0.2
    attempts: int = 5

    def delay(self, attempts: int, *, noise: float = 0.0) -> timedelta:
        """How long to wait after `attempts` failed tries; `noise` is in -1 … 1."""
        grown = min(self.first * 2.0 ** min(attempts - 1, 32), self.limit)  # 2.0**1025 overflows
        return min(grown * (1 + self.spread * noise), self.limit)

    def sensible(self) -> Backoff:
        """The same back-off with every value in its valid range."""
        first = self.first if self.first > timedelta(0) else timedelta(seconds=1)
        limit = self.limit if self.limit > timedelta(0) else timedelta(minutes=5)
        attempts = self.attempts if self.attempts >= 1 else 5
        return Backoff(first, max(first, limit), min(max(self.spread, 0.0), 0.5), attempts)


class Policy(NamedTuple):
    """How jobs are processed."""

    backoff: Backoff = Backoff()
    timeout: timedelta = timedelta(minutes=2)
    workers: int = 2
    grace: timedelta = timedelta(seconds=30)  # for jobs in flight when the worker stops


def is_transient(error: Exception) -> bool:
    """Whether the job may succeed later: a busy or slow server, a failing disk."""
    return isinstance(error, TransientError | TimeoutError | StorageError | OSError)


class WorkerStatus(TypedDict, total=False):
    """The status that a worker process publishes."""

    pid: int
    at: str  # ISO 8601
    began: str  # the same
    done: int
    retried: int
    buried: int
    running: list[tuple[str, str, int, str]]  # job, task, attempt, start


class QueueCounts(NamedTuple):
    """The counts of a queue: jobs in each state, and events so far.

    From `accepted` to `set_aside`: since this process began to work the queue, and then
    `accepted == done + buried + set_aside + pending`. The others count over all processes, ever.
    """

    pending: int = 0
    dead: int = 0
    quarantined: int = 0
    in_memory: int = 0
    in_flight: int = 0
    accepted: int = 0
    done: int = 0
    buried: int = 0
    set_aside: int = 0
    deduped: int = 0
    rejected_full: int = 0
    dropped_oldest: int = 0
    corrupt: int = 0
    stale: int = 0
    storage_errors: int = 0


SKIPPED = "skipped"  # returned by a processor when there was nothing to learn
BUCKETS = (0.5, 1, 2, 5, 10, 20, 30, 60, 120)  # seconds; published
EVENTS = ("deduped", "rejected_full", "dropped_oldest", "corrupt", "stale", "storage_errors")


def since(start: QueueCounts, now: QueueCounts) -> QueueCounts:
    """The counts with the events that came after `start` only."""
    return now._replace(**{name: getattr(now, name) - getattr(start, name) for name in EVENTS})


class Tally(NamedTuple):
    """What a worker did."""

    done: int = 0
    retried: int = 0
    buried: int = 0

    def __add__(self, other: object) -> Tally:
        assert isinstance(other, Tally)
        return Tally(*(a + b for a, b in zip(self, other, strict=True)))

    def minus(self, other: Tally) -> Tally:
        """What was done since `other`."""
        return Tally(*(a - b for a, b in zip(self, other, strict=True)))


class Running(NamedTuple):
    """A job in flight."""

    id: str
    task: str
    attempt: int
    since: datetime


class WorkCounter:
    """What a worker counts while it works."""

    def __init__(self) -> None:
        self.tally = Tally()
        self.attempts: dict[str, int] = {}  # by outcome: success, skipped, transient, permanent
        self.retries: dict[int, int] = {}  # by the attempt that failed
        self.seconds: dict[str, float] = {}  # by outcome
        self.buckets: dict[str, list[int]] = {}  # by outcome: a count per bucket, and one beyond
        self.persist_failures = 0
        self.running: dict[str, Running] = {}
        self.is_stopping = False
        self.has_trouble = False  # the disk or the server failed when it was last used

    @property
    def is_ready(self) -> bool:
        """Whether new jobs will be processed."""
        return not self.is_stopping and not self.has_trouble

    def count_attempt(self, outcome: str, seconds: float) -> None:
        """Count an attempt and its duration."""
        self.attempts[outcome] = self.attempts.get(outcome, 0) + 1
        self.seconds[outcome] = self.seconds.get(outcome, 0.0) + seconds
        buckets = self.buckets.setdefault(outcome, [0] * (len(BUCKETS) + 1))
        buckets[sum(seconds > edge for edge in BUCKETS)] += 1

    def count_retry(self, attempt: int) -> None:
        """Count a retry after this attempt."""
        self.retries[attempt] = self.retries.get(attempt, 0) + 1
        self.tally += Tally(retried=1)
