"""What is known: lessons, their vectors and history, reflections, dreams."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Protocol

from hardwon.core.values.dream import Dream, DreamChange
from hardwon.core.values.lesson import Change, Lesson, Wording
from hardwon.core.values.reflection import Likeness, Reflection
from hardwon.core.values.scope import Scope
from hardwon.knowledge.ranking.query import Match, Query


class LessonStore(Protocol):
    """Keeps lessons. Every call names a scope, and nothing outside it is read or changed."""

    def add(self, lesson: Lesson) -> Lesson:
        """Store durably; the lesson with its id. A job stored before gets its first lesson back."""

    def get(self, scope: Scope, number: int) -> Lesson:
        """The lesson with this id if it is visible from the scope, else NotFound."""

    def update(self, lesson: Lesson) -> None:
        """Replace the stored lesson of that id and scope, else NotFound."""

    def delete(self, scope: Scope, number: int) -> None:
        """Remove the lesson for good, else NotFound."""

    def recent(self, scope: Scope, *, status: str, limit: int) -> list[Lesson]:
        """Those visible from the scope, newest-consulted first."""

    def search(self, scope: Scope, text: str, *, limit: int) -> list[Lesson]:
        """Those whose situation, mistake, correction or tags contain the text, case aside."""

    def match(self, scope: Scope, query: Query, *, now: datetime, limit: int) -> list[Match]:
        """The deliverable lessons that share something with the query, best first."""

    def guards(self, scope: Scope) -> list[Lesson]:
        """The lessons visible from the scope that forbid calls, by id."""


class VectorStore(Protocol):
    """Keeps one vector a lesson, and compares only those of the same embedder."""

    def lacking(self, embedder: str, *, after: int = 0, limit: int) -> list[Wording]:
        """Active lessons of every scope without a vector, with an id over `after`, by id."""

    def save(self, embedder: str, embedded: Iterable[tuple[Wording, Sequence[float]]]) -> None:
        """Store the vectors, all or none; skip a lesson whose words have changed meanwhile."""

    def nearest(
        self, scope: Scope, embedder: str, vector: Sequence[float], *, limit: int
    ) -> list[tuple[int, float, float]]:
        """The active lessons seen from the scope, the nearest first.

        Each with its cosine, and with the cosine when what all lessons share is left out.
        """

    def counts(self, embedder: str) -> tuple[int, int]:
        """How many lessons have a vector of this embedder, and how many should."""


class History(Protocol):
    """Earlier versions of lessons, from before each change."""

    def note(self, change: Change) -> None:
        """Remember a lesson as it was; very old changes may be forgotten."""

    def of(self, scope: Scope, lesson: int | None) -> list[Change]:
        """The changes of one lesson, or of all visible from the scope, newest first."""

    def forget(self, scope: Scope, change: Change) -> None:
        """Remove a change that was taken back."""


class ReflectionStore(Protocol):
    """Keeps reflections under the loop, goal or pattern they are about."""

    is_shared: bool  # whether other programs write to it, too: what is read is not ours alone

    def save(self, reflection: Reflection, *, keep: int = 0) -> bool:
        """Store durably, at most `keep` about its subject; False when its job made one before."""

    def about(self, scope: Scope, subject: str) -> list[Reflection]:
        """All that are kept about one loop or goal, oldest first."""

    def recent(self, scope: Scope, *, now: datetime, limit: int) -> list[Reflection]:
        """The newest of the agent that have not expired, newest first."""

    def every(self, scope: Scope, *, now: datetime, limit: int) -> list[Reflection]:
        """The same over all goals and projects of the agent; for a batch, which can wait."""

    def alike(
        self, scope: Scope, words: Sequence[str], *, now: datetime, limit: int
    ) -> list[Likeness]:
        """The living ones that share several of the words, the most relevant first."""


class DreamStore(Protocol):
    """Remembers dreams for good, and shows a dreamer every lesson of one agent."""

    def save(self, dream: Dream) -> None:
        """Store durably; a dream of the same id is replaced."""

    def get(self, scope: Scope, dream: str) -> Dream:
        """The dream with this id, or whose id begins so; else NotFound."""

    def recent(self, scope: Scope, *, limit: int) -> list[Dream]:
        """The dreams of the agent, newest first."""

    def note(self, dream: str, changes: Sequence[DreamChange]) -> None:
        """Store the changes of a dream, for its undo."""

    def changes(self, dream: str) -> list[DreamChange]:
        """What a dream did, in order."""

    def scopes(self, scope: Scope) -> list[Scope]:
        """Every scope of the agent: everywhere and each project."""

    def lessons(self, scope: Scope) -> Iterator[Lesson]:
        """Every active lesson of the agent in all projects, oldest first."""

    def together(self) -> AbstractContextManager[object]:
        """Everything stored inside the `with` block is kept as a whole or not at all."""
