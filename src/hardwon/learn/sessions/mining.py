"""Mining: five phases over a session, over a history, or in two steps for other front ends."""

from __future__ import annotations

import asyncio
import os
from collections import Counter
from collections.abc import Callable
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

from hardwon.errors import HardwonError, InvalidInput, NotFound
from hardwon.learn.sessions import phases, runs
from hardwon.learn.sessions.agents import KINDS, read
from hardwon.learn.sessions.answers import cautious, prepared
from hardwon.learn.sessions.context import (
    Context,
    at_path,
    context_of,
    find_sessions,
    newest,
)
from hardwon.learn.sessions.extract import extract
from hardwon.learn.sessions.handoff import read_delta, write_context, write_delta
from hardwon.learn.sessions.insight import Delta
from hardwon.learn.sessions.integrate import Integration, verify
from hardwon.learn.sessions.questions import (
    Answer,
    Question,
    Selection,
    all_questions,
    converse,
    dialogue,
)
from hardwon.learn.sessions.rules.story import Story
from hardwon.learn.sessions.state import Handoff, Mined, Report, State, key_of
from hardwon.learn.sessions.undo import undo
from hardwon.workspace import project_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from hardwon.domain.scope import Scope
    from hardwon.engine import Engine
    from hardwon.learn.sessions.places import Place

Answerer = Callable[[Delta, Context], Answer]


class Ambiguous(InvalidInput):
    """Several sessions are going on; `found` are those that may be meant."""

    def __init__(self, found: list[Place]) -> None:
        names = ", ".join(one.id for one in found[:6])
        super().__init__(f"{len(found)} sessions may be meant: {names}; name one")
        self.found = found


class Overview(NamedTuple):
    """A session as it is listed."""

    place: Place
    turns: int
    steps: int
    failures: int
    prompt: str
    is_mined: bool


class Mining(NamedTuple):
    """What came of mining one session."""

    place: Place
    delta: Delta
    report: Report
    problem: str = ""  # why nothing came of it


class Waiting(NamedTuple):
    """A run that waits for answers."""

    run: str
    context: Context
    delta: Delta
    questions: tuple[Question, ...]


def by_policy(delta: Delta, context: Context) -> Answer:
    """Answers for when nobody is there."""
    return cautious(delta)


