"""Mining: five phases over a session, over a history, or in two steps for other front ends."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import NamedTuple, cast

from hardwon.core.errors import HardwonError, NotFound
from hardwon.core.time_limits import run_sync
from hardwon.core.values.run import Episode
from hardwon.core.values.scope import Scope
from hardwon.engine.runtime import Runtime
from hardwon.learn.transcripts import catalog, integrate, questions
from hardwon.learn.transcripts.agents import read
from hardwon.learn.transcripts.catalog import Context, context_of
from hardwon.learn.transcripts.extract import extract
from hardwon.learn.transcripts.findings import Story
from hardwon.learn.transcripts.insight import Delta
from hardwon.learn.transcripts.integrate import undo
from hardwon.learn.transcripts.past import PastSessions, Tell
from hardwon.learn.transcripts.transcript import SessionPlace
from hardwon.storage.ports import Run

PHASES = (  # each begins once, in this order
    "Detecting session context",
    "Extracting insights",
    "Guiding insight selection",
    "Integrating insights",
    "Verifying completion",
)
CONTEXT, EXTRACTION, SELECTION, INTEGRATION, VERIFICATION = range(5)
Watch = Callable[[int], None]  # is told the phase that begins
Answerer = Callable[[Delta, Context], questions.Answer]


class Mining(NamedTuple):
    """The result of mining one session."""

    place: SessionPlace
    report: integrate.IntegrationReport
    delta: Delta | None = None
    problem: str = ""  # why it failed; "" otherwise


class OpenQuestions(NamedTuple):
    """What a session offers, and what is asked about it; `run` names it for `answer`."""

    run: str
    context: Context
    delta: Delta
    questions: tuple[questions.Question, ...] = ()


def by_policy(delta: Delta, context: Context) -> questions.Answer:
    """Answers without a person."""
    return questions.cautious(delta)


class Sessions(PastSessions):
    """The sessions of coding agents on this machine, mined into one agent's memory."""

    def __init__(self, engine: Runtime, scope: Scope) -> None:
        super().__init__(engine, scope)
        self._state = integrate.MiningState(engine.settings.home)

    def look(self, place: SessionPlace) -> catalog.Overview:
        """A session with its counts; the whole of it is read."""
        story = Story()
        for moment in read(place).moments():
            story.see(moment)
        counts = story.turns, story.steps, story.failures, story.task
        return catalog.Overview(place, *counts, is_mined=not self.pending([place]))

    def choose(self, name: str = "", *, cwd: str = "", agents: Iterable[str] = ()) -> SessionPlace:
        """The session with this path or (beginning of an) id; without one, the newest here."""
        if catalog.is_path(name):
            return catalog.at_path(name)
        sessions = self.find(agents=agents, cwd=cwd)
        return catalog.choose(name, sessions, cwd=cwd, now=self._clock())

    def read(self) -> int:
        """Let the model read the runs in `telling` now; how many hold something new."""
        jobs = [
            self._engine.read_run(
                Episode(run.scope, run.past.task), cast("Run", run), run.past.steps
            )
            for run in self.telling
        ]
        run_sync(self._engine.drain)
        self.telling = ()
        return sum(job is not None for job in jobs)

    def mine(
        self,
        place: SessionPlace,
        answerer: Answerer = by_policy,
        *,
        watch: Watch = lambda phase: None,
        tell: Tell = lambda done, of: None,
    ) -> Mining:
        """All five phases; the hand-off files are removed at the end, also after an error.

        `watch` gets the number of each phase as it begins, `tell(done, of)` the records read.
        """
        with self._offer(place, watch, tell) as asked:
            answer = answerer(asked.delta, asked.context)
            return self._save(asked, answer, vouched=answerer is not by_policy, watch=watch)

    def preview(
        self, place: SessionPlace, *, tell: Tell = lambda done, of: None
    ) -> tuple[Context, Delta]:
        """What mining would offer; nothing is saved."""
        with self._offer(place, tell=tell) as asked:
            return asked.context, asked.delta

    def ask(self, place: SessionPlace) -> OpenQuestions:
        """The questions of a session; what was extracted waits for `answer`."""
        with self._offer(place, keeps=True) as asked:
            return asked

    def answer(self, run: str, answers: Mapping[str, object]) -> Mining:
        """Integrate what the answers choose of a waiting run; nothing if one answer is wrong."""
        folder = self._state.handoff(run)
        place, delta = integrate.read_delta(folder)
        asked = OpenQuestions(run, context_of(place), delta)
        given = questions.answers_from(answers, delta, asked.context.mode)
        mined = self._save(asked, given, vouched=True)
        shutil.rmtree(folder, ignore_errors=True)
        return mined

    def mine_all(self, places: Iterable[SessionPlace]) -> Iterator[Mining]:
        """Every session that is new or has grown, by policy; a failure does not stop the others."""
        for place in self.pending(places):
            try:
                yield self.mine(place)
            except HardwonError as error:
                yield Mining(place, integrate.IntegrationReport(""), problem=str(error))

    def pending(self, places: Iterable[SessionPlace]) -> list[SessionPlace]:
        """Sessions that were not mined yet or have grown since, oldest first."""
        mined = self._state.mined_sizes()
        unmined = [place for place in places if mined.get(integrate.key_of(place)) != place.size]
        return sorted(unmined, key=lambda place: place.changed)

    def integrations(self) -> list[str]:
        """The ids of integrations that can be undone, oldest first."""
        return self._state.integrations()

    def undo(self, identity: str = "") -> integrate.IntegrationReport:
        """Take back an integration, by default the last one."""
        ids = self._state.integrations()
        if not ids:
            raise NotFound("integration", identity)
        return undo(self._engine, self._state, identity or ids[-1])

    @contextmanager
    def _offer(
        self,
        place: SessionPlace,
        watch: Watch = lambda phase: None,
        tell: Tell = lambda done, of: None,
        *,
        keeps: bool = False,
    ) -> Iterator[OpenQuestions]:
        """What a session offers; its hand-off files are only kept if asked, never on an error."""
        folder = self._state.new_handoff()
        try:
            watch(CONTEXT)
            context = context_of(place)
            about = json.dumps(context.plain(), indent=2)
            integrate.write_file(folder, "session-context.json", about)
            watch(EXTRACTION)
            delta = extract(context, self._engine, tell)
            integrate.write_delta(folder, delta, place, self._engine.clock())
            every = questions.all_questions(delta, context.mode)
            yield OpenQuestions(os.path.basename(folder), context, delta, tuple(every))
        except BaseException:
            keeps = False
            raise
        finally:
            if not keeps:
                shutil.rmtree(folder, ignore_errors=True)

    def _save(
        self,
        asked: OpenQuestions,
        answer: questions.Answer,
        *,
        vouched: bool,
        watch: Watch = lambda phase: None,
    ) -> Mining:
        """Select by these answers, integrate and verify."""
        context, place = asked.context, asked.context.place
        watch(SELECTION)
        selection = questions.select(asked.delta, context.mode, answer)
        watch(INTEGRATION)
        integration = integrate.Integration(self._engine, self._state, context, self.scope)
        report = integration.apply(selection, vouched=vouched)
        watch(VERIFICATION)
        self._state.note(integrate.key_of(place), place.size, place.changed)
        return Mining(place, integration.verify(report), asked.delta)
