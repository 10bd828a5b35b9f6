"""What happened: deliveries, failures, the hold-out, and sums of them."""

from collections.abc import Iterator, Sequence
from datetime import date, datetime
from typing import Protocol

from hardwon.core.values.delivery import Delivery, Unit
from hardwon.core.values.report import (
    Deliveries,
    Exposure,
    FailureKind,
    LessonState,
    ListQuery,
    OpenFailure,
    Place,
    Window,
)
from hardwon.core.values.run import EndedRun
from hardwon.core.values.scope import Scope
from hardwon.knowledge.proof.arms import Arms, Stratum, Treatment


class DeliveryLog(Protocol):
    """Remembers what was shown where. Logging is cheap and never waits for another writer."""

    def log(self, delivery: Delivery) -> None:
        """Note one delivery; it raises the hit counts of its lessons when it is folded in."""

    def report(self, scope: Scope, delivery: str, outcome: str) -> None:
        """Note what came of a delivery."""

    def settle(self, scope: Scope, outcomes: Sequence[tuple[str, str]]) -> None:
        """The same for many (id, outcome), unless one is known: a reported outcome counts more."""

    def recent(self, scope: Scope, *, limit: int) -> list[Delivery]:
        """The latest deliveries of the agent, newest first; all that were logged before count."""


class FailureLog(Protocol):
    """Counts failures by signature."""

    def met(self, scope: Scope, signature: str, text: str, now: datetime) -> int:
        """Note one more meeting; how many there have been."""

    def commonest(self, scope: Scope, *, limit: int) -> list[tuple[str, int]]:
        """The readable signatures met most often, with their counts."""


class HoldOut(Protocol):
    """Stores which runs were shown a family of lessons, and from which it was withheld."""

    def salt(self) -> str:
        """The secret of the coin: made once, and the same for all who share the store."""

    def share(self, tenant: str) -> float | None:
        """The share of runs that was set for a tenant, if one was."""

    def set_share(self, tenant: str, share: float) -> None:
        """Set the share of a tenant; the settings hold where it is larger."""

    def log(self, unit: Unit) -> None:
        """Note a unit; only the first exposure of a run and a family counts."""

    def settle(self, scope: Scope, run: str, family: str, outcome: str) -> None:
        """Note the outcome of a unit, unless it has one."""

    def exclude(self, scope: Scope, families: Sequence[str], now: datetime) -> None:
        """Count no unit of these families that is open: its run may have read them elsewhere."""

    def arms(self, window: Window) -> list[Arms]:
        """The counts of both arms, for each door and each share that was in force."""

    def treatments(self, window: Window) -> list[Treatment]:
        """The counts of both arms for each lesson and wording, by id, wording and share."""


class RunArchive(Protocol):
    """Remembers runs that have ended, for a while."""

    def keep(self, run: EndedRun) -> None:
        """Store a run that ended, replacing one of the same id; returns without waiting."""

    def get(self, place: Place, run: str) -> EndedRun:
        """The run with this id, or whose id begins so, with its steps; else NotFound."""

    def recent(self, wanted: ListQuery) -> list[EndedRun]:
        """Those whose task contains the text, without steps, newest first. Marks: (ended, id)."""

    def latest(self, window: Window, *, limit: int) -> Iterator[EndedRun]:
        """The newest that ended within a window, with their steps, oldest first."""

    def prune(self, tenant: str, *, before: datetime, most: int) -> int:
        """Forget the runs that ended before, and the oldest beyond `most`; how many went."""

    def past(self, scope: Scope, digests: Sequence[str]) -> dict[str, str]:
        """Those of these digests that were noted for the scope, with their states."""

    def note_past(self, scope: Scope, digest: str, state: str) -> None:
        """Note that a past session was recorded up to here; replaces an earlier note of it."""


class Statistics(Protocol):
    """Adds up what was met, learnt and shown, where it is stored. Days are those of UTC."""

    def met(self, window: Window) -> list[tuple[date, int]]:
        """How many failures there were on each day that had some, oldest first."""

    def failures(self, window: Window, *, limit: int) -> list[FailureKind]:
        """The kinds that were met most often, with their days."""

    def stopped(self, window: Window, *, before: datetime, limit: int) -> list[FailureKind]:
        """The kinds met at least twice, last within the window and before a moment."""

    def deliveries(self, window: Window) -> list[Deliveries]:
        """What was shown, by door, outcome and day; all that was logged before counts."""

    def lessons(self, window: Window, *, new: datetime) -> list[LessonState]:
        """How many lessons are in each state, and how many of them were made since `new`."""

    def unsolved(self, window: Window, *, limit: int) -> list[OpenFailure]:
        """The failures without a fix that were met at least twice, the commonest first."""

    def exposures(self, scope: Scope, lesson: int) -> list[Exposure]:
        """Where this lesson was shown to the agent of a scope, in all its projects."""

    def strata(self, window: Window) -> list[Stratum]:
        """The units of a hold-out by project, door, author of the lesson and share in force."""