class Sessions:
    """The sessions of coding agents on this machine, mined into one agent's memory."""

    def __init__(self, engine: Engine, scope: Scope) -> None:
        self._engine = engine
        self._scope = scope
        self._state = State(engine.settings.home)

    def find(
        self, *, agents: Iterable[str] = (), cwd: str = "", since: timedelta | None = None
    ) -> list[Place]:
        """Sessions, those of the directory first, newest first."""
        unknown = [name for name in agents if name not in KINDS]
        if unknown:
            raise InvalidInput(f"unknown agent {unknown[0]!r}; known: {', '.join(KINDS)}")
        found = find_sessions(os.path.expanduser("~"), agents=agents, cwd=cwd)
        if since is None:
            return found
        start = (self._engine.clock() - since).timestamp()
        return [one for one in found if one.changed >= start]

    def look(self, place: Place) -> Overview:
        """A session with its counts; the whole of it is read."""
        story = Story()
        for moment in read(place).moments():
            story.see(moment)
        known = is_mined(place, self._state.mined())
        return Overview(place, story.turns, story.steps, story.failures, story.task, known)

    def choose(self, name: str = "", *, cwd: str = "", agents: Iterable[str] = ()) -> Place:
        """The session with this path or (beginning of an) id; without one, the newest here."""
        if name and (os.sep in name or name.endswith(".jsonl")):
            return at_path(name)
        found = self.find(agents=agents, cwd=cwd)
        matching = [one for one in found if one.id.startswith(name)] if name else []
        if not name:
            matching = newest(found, now=datetime.now(UTC).timestamp())
        if not matching:
            raise NotFound("session", name or "(any)")
        exact = [one for one in matching if one.id == name]
        if len(exact or matching) > 1:
            raise Ambiguous(exact or matching)
        return (exact or matching)[0]

    def mine(
        self,
        place: Place,
        answerer: Answerer = by_policy,
        *,
        watch: phases.Watch = phases.unwatched,
    ) -> Mining:
        """All five phases; the hand-off files are gone afterwards, whatever happens."""
        progress = phases.Progress(watch)
        with self._handoff() as handoff:
            context, delta = self._extracted(place, handoff, progress)
            progress.enter(phases.SELECTION)
            selection = converse(dialogue(delta, context.mode), answerer(delta, context))
            report = self._integrated(context, selection, progress)
        progress.finish()
        return Mining(place, delta, report)

    def preview(self, place: Place) -> tuple[Context, Delta]:
        """What mining would offer; nothing is saved."""
        with self._handoff() as handoff:
            return self._extracted(place, handoff, phases.Progress())

    def ask(self, place: Place) -> Waiting:
        """The questions of a session; what was extracted waits for `answer`."""
        handoff = self._state.new_handoff()
        try:
            context, delta = self._extracted(place, handoff, phases.Progress())
        except BaseException:
            handoff.remove()
            raise
        questions = all_questions(delta, context.mode)
        return Waiting(handoff.run, context, delta, tuple(questions))

    def answer(self, run: str, answers: Mapping[str, Any]) -> Mining:
        """Integrate what the answers choose of a run that waits; nothing when one is wrong."""
        handoff = self._state.handoff(run)
        place, delta = read_delta(handoff)
        context = context_of(place)
        answerer = prepared(answers, delta, context.mode)
        selection = converse(dialogue(delta, context.mode), answerer)
        report = self._integrated(context, selection, phases.Progress(at=phases.SELECTION))
        handoff.remove()
        return Mining(context.place, delta, report)

    def mine_all(self, places: Iterable[Place]) -> Iterator[Mining]:
        """Every session that is new or has grown, by policy; one that fails stops no other."""
        for place in self.pending(places):
            try:
                yield self.mine(place)
            except HardwonError as error:
                yield Mining(place, _NOTHING, Report(""), problem=str(error))

    def pending(self, places: Iterable[Place]) -> list[Place]:
        """Those that were not mined yet, or have grown since; oldest first."""
        known = self._state.mined()
        left = [place for place in places if not is_mined(place, known)]
        return sorted(left, key=lambda place: place.changed)

    def integrations(self) -> list[str]:
        """The ids of what can be taken back, oldest first."""
        return self._state.integrations()

    def undo(self, identity: str = "") -> Report:
        """Take back an integration, by default the last one."""
        known = self._state.integrations()
        if not known:
            raise NotFound("integration", identity or "(any)")
        return undo(self._engine, self._state, identity or known[-1])

    def import_runs(self, path: str, skipped: Counter[str]) -> Iterator[runs.Run]:
        """Keep what runs in the neutral format teach."""
        return runs.import_runs(path, self._engine, self._scope, skipped)

    def _extracted(
        self, place: Place, handoff: Handoff, progress: phases.Progress
    ) -> tuple[Context, Delta]:
        progress.enter(phases.CONTEXT)
        context = context_of(place)
        write_context(handoff, context)
        progress.enter(phases.EXTRACTION)
        delta = asyncio.run(extract(context, self._engine)).delta
        write_delta(handoff, delta, place, self._engine.clock())
        return context, delta

    def _integrated(
        self, context: Context, selection: Selection, progress: phases.Progress
    ) -> Report:
        progress.enter(phases.INTEGRATION)
        scope = self._scoped(context)
        report = Integration(self._engine, self._state, context, scope).apply(selection)
        progress.enter(phases.VERIFICATION)
        problems = verify(self._engine, scope, report)
        self._state.note(context.place)
        return report._replace(problems=tuple(problems))

    def _scoped(self, context: Context) -> Scope:
        """The agent's own project if it has one, else the one the session ran in."""
        return (
            self._scope
            if self._scope.project
            else self._scope._replace(project=project_of(context.project_path))
        )

    @contextmanager
    def _handoff(self) -> Iterator[Handoff]:
        handoff = self._state.new_handoff()
        try:
            yield handoff
        finally:
            handoff.remove()


def is_mined(place: Place, known: Mapping[str, Mined]) -> bool:
    """Whether a session was mined and has not grown since."""
    before = known.get(key_of(place))
    return before is not None and before.size == place.size


_NOTHING = Delta(summary=Story().summary((), 0), insights=())
