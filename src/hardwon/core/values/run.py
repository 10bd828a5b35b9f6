"""A run of an agent: its steps and failures, its state on the way, and what is kept of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from hardwon.core.values.scope import Scope

_GENERIC = frozenset({"AssertionError", "Error", "Exception", "Failed", "RuntimeError"})


class Failure(NamedTuple):
    """A failure, read once from the output of a step."""

    exact: str  # digest of tool and folded line; "" when the line fits many failures
    kind: str  # digest of `text`
    text: str  # the readable kind: "OperationalError: no such table <name>"
    line: str = ""  # the line that matters, as printed, cleaned

    @property
    def is_telling(self) -> bool:
        """Whether it is specific: by its line, or by a kind that names a cause."""
        return bool(self.exact) or self.text.rsplit(": ", 1)[-1] not in _GENERIC


class Step(NamedTuple):
    """One tool call. A failing step carries its failure once that has been read."""

    tool: str
    args: str  # the call as text; for a shell, the command as typed
    output: str = ""
    failed: bool = False
    failure: Failure | None = None


def read_step(values: Sequence[Any]) -> Step:
    """The step of a stored record; older versions stored a digest as the failure."""
    step = Step(*values)
    stored: object = step.failure
    return step._replace(failure=Failure(*stored) if isinstance(stored, list | tuple) else None)


class Trigger:
    """Why a lesson is made."""

    ERROR = "error"
    HALLUCINATION = "hallucination"
    LOW_QUALITY = "low_quality"
    MANUAL = "manual"
    VERIFICATION = "verification"
    GOAL = "goal"
    EXECUTION = "execution"
    SESSION = "session"
    NOTE = "note"
    RECURRENCE = "recurrence"
    RUN = "run"
    NOTICE = "notice"  # no lesson: a message to people


class Episode(NamedTuple):
    """A task, what was tried, and how it ended."""

    scope: Scope
    task: str
    attempt: str = ""
    error: str = ""
    steps: tuple[Step, ...] = ()
    signals: tuple[tuple[str, str], ...] = ()
    source: str = "library"

    def signal(self, key: str) -> str:
        """The value of a signal, or an empty string."""
        return dict(self.signals).get(key, "")

    def is_flagged(self, key: str) -> bool:
        """A flag counts only when it is exactly "true"."""
        return self.signal(key) == "true"


WITHHELD = "withheld"  # the door under which a run notes lessons that are withheld from it
ASKED = "asked for items"  # the mark of a run whose agent was asked what it found out
SPEECHLESS = "failed without a word"


class Ending:
    """How a run ended, according to its steps and its caller."""

    WORKED = "worked"  # nothing failed
    RECOVERED = "recovered"  # something failed, and then it worked
    FAILED = "failed"  # the last step failed, or the caller said so
    ABANDONED = "abandoned"  # nothing happened for a day


class Shown(NamedTuple):
    """One delivery to the run, and the number of steps since."""

    delivery: str
    door: str
    kinds: tuple[str, ...] = ()  # digests of the failures its lessons are about
    after: int = 0  # steps since
    lessons: tuple[int, ...] = ()  # ids of the lessons shown
    text: str = ""  # the words


class Author(NamedTuple):
    """Who had a run made, and on which machine; "" where that is not known or not recorded."""

    person: str = ""
    machine: str = ""


class RunSoFar(NamedTuple):
    """The state of a run: task, steps, lessons shown, and what it has counted."""

    task: str = ""
    steps: tuple[Step, ...] = ()
    told: frozenset[int] = frozenset()  # ids of the lessons shown to it
    counted: frozenset[str] = frozenset()  # marks that count once per run and have been counted
    warned: str = ""  # the name of the pending call it was warned about
    since: int = 0  # steps since the last prompt
    warnings: frozenset[int] = frozenset()  # ids of the lessons shown before a call
    shown: tuple[Shown, ...] = ()  # deliveries, in order
    made: int = 0  # all steps, including forgotten ones
    begun: float = 0.0  # seconds since 1970
    prompts: tuple[tuple[int, str], ...] = ()  # what was asked, after how many steps
    by: Author | None = None  # if it was made for somebody else than the person of this machine
    program: str = ""  # the coding agent that made it, if a hook noted that

    @property
    def turn(self) -> tuple[Step, ...]:
        """The steps since the last prompt."""
        return self.steps[max(0, len(self.steps) - self.since) :]

    def after(self, step: Step, counted: Iterable[str]) -> RunSoFar:
        """The run one step later."""
        marks = self.counted.union(counted)
        return self._replace(steps=(*self.steps, step), counted=marks, warned="")

    @property
    def withheld(self) -> frozenset[str]:
        """The failure kinds whose lessons a hold-out withholds from the run."""
        return frozenset(
            kind for delivery in self.shown if delivery.door == WITHHELD for kind in delivery.kinds
        )

    def has_met_exactly(self, failure: Failure) -> bool:
        """Whether a step has failed exactly like this; without an exact digest the kind decides."""
        if not failure.exact:
            return self.last_failing(failure.kind) is not None
        return any(step.failure and step.failure.exact == failure.exact for step in self.steps)

    def last_failing(self, kind: str) -> int | None:
        """The index of the last step that failed this way."""
        for place in range(len(self.steps) - 1, -1, -1):
            failure = self.steps[place].failure
            if failure is not None and failure.kind == kind:
                return place
        return None

    def ending(self, error: str = "") -> str:
        """How the run ended; `error` is what its caller says went wrong, if anything."""
        has_failed = any(step.failed for step in self.steps)
        if (has_failed and self.steps[-1].failed) or error not in ("", self.last_error):
            return Ending.FAILED
        return Ending.RECOVERED if has_failed else Ending.WORKED

    @property
    def last_error(self) -> str:
        """What the last failing step printed; "" when nothing failed."""
        failed = next((step for step in reversed(self.steps) if step.failed), None)
        return "" if failed is None else failed.output or SPEECHLESS


class EndedRun(NamedTuple):
    """The task, outcome and shortened steps of a run, with what it was shown."""

    id: str  # ids sort by the start of the run
    scope: Scope
    run: str  # the name of the run; one conversation may end several times
    task: str
    begun: datetime
    ended: datetime
    outcome: str  # one of `values.run.Ending`
    made: int  # steps
    failed: int  # steps that failed
    told: int  # how often it was shown something
    kinds: tuple[str, ...] = ()  # the failure kinds that it met, as readable texts
    steps: tuple[Step, ...] = ()  # the newest, shortened; empty in lists
    shown: tuple[Shown, ...] = ()  # with the number of steps since; empty in lists
    person: str = ""  # who had it made; "": not recorded
    machine: str = ""
    program: str = ""  # the coding agent that made it


def timeline(steps: Sequence[Step], shown: Sequence[Shown]) -> Iterator[Step | Shown]:
    """The steps of a run, each after the deliveries shown before it."""
    by_step: dict[int, list[Shown]] = {}
    for delivery in shown:
        by_step.setdefault(max(0, len(steps) - delivery.after), []).append(delivery)
    for at, step in enumerate(steps):
        yield from by_step.get(at, ())
        yield step
    yield from by_step.get(len(steps), ())


def run_id(run: str, begun: datetime) -> str:
    """The id of a run, from its name and start time."""
    return f"{int(begun.timestamp() * 1000):011x}{run[:10]}"
