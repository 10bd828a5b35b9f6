"""Past sessions become runs: recorded as live steps are, at the time when they happened.

What was recorded is noted with it, in the same commit: a digest of all calls of a session up to a
point. So nothing is recorded twice, also after a crash, in a session that goes on, or in a copy.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from datetime import UTC, datetime, timedelta
from functools import partial
from hashlib import blake2b
from itertools import islice, takewhile
from types import MappingProxyType
from typing import NamedTuple

from hardwon.core import _files
from hardwon.core.errors import InvalidInput, StorageError
from hardwon.core.project import author_of
from hardwon.core.settings import Settings
from hardwon.core.text.clean import one_line
from hardwon.core.text.secrets import screen_excerpt
from hardwon.core.values import time_of
from hardwon.core.values.report import ListQuery, Place
from hardwon.core.values.run import Author, RunSoFar, Step
from hardwon.core.values.scope import Scope
from hardwon.engine import trust
from hardwon.engine.pipeline import ending
from hardwon.engine.recording import Recording
from hardwon.engine.runtime import Runtime
from hardwon.learn.transcripts import catalog
from hardwon.learn.transcripts.agents import logs, read
from hardwon.learn.transcripts.transcript import (
    USER,
    FinishedCall,
    Moment,
    Reading,
    SessionPlace,
)
from hardwon.storage.stores.run_files import at_work
from hardwon.storage.stores.runs import STEPS_REMEMBERED, FileRun

LEARNT, SENT, KNOWN, LIVE, EMPTY = "learnt", "sent", "known", "live", "empty"
NO_FOLDER, UNREADABLE = "no folder", "unreadable"
NEUTRAL, TRACE = "neutral", "trace"  # sessions that name their project
TASK = 4000  # characters of a prompt that are kept as the task of a run
_TOGETHER = 200  # moments in one commit: hooks that write meanwhile wait for it
_TENDED = 500  # sessions after which the index is tended: all at once would need much memory
_PROMPTS = 20  # latest prompts of a run
_RUNS = 1_000_000  # more than are ever kept
_ENDED, _GOES_ON = "ended", "goes on"  # what is noted of a session's file
_OVER = 3600.0  # seconds without a change after which a session has ended
_SLACK = timedelta(seconds=2)  # between the clocks of a session file and of a hook


class Learnt(NamedTuple):
    """What came of one past session."""

    place: SessionPlace
    status: str
    project: str = ""
    runs: tuple[str, ...] = ()  # ids of the runs that it became
    steps: int = 0
    failed: int = 0
    skipped: dict[str, int] = {}  # noqa: RUF012 - lines that were left out, by reason
    problem: str = ""


class PastRun(NamedTuple):
    """A past run for the model that reads runs."""

    scope: Scope
    name: str
    past: RunSoFar

    def so_far(self) -> RunSoFar:
        """The whole run."""
        return self.past

    @property
    def worth(self) -> tuple[int, int]:
        """How much there is to read in it: failures of different kinds, and calls."""
        kinds = {step.failure.kind for step in self.past.steps if step.failure}
        return len(kinds), len(self.past.steps)

    @property
    def tokens(self) -> int:
        """About how many tokens its steps have."""
        return sum(len(step.args) + len(step.output) for step in self.past.steps) // 4


class Source(NamedTuple):
    """What the machine that sent a session says about it."""

    run: str  # the name that a hook there gives to its run
    since: float  # when a hook there began to record it; 0.0 if none did
    by: Author


class SessionIntake:
    """Takes in the sessions of this machine that are new or have grown, each once.

    Only one process of a home does so at a time.
    """

    def __init__(
        self, settings: Settings, scope: Scope, clock: Callable[[], datetime], *, on_disk: bool
    ) -> None:
        self._settings = settings
        self._scope = scope
        self._clock = clock
        self._on_disk = on_disk

    def find(
        self, *, agents: Iterable[str] = (), since: timedelta | None = None
    ) -> list[SessionPlace]:
        """Sessions of this machine that are new or have grown, oldest first."""
        start = None if since is None else self._clock() - since
        return self.unknown(catalog.find(agents, since=start, is_all=True))

    def unknown(self, places: Iterable[SessionPlace]) -> list[SessionPlace]:
        """Those that changed or ended since they were taken in, oldest first; reads none."""
        by_version = {self._version(place): place for place in places}
        known = self._states(list(by_version))
        fresh = [
            place
            for version, place in by_version.items()
            if known.get(version) != _ENDED and (version not in known or self._is_over(place))
        ]
        return sorted(fresh, key=lambda place: place.changed)

    def learn_all(
        self,
        *,
        agents: Iterable[str] = (),
        since: timedelta | None = None,
        is_look: bool = False,
        tell: Callable[[int, int], None] = lambda done, of: None,
    ) -> list[Learnt]:
        """Take in what `find` finds; `tell(done, of)` counts sessions."""
        fresh, learnt = self.find(agents=agents, since=since), list[Learnt]()
        tell(0, len(fresh))
        for session in self._learn(fresh, is_look=is_look):
            learnt.append(session)
            tell(len(learnt), len(fresh))
        return learnt

    def _learn(self, places: Sequence[SessionPlace], *, is_look: bool) -> Iterator[Learnt]:
        """Take in each session; with `is_look` only say what would be taken in."""
        with nullcontext() if is_look else self._alone():
            live = {} if is_look else self._recorded_live()
            for number, place in enumerate(self.unknown(places), 1):
                try:
                    if place.problem:
                        raise InvalidInput(place.problem)
                    make = partial(read, place)
                    learnt = self.record(place, make, live=live, is_look=is_look)
                except (InvalidInput, StorageError, OSError) as error:
                    learnt = Learnt(place, UNREADABLE, problem=one_line(str(error), 300))
                if not is_look and learnt.status != UNREADABLE:
                    state = _ENDED if self._is_over(place) else _GOES_ON
                    self._note_state(self._version(place), state)
                if not is_look and number % _TENDED == 0:
                    self._tend()
                yield learnt
        if not is_look:
            self._tend()

    def learn_rows(self, path: str, skipped: Counter[str]) -> Iterator[Learnt]:
        """Take in the runs of a file in the neutral format, one a line; `skipped` counts others."""
        changed = os.stat(path).st_mtime if os.path.isfile(path) else 0.0
        with self._alone():
            for number, record in logs.import_records(path, skipped):
                odd = Counter[str]()
                make = partial(Reading, logs.read_import, [(number, record)], odd)
                reading = make()
                is_run = any(map(bool, reading.moments()))
                skipped += odd
                if is_run:
                    name = reading.about.id or f"{os.path.basename(path)}:{number}"
                    place = SessionPlace(NEUTRAL, name, path, changed=changed)
                    yield self.record(place, make)
        self._tend()

    def record(
        self,
        place: SessionPlace,
        read: Callable[[], Reading],
        *,
        live: Mapping[str, float] = MappingProxyType({}),
        is_over: bool | None = None,
        is_look: bool = False,
        source: Source | None = None,
    ) -> Learnt:
        """Take in one session; `live` says since when hooks have recorded which runs."""
        date = partial(date_moments, place, is_sent=source is not None, now=self._clock())
        reading = read()  # twice, so that no session is ever in memory as a whole
        digests = [moment.digest for moment in date(reading) if moment.is_call]
        about, skipped = reading.about, dict(reading.skipped)
        if not digests:
            return Learnt(place, EMPTY, skipped=skipped)
        scope = self._in_project(place, about.cwd, is_look=is_look)
        if scope is None:
            return Learnt(place, NO_FOLDER, skipped=skipped)
        name = FileRun(self._settings.home, scope, about.id or place.id).name
        source = source or Source(name, live.get(name, 0.0), author_of(self._settings.runs))
        is_over = self._is_over(place) if is_over is None else is_over
        session = Session(place, scope, source, digests, is_over)
        return self._take(session, date(read()), is_look=is_look)._replace(skipped=skipped)

    def _take(self, session: Session, moments: Iterator[Dated], *, is_look: bool) -> Learnt:
        """Take in the moments of one session."""
        raise NotImplementedError

    def _states(self, versions: Sequence[str]) -> Mapping[str, str]:
        """What was noted about these versions of session files."""
        raise NotImplementedError

    def _note_state(self, version: str, state: str) -> None:
        """Note that a version of a session file was taken in."""
        raise NotImplementedError

    def _recorded_live(self) -> dict[str, float]:
        """The names of runs that hooks have recorded, and since when."""
        raise NotImplementedError

    def _tend(self) -> None:
        """Do what is due after many sessions."""

    def _is_over(self, place: SessionPlace) -> bool:
        """Whether nothing has happened in a session for so long that it has ended."""
        return self._clock().timestamp() - place.changed > _OVER

    def _version(self, place: SessionPlace) -> str:
        """A digest of a session's file as it is now, and of where it is recorded."""
        file = (place.agent, place.id, place.path, str(place.size), repr(place.changed))
        return _digest(self._scope.project or "", *file)

    def _in_project(self, place: SessionPlace, cwd: str, *, is_look: bool) -> Scope | None:
        """The scope of a session in its project; None if its folder is unknown."""
        if self._scope.project or place.agent in {NEUTRAL, TRACE}:  # there a project has a name
            return self._scope._replace(project=self._scope.project or one_line(cwd, 200) or None)
        home = self._settings.home if self._on_disk else ""
        project = trust.project_for(
            place.cwd or cwd, home, tenant=self._scope.tenant, is_look=is_look
        )
        return self._scope._replace(project=project) if project else None

    def _alone(self) -> _files.Lock:
        """The lock that keeps a second process from taking in the same sessions meanwhile."""
        folder = os.path.join(self._settings.home, "sessions")
        _files.make_folder(folder)
        return _files.Lock(os.path.join(folder, "learn.lock"))


