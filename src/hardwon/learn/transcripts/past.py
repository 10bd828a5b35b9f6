"""Past sessions become runs: recorded as live steps are, at the time when they happened.

What was recorded is noted with it, in the same commit: a digest of all calls of a session up to a
point. So nothing is recorded twice, also after a crash, in a session that goes on, or in a copy.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, nullcontext
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import islice, takewhile, zip_longest
from types import MappingProxyType
from typing import NamedTuple

from hardwon.core import _files
from hardwon.core.errors import HardwonError, InvalidInput, StorageError
from hardwon.core.project import author_of
from hardwon.core.settings import Settings
from hardwon.core.text.clean import one_line
from hardwon.core.values.report import ListQuery, Place
from hardwon.core.values.run import Author, RunSoFar
from hardwon.core.values.scope import Scope
from hardwon.engine import trust
from hardwon.engine.doors import Doors
from hardwon.engine.pipeline import ending
from hardwon.engine.recording import Recording
from hardwon.engine.runtime import Runtime
from hardwon.learn.transcripts import ahead, catalog
from hardwon.learn.transcripts.agents import logs, read
from hardwon.learn.transcripts.transcript import (
    USER,
    FinishedCall,
    Reading,
    SessionPlace,
    count_lines,
)
from hardwon.storage.stores.run_files import at_work, is_due
from hardwon.storage.stores.runs import FileRun

LEARNT, SENT, KNOWN, LIVE, EMPTY = "learnt", "sent", "known", "live", "empty"
NO_FOLDER, UNREADABLE = "no folder", "unreadable"
NEUTRAL, TRACE = "neutral", "trace"  # sessions that name their project
_TOGETHER = 200  # moments in one commit: hooks that write meanwhile wait for it
FOLLOWED = timedelta(days=1)  # how long ago the sessions changed that are followed
_FOLLOWING = " past sessions"  # no tenant has this name
_TENDED = 500  # sessions after which the index is tended: all at once would need much memory
_RUNS = 1_000_000  # more than are ever kept
_ENDED, _GOES_ON = "ended", "goes on"  # what is noted of a session's file
_OVER = 3600.0  # seconds without a change after which a session has ended
_SLACK = timedelta(seconds=2)  # between the clocks of a session file and of a hook


Tell = Callable[[int, int], None]  # how many are done, and of how many


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


class PastHandle:
    """What a person does with past sessions, wherever they are recorded.

    Sessions that are new or have grown are taken in, each once. Only one process of a home does so
    at a time.
    """

    def __init__(
        self, settings: Settings, scope: Scope, clock: Callable[[], datetime], *, on_disk: bool
    ) -> None:
        self.scope = scope
        self.telling: Sequence[PastRun] = ()  # the runs that a model may read
        self._most_telling = 0
        self._settings = settings
        self._clock = clock
        self._on_disk = on_disk

    def find(
        self, *, agents: Iterable[str] = (), cwd: str = "", since: timedelta | None = None
    ) -> list[SessionPlace]:
        """Sessions, those of the directory first, newest first."""
        start = None if since is None else self._clock() - since
        return catalog.find(agents, cwd, since=start)

    def unrecorded(
        self, *, agents: Iterable[str] = (), since: timedelta | None = None
    ) -> list[SessionPlace]:
        """Past sessions that are new or have grown since they were recorded, oldest first."""
        self._check()
        start = None if since is None else self._clock() - since
        return self._unknown(catalog.find(agents, since=start, is_all=True))

    def learn(
        self,
        *,
        agents: Iterable[str] = (),
        since: timedelta | None = None,
        is_look: bool = False,
        most_telling: int = 0,
        tell: Tell = lambda done, of: None,
    ) -> list[Learnt]:
        """Record every past session that is new or has grown as runs of its project.

        No model is asked. With `is_look` nothing is stored. `tell(done, of)` counts sessions.
        The `most_telling` runs are then in `telling`.
        """
        self.telling, self._most_telling = (), most_telling
        try:
            fresh, learnt = self.unrecorded(agents=agents, since=since), list[Learnt]()
            tell(0, len(fresh))
            looks = (self._learn_one(place, {}, None, is_look=True) for place in fresh)
            with nullcontext() if is_look else _alone(self._settings.home):
                for session in looks if is_look else self._learn_alone(fresh):
                    learnt.append(session)
                    tell(len(learnt), len(fresh))
            return learnt
        finally:
            self._most_telling = 0

    def learn_each(self, *, since: timedelta) -> Iterator[Learnt]:
        """The same, one session after the other; nothing while another process does it."""
        fresh = self.unrecorded(since=since)
        lock = _alone(self._settings.home)
        if lock.acquire(wait=False):
            try:
                yield from self._learn_alone(fresh)
            finally:
                lock.release()

    def count_runs(self, paths: Iterable[str]) -> int:
        """How many rows the files have, unreadable ones included."""
        return sum(map(count_lines, paths))

    def import_runs(self, path: str, skipped: Counter[str]) -> Iterator[Learnt]:
        """Record the runs in a file of the neutral format, one a line; `skipped` counts others."""
        self._check()
        changed = os.stat(path).st_mtime if os.path.isfile(path) else 0.0
        with _alone(self._settings.home):
            for number, record in logs.import_records(path, skipped):
                odd = Counter[str]()
                make = partial(Reading, logs.read_import, [(number, record)], odd)
                reading = make()
                is_run = any(map(bool, reading.moments()))
                skipped += odd
                if is_run:
                    name = reading.about.id or f"{os.path.basename(path)}:{number}"
                    yield self._record(SessionPlace(NEUTRAL, name, path, changed=changed), make)
        self._tend()

    def _unknown(self, places: Iterable[SessionPlace]) -> list[SessionPlace]:
        """Those that changed or ended since they were taken in, oldest first; reads none."""
        by_version = {self._version(place): place for place in places}
        known = self._states(list(by_version))
        fresh = [
            place
            for version, place in by_version.items()
            if known.get(version) != _ENDED and (version not in known or self._is_over(place))
        ]
        return sorted(fresh, key=lambda place: place.changed)

    def _learn_alone(self, places: Sequence[SessionPlace]) -> Iterator[Learnt]:
        fresh, live = self._unknown(places), self._recorded_live()
        with closing(self._read_ahead(fresh)) as sessions:
            for number, (place, prepared) in enumerate(zip_longest(fresh, sessions), 1):
                yield self._learn_one(place, live, prepared)
                if number % _TENDED == 0:
                    self._tend()
        self._tend()

    def _learn_one(
        self,
        place: SessionPlace,
        live: Mapping[str, float],
        prepared: ahead.Prepared | None,
        *,
        is_look: bool = False,
    ) -> Learnt:
        try:
            if place.problem:
                raise InvalidInput(place.problem)
            make = partial(read, place)
            learnt = self._record(place, make, live=live, is_look=is_look, prepared=prepared)
        except (InvalidInput, StorageError, OSError) as error:
            return Learnt(place, UNREADABLE, problem=one_line(str(error), 300))
        except HardwonError:
            raise
        except Exception as error:  # noqa: BLE001 - as at a door: one session stops no others
            return Learnt(place, UNREADABLE, problem=one_line(repr(error), 300))
        if not is_look:
            state = _ENDED if self._is_over(place) else _GOES_ON
            self._note_state(self._version(place), state)
        return learnt

    def _record(
        self,
        place: SessionPlace,
        read: Callable[[], Reading],
        *,
        live: Mapping[str, float] = MappingProxyType({}),
        is_over: bool | None = None,
        is_look: bool = False,
        source: Source | None = None,
        prepared: ahead.Prepared | None = None,
    ) -> Learnt:
        """Take in one session; `live` says since when hooks have recorded which runs.

        It is read twice, so that a long one is never in memory as a whole.
        """
        date = partial(ahead.date_moments, place, is_sent=source is not None)
        first = prepared or read()
        moments = first.moments if isinstance(first, ahead.Prepared) else date(first)
        digests = [moment.digest for moment in moments if moment.is_call]
        about, skipped = first.about, dict(first.skipped)
        if not digests:
            return Learnt(place, EMPTY, skipped=skipped)
        project = self.scope.project
        if not project and place.agent in {NEUTRAL, TRACE}:  # there a project has a name
            project = one_line(about.cwd, 200) or None
        elif not project:
            home, tenant = self._settings.home if self._on_disk else "", self.scope.tenant
            project = trust.project_for(
                place.cwd or about.cwd, home, tenant=tenant, is_look=is_look
            )
            if not project:
                return Learnt(place, NO_FOLDER, skipped=skipped)
        scope = self.scope._replace(project=project)
        name = FileRun(self._settings.home, scope, about.id or place.id).name
        source = source or Source(name, live.get(name, 0.0), author_of(self._settings.runs))
        is_over = self._is_over(place) if is_over is None else is_over
        session = Session(place, scope, source, digests, is_over, lambda: date(read()), prepared)
        return self._take(session, is_look=is_look)._replace(skipped=skipped)

    def _check(self) -> None:
        """InvalidInput if sessions cannot be taken in here as they were asked for."""

    def _take(self, session: Session, *, is_look: bool) -> Learnt:
        """Take in the moments of one session."""
        raise NotImplementedError

    def _read_ahead(self, places: Sequence[SessionPlace]) -> Generator[ahead.Prepared | None]:
        """Sessions that other processes prepare; None, or nothing, if none do."""
        yield from ()

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
        return ahead.digest_of(self.scope.project or "", *file)


def _alone(home: str) -> _files.Lock:
    """The lock that keeps a second process from taking in the same sessions meanwhile."""
    folder = os.path.join(home, "sessions")
    _files.make_folder(folder)
    return _files.Lock(os.path.join(folder, "learn.lock"))


class PastSessions(PastHandle):
    """Records past sessions for one agent."""

    def __init__(self, engine: Runtime, scope: Scope) -> None:
        super().__init__(engine.settings, scope, engine.clock, on_disk=engine.on_disk)
        self._engine = engine
        self._owner = scope._replace(project=None)  # notes about sessions belong to no project
        self._runs = engine.store.ended_runs

    def record(
        self,
        place: SessionPlace,
        read: Callable[[], Reading],
        *,
        is_over: bool = True,
        source: Source | None = None,
    ) -> Learnt:
        """Record what another machine, or another program, says of a session."""
        return self._record(place, read, is_over=is_over, source=source)

    def _check(self) -> None:
        if self._most_telling and not self._engine.reads_runs:
            raise InvalidInput("no model reads runs: set model.name, and leave reader.enabled on")

    def _read_ahead(self, places: Sequence[SessionPlace]) -> Generator[ahead.Prepared | None]:
        return ahead.read_ahead(places)

    def _take(self, session: Session, *, is_look: bool) -> Learnt:
        source, place = session.source, session.place
        known = self._runs.past(self._owner, [source.run, *session.digests])
        since = float(known.get(source.run) or source.since)
        recorder = _Recorder(self._engine, session, self._owner, known)
        recorder.keeps_steps = bool(self._most_telling)
        until = datetime.fromtimestamp(since, UTC) - _SLACK if since else None
        # What was prepared holds for a session whose first run begins with its first call.
        prepared = None if recorder.first else session.prepared
        moments = iter(prepared.moments) if prepared else session.moments()
        if until:
            moments = takewhile(lambda moment: moment.at < until, moments)
        recorder.play(moments, is_over=session.is_over, is_look=is_look)
        if self._most_telling:
            runs = sorted([*self.telling, *recorder.runs.values()], key=lambda run: run.worth)
            self.telling = runs[::-1][: self._most_telling]
        status = LEARNT if recorder.steps else LIVE if until else KNOWN
        counts = tuple(recorder.runs), recorder.steps, recorder.failed
        return Learnt(place, status, session.scope.project or "", *counts)

    def _states(self, versions: Sequence[str]) -> Mapping[str, str]:
        return self._runs.past(self._owner, versions)

    def _note_state(self, version: str, state: str) -> None:
        self._runs.note_past(self._owner, version, state)

    def _recorded_live(self) -> dict[str, float]:
        self._engine.collect_runs()
        place = Place(self.scope.tenant, self.scope.agent)
        begun = dict[str, float]()
        for run in self._runs.recent(ListQuery(place, limit=_RUNS)):
            begun[run.run] = min(run.begun.timestamp(), begun.get(run.run, float("inf")))
        if self._engine.on_disk:
            for name, _, past in at_work(self._engine.settings.home, place):
                begun.setdefault(name, past.begun)
        return begun

    def _tend(self) -> None:
        self._engine.store.tend()


def follow(engine: Runtime) -> Iterator[Learnt]:
    """Record what is new in sessions of the last days, if it is time to look again."""
    settings, every = engine.settings, engine.settings.runs.follow
    now = engine.clock().timestamp()
    if not is_due(settings.home, _FOLLOWING, now, every=every.total_seconds()):
        return
    tenant, agent, project = settings.scope
    sessions = PastSessions(engine, Scope(tenant, agent, project or None))
    yield from sessions.learn_each(since=max(FOLLOWED, 2 * every))


class Session(NamedTuple):
    """A session that is taken in, and what is known of it before its moments are read again."""

    place: SessionPlace
    scope: Scope
    source: Source
    digests: list[str]  # of its calls, in order
    is_over: bool
    moments: Callable[[], Iterator[ahead.Dated]]
    prepared: ahead.Prepared | None = None


class _Recorder:
    """Plays the moments of one session into the store."""

    def __init__(
        self, engine: Runtime, session: Session, owner: Scope, known: Mapping[str, str]
    ) -> None:
        """`known`: how far the session, or the one that it is a copy of, was recorded."""
        place, self._scope, self._source, digests, *_ = session
        self._engine = engine
        self._store = engine.store
        self._owner = owner
        self._now = engine.clock()  # the clock of the machine that wrote a session may be ahead
        self._at = self._now  # set by each moment
        self._recording = Recording(engine.store, engine.settings, lambda: self._at)
        self._program = "" if place.agent in {NEUTRAL, TRACE} else place.agent
        run = f"past {place.agent} {place.id}"
        self._name = FileRun(engine.settings.home, self._scope, run).name
        last = max((at for at, digest in enumerate(digests) if digest in known), default=-1)
        state = json.loads(known[digests[last]]) if last >= 0 else {}
        self._known = last + 1  # so many calls were recorded earlier
        self.first = int(state.get("first", 0))  # calls before this run
        self._past = RunSoFar(counted=frozenset(state.get("counted", ())))
        self._made = 0  # calls so far
        self._digest = ""  # of the calls so far
        self.runs: dict[str, PastRun] = {}
        self.keeps_steps = False
        self.steps = self.failed = 0

    def play(self, moments: Iterator[ahead.Dated], *, is_over: bool, is_look: bool) -> None:
        """Record the moments, some in each commit; with `is_look` only count them.

        The last run of a session that `is_over` ends with it.
        """
        for dated in moments if is_look else ():
            self._made += dated.is_call
            if isinstance(dated.moment, FinishedCall) and self._made > self._known:
                self.steps += 1
                self.failed += dated.moment.step.failed
        batch = list(islice(moments, _TOGETHER))
        while batch:
            following = list(islice(moments, _TOGETHER))
            with self._store.together():
                for moment in batch:
                    self._take(moment)
                self._keep_run()
                if is_over and not following and self._past.steps:
                    self._end_run()
                if self._made >= self._known and self._digest:  # how far, and how to go on
                    state = {"first": self.first, "counted": sorted(self._past.counted)}
                    runs = self._store.ended_runs
                    runs.note_past(self._owner, self._digest, json.dumps(state))
            batch = following

    def _take(self, dated: ahead.Dated) -> None:
        at, self._digest, moment, evidence = dated
        self._at = min(at, self._now)
        if isinstance(moment, FinishedCall):
            self._made += 1
            if self._made <= self.first:
                return
            step, counted = moment.step, list[str]()
            if evidence is None:
                step = Doors.prepare_step(step, self._past.steps)
            if self._made > self._known:
                counted += self._recording.learn(self._scope, step, self._past, evidence=evidence)
                self.steps += 1
                self.failed += step.failed
            self._past = ahead.after_step(self._past, step, self._at, counted)
        elif moment.who == USER and self._made >= self.first:
            if self._past.last_error:  # a run in which something failed ends, as in hooks
                self._keep_run()
                self._end_run()
            self._past = ahead.after_prompt(self._past, moment.text, self._at)

    def _end_run(self) -> None:
        self._recording.end(self._scope, self._past)
        self._past, self.first = RunSoFar(), self._made

    def _keep_run(self) -> None:
        """Archive the run as far as it has come; it replaces what was archived of it before."""
        past, is_kept = self._past, bool(self._engine.settings.runs.keep)
        if is_kept and past.steps and self._made > self._known:
            ended = ending.archive_run(
                *(past, self._scope, self._name),
                ended=self._at,
                outcome=past.ending(),
                by=self._source.by,
                program=self._program,
            )
            self._store.ended_runs.keep(ended)
            kept = past if self.keeps_steps else RunSoFar()
            self.runs[ended.id] = PastRun(self._scope, self._name, kept)
