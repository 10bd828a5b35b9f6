"""A job: the durable request to reflect on one episode, and its id."""

import hashlib
from datetime import datetime, timedelta
from typing import NamedTuple

from hardwon.core.values.episode import Episode, Trigger
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

    def started(self) -> "Job":
        """The job with one more attempt begun."""
        return self._replace(attempts=self.attempts + 1)

    def postponed(self, until: datetime, error: str, *, wait: timedelta = timedelta(0)) -> "Job":
        """The job to be tried again at `until`, which is `wait` from now."""
        return self._replace(due=until, last_error=error, wait=wait)

    def handed_back(self) -> "Job":
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
    parts = [
        f"task:{_folded(task)}",
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


def _folded(text: str) -> str:
    """Lower-cased, white space collapsed."""
    words = _lower(text).translate(_TO_BLANK).split(" ")
    return " ".join(word for word in words if word)


def _lower(text: str) -> str:
    """Lower-cased one character at a time, as Go does: no final sigma, `İ` becomes `i`."""
    return text.lower() if text.isascii() else "".join(c.lower()[0] for c in text)
