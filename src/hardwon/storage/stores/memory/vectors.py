"""Vectors in a dictionary."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hardwon.core.values.lesson import lesson_wording

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from hardwon.core.values.lesson import Lesson, Wording
    from hardwon.core.values.scope import Scope
    from hardwon.storage.stores.memory.lessons import MemoryLessons


class MemoryVectors:
    """Vectors in a dictionary, compared one by one."""

    def __init__(self, lessons: MemoryLessons) -> None:
        self.all: dict[int, tuple[str, Wording, bytes]] = {}
        self._lessons = lessons

    def lacking(self, embedder: str, *, after: int = 0, limit: int) -> list[Wording]:
        words = [lesson_wording(lesson) for lesson in self._active() if lesson.id > after]
        return [word for word in words if not self._vector(embedder, word)][:limit]

    def save(self, embedder: str, embedded: Iterable[tuple[Wording, Sequence[float]]]) -> None:
        from hardwon.storage import vector_codes

        packed = {words: vector_codes.packed(vector) for words, vector in embedded}
        self.all |= {words.lesson: (embedder, words, vector) for words, vector in packed.items()}

    def nearest(
        self, scope: Scope, embedder: str, vector: Sequence[float], *, limit: int
    ) -> list[tuple[int, float, float]]:
        words = [
            lesson_wording(lesson) for lesson in self._active() if lesson.scope in scope.visible()
        ]
        vectors_by_lesson = {word.lesson: self._vector(embedder, word) for word in words}
        vectors_by_lesson = {
            number: packed
            for number, packed in vectors_by_lesson.items()
            if len(packed) == len(vector)
        }
        stored = list(vectors_by_lesson.values())
        from hardwon.storage import vector_codes

        background = vector_codes.Background(stored)
        return background.nearest(vector, list(vectors_by_lesson), stored)[:limit]

    def counts(self, embedder: str) -> tuple[int, int]:
        active = self._active()
        return sum(bool(self._vector(embedder, lesson_wording(lesson))) for lesson in active), len(
            active
        )

    def _active(self) -> list[Lesson]:
        return [lesson for lesson in self._lessons.all.values() if lesson.is_active]

    def _vector(self, embedder: str, words: Wording) -> bytes:
        """The vector of a lesson; empty if its embedder or wording differs."""
        stored = self.all.get(words.lesson)
        return stored[2] if stored and stored[:2] == (embedder, words) else b""