class PastSessions(SessionIntake):
    """Records past sessions for one agent."""

    def __init__(self, engine: Runtime, scope: Scope, *, most_telling: int = 0) -> None:
        """`most_telling`: how many runs to keep in `telling`, for a model to read."""
        super().__init__(engine.settings, scope, engine.clock, on_disk=engine.on_disk)
        self.telling: list[PastRun] = []
        self._most_telling = most_telling
        self._engine = engine
        self._owner = scope._replace(project=None)  # notes about sessions belong to no project
        self._runs = engine.store.ended_runs

    def _take(self, session: Session, moments: Iterator[Dated], *, is_look: bool) -> Learnt:
        source, place, scope = session.source, session.place, session.scope
        known = self._runs.past(self._owner, [source.run, *session.digests])
        since = float(known.get(source.run) or source.since)
        recorder = _Recorder(self._engine, session, self._owner)
        recorder.keeps_steps = bool(self._most_telling)
        recorder.resume(session.digests, known)
        until = datetime.fromtimestamp(since, UTC) - _SLACK if since else None
        if until:
            moments = takewhile(lambda moment: moment.at < until, moments)
        recorder.play(moments, is_look=is_look)
        if not is_look and session.is_over:
            recorder.end()
        own = sorted([*self.telling, *recorder.runs.values()], key=lambda run: run.worth)
        self.telling = own[::-1][: self._most_telling]
        status = LEARNT if recorder.steps else LIVE if until else KNOWN
        counts = tuple(recorder.runs), recorder.steps, recorder.failed
        return Learnt(place, status, scope.project or "", *counts)

    def _states(self, versions: Sequence[str]) -> Mapping[str, str]:
        return self._runs.past(self._owner, versions)

    def _note_state(self, version: str, state: str) -> None:
        self._runs.note_past(self._owner, version, state)

    def _recorded_live(self) -> dict[str, float]:
        for _ in self._engine.collect_runs():
            continue
        place = Place(self._scope.tenant, self._scope.agent)
        begun = dict[str, float]()
        for run in self._runs.recent(ListQuery(place, limit=_RUNS)):
            begun[run.run] = min(run.begun.timestamp(), begun.get(run.run, float("inf")))
        if self._engine.on_disk:
            for name, _, past in at_work(self._engine.settings.home, place):
                begun.setdefault(name, past.begun)
        return begun

    def _tend(self) -> None:
        self._engine.store.tend()


