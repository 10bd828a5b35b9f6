"""Read past sessions ahead of the process that records them, in up to four processes.

To read, to screen and to find what got past a failure takes most of the time and needs no store. So
other processes do that, and one records, in order. What they cannot do, it does by itself.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections import deque
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from hashlib import blake2b
from tempfile import TemporaryFile
from typing import NamedTuple

import hardwon
from hardwon.core import _isolation
from hardwon.core.errors import InvalidInput
from hardwon.core.text.secrets import screen_excerpt
from hardwon.core.values import time_of
from hardwon.core.values.run import RunSoFar, Step
from hardwon.engine.doors import Doors
from hardwon.engine.recording import StepEvidence, evidence_in
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

    @property
    def is_call(self) -> bool:
        """Whether it is a call, not a message."""
        return isinstance(self.moment, FinishedCall)


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
    for dated in date_moments(place, reading):
        at, moment = dated.at, dated.moment
        if isinstance(moment, FinishedCall):
            step = Doors.prepare_step(moment.step, past.steps)
            evidence = evidence_in(step, past)
            dated = dated._replace(moment=moment._replace(step=step), evidence=evidence)
            past = after_step(past, step, at)
        elif moment.who == USER:
            past = after_prompt(RunSoFar() if past.last_error else past, moment.text, at)
        else:  # only its time counts
            dated = dated._replace(moment=moment._replace(text=""))
        moments.append(dated)
    return Prepared(reading.about, dict(reading.skipped), moments)


def read_ahead(places: Sequence[SessionPlace]) -> Generator[Prepared | None]:
    """Each session as another process prepared it; None, or nothing, if none did."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    processes = min(cores or 1, len(places), _MOST)
    if processes < 2 or sum(place.size for place in places) < _WORTH:
        return
    readers = list[_Reader]()
    try:
        with suppress(OSError):  # no more processes may be started
            for number in range(processes):
                readers.append(_Reader(filter(_is_read_ahead, places[number::processes])))
        for number, place in enumerate(places if len(readers) == processes else ()):
            reader = readers[number % processes]
            yield reader.answer() if _is_read_ahead(place) else None
    finally:
        for reader in readers:
            reader.end()


def _is_read_ahead(place: SessionPlace) -> bool:
    return not place.problem and place.size <= _WHOLE


class _Reader:
    """A process that prepares sessions in turn, each when the one before it was taken.

    `multiprocessing` would run the script of the caller again, and leave processes behind a kill:
    this one ends when nobody is left to take what it prepares.
    """

    def __init__(self, places: Iterable[SessionPlace]) -> None:
        self._places = deque(places)
        self._start()

    def _start(self) -> None:
        with TemporaryFile() as asked:
            pickle.dump([*self._places], asked)
            asked.seek(0)
            self.process = subprocess.Popen(
                _isolation.command(entry=__name__),
                stdin=asked,
                stdout=subprocess.PIPE,
                start_new_session=True,  # Ctrl-C is for the process that records
            )
        self._is_ready = False  # whether it has said that it runs the same hardwon

    def answer(self) -> Prepared | None:
        """The next session; None if the process is gone.

        It is then replaced for those that follow, unless it never began to work.
        """
        self._places.popleft()
        answers = self.process.stdout
        assert answers
        try:
            if not self._is_ready and pickle.load(answers) != _build():  # noqa: S301 - our process
                raise InvalidInput("another build of hardwon")
            self._is_ready = True
            prepared: Prepared | None = pickle.load(answers)  # noqa: S301 - our own process
        except Exception:  # noqa: BLE001 - whatever another build makes of it, or answers
            self.end()
            with suppress(OSError):
                if self._is_ready and self._places:
                    self._start()
            return None
        return prepared

    def end(self) -> None:
        """End the process, if it has not ended."""
        self.process.kill()
        with self.process:
            pass  # closes its pipe and waits for it


def _build() -> tuple[str, str]:
    """Which hardwon this process runs."""
    return hardwon.__version__, os.path.realpath(__file__)


def main() -> None:
    """Answer the sessions that come in with what they hold, as long as somebody takes it."""
    answers, sys.stdout = sys.stdout.buffer, sys.stderr  # what is printed is no answer
    try:
        pickle.dump(_build(), answers)
        answers.flush()
        for place in pickle.load(sys.stdin.buffer):  # noqa: S301 - from the process that started this
            try:
                prepared = prepare(place)
            except Exception:  # noqa: BLE001 - the other process reads it, too, and says what is wrong
                prepared = None
            pickle.dump(prepared, answers)
            answers.flush()
    except (EOFError, BrokenPipeError, pickle.UnpicklingError):
        os._exit(0)  # without a last try to write
