"""Read the loops of an agent: states, reflections, search, analytics, imports."""

from __future__ import annotations

import functools
import os
import shutil
import tempfile
import warnings
import weakref
from typing import TYPE_CHECKING

from hardwon.errors import InvalidInput, NotFound
from hardwon.learn.trials import files, summary
from hardwon.learn.trials.analytics import Analysis, analyze
from hardwon.learn.trials.exchange import Imported, import_all
from hardwon.learn.trials.search import PARTS, RecordFilter, SharedPoint, patterns, search
from hardwon.learn.trials.snapshots import repository
from hardwon.learn.trials.to_lessons import keep_lessons
from hardwon.learn.trials.window import window

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypedDict, Unpack

    from hardwon.learn.trials.files import LoopFolder
    from hardwon.learn.trials.state import LoopState
    from hardwon.learn.trials.values import Record
    from hardwon.runtime import Runtime
    from hardwon.values.scope import Scope

    class SearchWords(TypedDict, total=False):
        """What `search` takes."""

        failure_category: str | Sequence[str]
        task_keywords: Sequence[str]
        min_confidence: float
        limit: int


_PATTERNS_READ = 500


class Library:
    """The stored loops of one agent."""

    def __init__(self, engine: Runtime, scope: Scope) -> None:
        self._engine = engine
        self.scope = scope
        self.root = root_of(engine)

    def get(self, loop_id: str) -> LoopState:
        """The state of a loop, or NotFound."""
        return self._folder(loop_id).state()

    def is_running(self, loop_id: str) -> bool:
        """Whether some process runs the loop now."""
        return files.is_running(self._folder(loop_id))

    def list(self, *, limit: int = 20, status: str | None = None) -> list[LoopState]:
        """The newest loops first."""
        states = [
            state
            for state in summary.every(self.root, self.scope)
            if status in (None, state.status)
        ]
        return sorted(states, key=lambda state: state.created_at, reverse=True)[:limit]

    def reflections(self, loop_id: str) -> Sequence[Record]:
        """All readable reflections of a loop, in order."""
        return self._folder(loop_id).records().records

    def active(self, loop_id: str) -> Sequence[Record]:
        """The reflections that are in the window now."""
        records = self.reflections(loop_id)
        if not records:
            return []
        memory = max(records, key=lambda record: record.iteration).memory_metadata
        return window(records, policy=memory.window_policy, size=memory.omega_capacity)

    def search(
        self,
        *,
        failure_category: str | Sequence[str] = (),
        task_keywords: Sequence[str] = (),
        min_confidence: float = 0.0,
        limit: int = 10,
    ) -> Sequence[Record]:
        """Reflections over all loops of the agent, newest first."""
        kinds = (failure_category,) if isinstance(failure_category, str) else failure_category
        record_filter = RecordFilter(tuple(kinds), tuple(task_keywords), min_confidence, limit)
        return search(self.root, self.scope, record_filter)

    def patterns(
        self,
        records: Sequence[Record] | None = None,
        *,
        min_frequency: int = 2,
        categories: Sequence[str] = PARTS,
        **wanted: Unpack[SearchWords],
    ) -> Sequence[SharedPoint]:
        """Points that several reflections share, most frequent first.

        Reads `records`, or what `search` finds with the same arguments. `categories` are the
        parts of a reflection to look in: actionable_insights, lessons_learned.
        """
        if records is None:
            arguments: SearchWords = {"limit": _PATTERNS_READ, **wanted}
            records = self.search(**arguments)
        return patterns(records, min_frequency=min_frequency, parts=categories)

    def analyze(self, *, watch: Callable[[], None] = lambda: None) -> Analysis:
        """Statistics over all loops of the agent; `watch` is called for each one read."""
        return analyze(summary.every(self.root, self.scope, watch=watch))

    def import_from(
        self, path: str, *, tell: Callable[[int, int], None] = lambda done, of: None
    ) -> Imported:
        """Import the reflections below a path, in any known format, and learn from them.

        `tell(done, of)` is called with the number of loops done, and of all loops.
        """
        learn, now = functools.partial(keep_lessons, self._engine), self._engine.clock()
        return import_all(self.root, self.scope, path, now=now, learn=learn, tell=tell)

    def take_in(self, path: str) -> Imported:
        """The deprecated name of `import_from`."""
        warnings.warn("loops.take_in is now loops.import_from", DeprecationWarning, stacklevel=2)
        return self.import_from(path)

    def restore_best(self, loop_id: str) -> int:
        """Restore the work tree to the state of the best trial; returns its number."""
        folder = self._folder(loop_id)
        state = folder.state()
        best = state.best
        place = repository(state.options.cwd, folder.at("git")) if state.options.cwd else None
        if place is None or best is None or not best.tree:
            problem = "has no snapshot of its files: it did not run in a git work tree"
            raise InvalidInput(f"loop {loop_id!r} {problem}")
        place.restore(best.tree)
        return best.number

    def folder(self, loop_id: str) -> LoopFolder:
        """The folder of a loop, or NotFound."""
        return self._folder(loop_id)

    def _folder(self, loop_id: str) -> LoopFolder:
        folder = files.LoopFolder(self.root, files.safe_id(loop_id))
        if not folder.exists() or not summary.is_visible(summary.read(folder), self.scope):
            raise NotFound("loop", loop_id)
        return folder


def root_of(engine: Runtime) -> str:
    """The folder of all loops; temporary for stores in memory."""
    if engine.on_disk:
        return os.path.join(engine.settings.home, "loops")
    if engine not in _TEMPORARY:
        _TEMPORARY[engine] = tempfile.mkdtemp(prefix="hardwon-loops-")
        weakref.finalize(engine, functools.partial(shutil.rmtree, ignore_errors=True),
                         _TEMPORARY[engine])  # fmt: skip
    return _TEMPORARY[engine]


_TEMPORARY: weakref.WeakKeyDictionary[Runtime, str] = weakref.WeakKeyDictionary()
