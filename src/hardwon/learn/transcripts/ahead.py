"""Read past sessions ahead of the process that records them, in up to four processes.

To read, to screen and to find what got past a failure takes most of the time and needs no store. So
other processes do that, and one records, in order. What they cannot do, it does by itself.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from hashlib import blake2b
from typing import NamedTuple

import hardwon
from hardwon.core import _isolation
from hardwon.core.errors import InvalidInput, StorageError
from hardwon.core.text.secrets import screen_excerpt
from hardwon.core.values import time_of
from hardwon.core.values.run import RunSoFar, Step
from hardwon.engine.doors import Doors
from hardwon.engine.pipeline import ending
from hardwon.engine.recording import ShownFixes, StepEvidence, evidence_in, find_replacements
from hardwon.learn.transcripts.agents import read
from hardwon.learn.transcripts.transcript import (
    USER,
    FinishedCall,
    Moment,
    Reading,
    SessionInfo,
    SessionPlace,
)
from hardwon.storage.stores.runs import STEPS_REMEMBERED

TOGETHER = 200  # moments in one commit: hooks that write meanwhile wait for it
TASK = 4000  # characters of a prompt that are kept as the task of a run
_PROMPTS = 20  # latest prompts of a run
_WORTH = 6_000_000  # bytes of sessions for which processes are started
_WHOLE = 16_000_000  # bytes of a session; a longer one is not read ahead
_MOST = 4  # processes: more are faster than one can record


class Dated(NamedTuple):
    """A moment of a session, when it was, and a digest of all calls up to it."""

    at: datetime
    digest: str
    moment: Moment
    evidence: StepEvidence | None = None  # of a call that was read ahead; its step is prepared
    run: RunEvidence | None = None  # of the run up to here, or up to the prompt that ends it

    @property
    def is_call(self) -> bool:
        """Whether it is a call, not a message."""
        return isinstance(self.moment, FinishedCall)


class RunEvidence(NamedTuple):
    """What is archived and learnt of a run when a commit or the run itself ends."""

    steps: tuple[Step, ...]
    replaced: ShownFixes


class Prepared(NamedTuple):
    """A whole session that was read ahead."""

    about: SessionInfo
    skipped: dict[str, int]
    moments: list[Dated]


def date_moments(
    place: SessionPlace, reading: Reading, *, is_sent: bool = False
) -> Iterator[Dated]:
    """The moments of a session; one that states no time has that of the one before.

    In a session that `is_sent` by another machine the id of a call is the digest made there.
    """
    at, digest = datetime.fromtimestamp(place.changed, UTC), ""
    for moment in reading.moments():
        at = time_of(reading.about.at) or at
        if isinstance(moment, FinishedCall):
            # Without a time a call may look like that of another session.
            parts = (digest, moment.id, reading.about.at or place.id, *moment.step[:3])
            digest = moment.id if is_sent else digest_of(*parts)
        yield Dated(at, digest, moment)


def cap(moments: Iterable[Dated], now: datetime) -> Iterator[Dated]:
    """The moments, none of them later than now."""
    return (one if one.at <= now else one._replace(at=now) for one in moments)


def digest_of(*parts: str) -> str:
    """A short digest of some texts."""
    return blake2b("\0".join(parts).encode("utf-8", "replace"), digest_size=12).hexdigest()


def after_prompt(past: RunSoFar, text: str, at: datetime) -> RunSoFar:
    """The run after the person said something."""
    task = screen_excerpt(text, TASK)
    return past._replace(
        task=task,
        since=0,
        begun=past.begun or at.timestamp(),
        prompts=(*past.prompts, (past.made, task))[-_PROMPTS:],
    )


def after_step(past: RunSoFar, step: Step, at: datetime, counted: Iterable[str] = ()) -> RunSoFar:
    """The run after a step."""
    past = past.after(step, counted)
    return past._replace(
        steps=past.steps[-STEPS_REMEMBERED:],
        since=past.since + 1,
        made=past.made + 1,
        begun=past.begun or at.timestamp(),
    )


def prepare(place: SessionPlace) -> Prepared:
    """A session as it is recorded if nothing of it was recorded before."""
    reading, past, moments = read(place), RunSoFar(), list[Dated]()
    for number, dated in enumerate(date_moments(place, reading), 1):
        at, moment = dated.at, dated.moment
        if isinstance(moment, FinishedCall):
            step = Doors.prepare_step(moment.step, past.steps)
            evidence = evidence_in(step, past)
            dated = dated._replace(moment=moment._replace(step=step), evidence=evidence)
            past = after_step(past, step, at)
        elif moment.who == USER:
            if past.last_error:
                dated, past = dated._replace(run=_look_back(past)), RunSoFar()
            past = after_prompt(past, moment.text, at)
        else:  # only its time counts
            dated = dated._replace(moment=moment._replace(text=""))
        if number % TOGETHER == 0 and past.steps:
            dated = dated._replace(run=_look_back(past))
        moments.append(dated)
    if past.steps:
        moments[-1] = moments[-1]._replace(run=_look_back(past))
    return Prepared(reading.about, dict(reading.skipped), moments)


def _look_back(past: RunSoFar) -> RunEvidence:
    return RunEvidence(ending.cut_steps(past.steps, past.task), find_replacements(past))


def read_ahead(places: Sequence[SessionPlace]) -> Generator[Prepared | None]:
    """Each session as another process prepared it; None, or nothing, if none did."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    processes = min(cores or 1, _MOST)
    if processes < 2 or sum(place.size for place in places) < _WORTH:
        return
    readers = list[_Reader]()
    try:
        with suppress(OSError):  # no more processes may be started
            for place in places[:processes]:
                readers.append(_Reader())
                readers[-1].ask(place)
        for number in range(len(places) if readers else 0):  # in turn, each one session ahead
            reader, following = readers[number % len(readers)], number + len(readers)
            prepared = reader.answer()
            if following < len(places):
                reader.ask(places[following])
            yield prepared
    finally:
        for reader in readers:
            reader.end()


