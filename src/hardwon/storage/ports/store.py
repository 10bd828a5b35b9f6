"""A whole store."""

from contextlib import AbstractContextManager
from typing import Protocol

from hardwon.core.values.scope import Scope
from hardwon.storage.ports.knowledge import (
    DreamStore,
    History,
    LessonStore,
    ReflectionStore,
    VectorStore,
)
from hardwon.storage.ports.listing import Listing
from hardwon.storage.ports.logs import (
    DeliveryLog,
    FailureLog,
    HoldOut,
    RunArchive,
    Statistics,
)


class Knowledge(Protocol):
    """Where a store keeps what is known."""

    @property
    def lessons(self) -> LessonStore: ...
    @property
    def reflections(self) -> ReflectionStore: ...
    @property
    def runs(self) -> ReflectionStore: ...
    @property
    def history(self) -> History: ...
    @property
    def dreams(self) -> DreamStore: ...


class Logs(Protocol):
    """Where a store keeps what happened."""

    @property
    def deliveries(self) -> DeliveryLog: ...
    @property
    def failures(self) -> FailureLog: ...
    @property
    def units(self) -> HoldOut: ...
    @property
    def statistics(self) -> Statistics: ...
    @property
    def ended_runs(self) -> RunArchive: ...


class Parts(Knowledge, Logs, Protocol):
    """What every store consists of."""


class Upkeep(Protocol):
    """Maintenance of a store."""

    def tend(self) -> int:
        """Merge recent notes into the index, as workers do; how many there were."""

    def check(self) -> list[str]:
        """What is wrong with the stored data, in words; nothing when all is well."""

    def close(self) -> None:
        """Release files and connections; what was stored stays."""


class Store(Parts, Upkeep, Protocol):
    """Everything that is kept about agents, under one roof."""

    @property
    def vectors(self) -> VectorStore: ...
    @property
    def listing(self) -> Listing: ...

    def together(self) -> AbstractContextManager[object]:
        """Everything stored inside the `with` block is kept as a whole or not at all."""

    def shelves(self, tenant: str) -> dict[Scope, int]:
        """Where a tenant has active lessons, and how many; most first."""

    def scopes(self, tenant: str, project: str) -> list[Scope]:
        """The scopes of all agents of a tenant that have something in this project."""

    def move(self, scope: Scope, target: Scope) -> None:
        """Move the logs and counts of a scope to another scope; counts are added up."""

    def forget(self, tenant: str) -> None:
        """Remove a tenant with everything it owns."""