class Dated(NamedTuple):
    """A moment of a session, when it was, and a digest of all calls up to it."""

    at: datetime
    digest: str
    moment: Moment

    @property
    def is_call(self) -> bool:
        """Whether it is a call, not a message."""
        return isinstance(self.moment, FinishedCall)


class Session(NamedTuple):
    """A session that is taken in, and what is known of it before its moments are read again."""

    place: SessionPlace
    scope: Scope
    source: Source
    digests: list[str]  # of its calls, in order
    is_over: bool


class _Recorder:
    """Plays the moments of one session into the store."""

    def __init__(self, engine: Runtime, session: Session, owner: Scope) -> None:
        place, self._scope, self._source, *_ = session
        self._engine = engine
        self._store = engine.store
        self._owner = owner
        self._at = datetime.now(UTC)  # set by each moment
        self._recording = Recording(engine.store, engine.settings, lambda: self._at)
        run = f"past {place.agent} {place.id}"
        self._name = FileRun(engine.settings.home, self._scope, run).name
        self._past = RunSoFar()
        self._known = 0  # so many calls were recorded earlier
        self._first = self._made = 0  # calls before this run, and calls so far
        self._digest = ""  # of the calls so far
        self.runs: dict[str, PastRun] = {}
        self.keeps_steps = False
        self.steps = self.failed = 0

    def resume(self, digests: Sequence[str], known: dict[str, str]) -> None:
        """Go on where the session, or the one that it is a copy of, was recorded up to."""
        last = max((at for at, digest in enumerate(digests) if digest in known), default=-1)
        state = json.loads(known[digests[last]]) if last >= 0 else {}
        self._known = last + 1
        self._first = int(state.get("first", 0))
        self._past = RunSoFar(counted=frozenset(state.get("counted", ())))

    def play(self, moments: Iterator[Dated], *, is_look: bool) -> None:
        """Record the moments, some in each commit; with `is_look` only count them."""
        for dated in moments if is_look else ():
            self._made += dated.is_call
            if isinstance(dated.moment, FinishedCall) and self._made > self._known:
                self.steps += 1
                self.failed += dated.moment.step.failed
        while batch := list(islice(moments, _TOGETHER)):
            with self._store.together():
                for moment in batch:
                    self._take(moment)
                self._keep_run()
                self._note()

    def end(self) -> None:
        """End the last run of a session that does not go on."""
        if self._past.steps:
            with self._store.together():
                self._end_run()
                self._note()

    def _take(self, dated: Dated) -> None:
        self._at, self._digest, moment = dated
        if isinstance(moment, FinishedCall):
            self._made += 1
            if self._made > self._first:
                self._step(moment.step)
        elif moment.who == USER and self._made >= self._first:
            self._prompt(moment.text)

    def _prompt(self, text: str) -> None:
        """The person says something: a run in which something failed ends, as in hooks."""
        if self._past.last_error:
            self._keep_run()
            self._end_run()
        past, task = self._past, screen_excerpt(text, TASK)
        self._past = past._replace(
            task=task,
            since=0,
            begun=past.begun or self._at.timestamp(),
            prompts=(*past.prompts, (past.made, task))[-_PROMPTS:],
        )

    def _step(self, called: Step) -> None:
        step = self._engine.doors.prepare_step(called, self._past.steps)
        counted: Sequence[str] = ()
        if self._made > self._known:
            counted = self._recording.learn(self._scope, step, self._past)
            self.steps += 1
            self.failed += step.failed
        past = self._past.after(step, counted)
        self._past = past._replace(
            steps=past.steps[-STEPS_REMEMBERED:],
            since=past.since + 1,
            made=past.made + 1,
            begun=past.begun or self._at.timestamp(),
        )

    def _end_run(self) -> None:
        self._recording.end(self._scope, self._past)
        self._past, self._first = RunSoFar(), self._made

    def _keep_run(self) -> None:
        """Archive the run as far as it has come; it replaces what was archived of it before."""
        past, is_kept = self._past, bool(self._engine.settings.runs.keep)
        if is_kept and past.steps and self._made > self._known:
            ended = ending.archive_run(
                *(past, self._scope, self._name),
                ended=self._at,
                outcome=past.ending(),
                by=self._source.by,
            )
            self._store.ended_runs.keep(ended)
            kept = past if self.keeps_steps else RunSoFar()
            self.runs[ended.id] = PastRun(self._scope, self._name, kept)

    def _note(self) -> None:
        """Note how far the session is recorded, and what it takes to go on."""
        if self._made >= self._known and self._digest:
            state = {"first": self._first, "counted": sorted(self._past.counted)}
            self._store.ended_runs.note_past(self._owner, self._digest, json.dumps(state))


def date_moments(
    place: SessionPlace, reading: Reading, *, is_sent: bool, now: datetime
) -> Iterator[Dated]:
    """The moments of a session; one that states no time has that of the one before.

    None is later than `now`: the clock of the machine that wrote it may be ahead.
    In a session that `is_sent` by another machine the id of a call is the digest made there.
    """
    at, digest = datetime.fromtimestamp(place.changed, UTC), ""
    for moment in reading.moments():
        at = time_of(reading.about.at) or at
        if isinstance(moment, FinishedCall):
            # Without a time a call may look like that of another session.
            parts = (digest, moment.id, reading.about.at or place.id, *moment.step[:3])
            digest = moment.id if is_sent else _digest(*parts)
        yield Dated(min(at, now), digest, moment)


def _digest(*parts: str) -> str:
    return blake2b("\0".join(parts).encode("utf-8", "replace"), digest_size=12).hexdigest()