class _Reader:
    """A process that prepares sessions, one at a time. It ends when this process does.

    `multiprocessing` would run the script of the caller again, and leave processes behind a kill.
    """

    def __init__(self) -> None:
        self._is_asked = False
        self._start()

    def _start(self) -> None:
        self.process = subprocess.Popen(
            _isolation.command(entry=__name__),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,  # Ctrl-C is for the process that records
        )
        self._is_ready = False  # whether it has said that it runs the same hardwon

    def ask(self, place: SessionPlace) -> None:
        """Let it prepare a session, unless that cannot be read or is too long.

        A process that is gone is replaced for the next session, unless it never began to work.
        """
        self._is_asked = False
        has_ended = self.process.returncode is not None
        if place.problem or place.size > _WHOLE or (has_ended and not self._is_ready):
            return
        try:
            if has_ended:
                self._start()
            assert self.process.stdin
            pickle.dump(place, self.process.stdin)
            self.process.stdin.flush()
            self._is_asked = True
        except OSError:
            self.end()

    def answer(self) -> Prepared | None:
        """The session that it was asked for; None if there is none, or the process is gone."""
        if not self._is_asked:
            return None
        answers = self.process.stdout
        assert answers
        try:
            if not self._is_ready and pickle.load(answers) != _build():  # noqa: S301 - our process
                raise InvalidInput("another build of hardwon")
            self._is_ready = True
            prepared: Prepared | None = pickle.load(answers)  # noqa: S301 - our own process
        except Exception:  # noqa: BLE001 - whatever another build makes of it, or answers
            self.end()
            return None
        return prepared

    def end(self) -> None:
        """End the process, if it has not ended."""
        self.process.kill()
        with suppress(BrokenPipeError), self.process:
            pass  # closes its pipes and waits for it


def _build() -> tuple[str, str]:
    """Which hardwon this process runs."""
    return hardwon.__version__, os.path.realpath(__file__)


def main() -> None:
    """Answer each session that comes in with what it holds, until the other process ends."""
    answers, sys.stdout = sys.stdout.buffer, sys.stderr  # what is printed is no answer
    try:
        pickle.dump(_build(), answers)
        while True:
            answers.flush()
            place = pickle.load(sys.stdin.buffer)  # noqa: S301 - from the process that started this
            try:
                prepared = prepare(place)
            except (InvalidInput, StorageError, OSError):
                prepared = None  # the other process reads it, too, and says what is wrong
            pickle.dump(prepared, answers)
    except (EOFError, BrokenPipeError, pickle.UnpicklingError):
        os._exit(0)  # without a last try to write
