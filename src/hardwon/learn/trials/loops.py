"""Begin, resume and abort loops. This is what the face and the command line call."""

from __future__ import annotations

import asyncio
import os
import re
import time
from typing import TYPE_CHECKING, Any

from hardwon import _files
from hardwon.errors import InvalidInput, TransientError
from hardwon.learn.trials import files, process
from hardwon.learn.trials.codec import Misfit, from_json, to_json
from hardwon.learn.trials.evaluate import checked
from hardwon.learn.trials.library import Library
from hardwon.learn.trials.roles import ConfiguredRoles
from hardwon.learn.trials.runner import Runner
from hardwon.learn.trials.snapshots import repository
from hardwon.learn.trials.state import Options
from hardwon.learn.trials.window import omega_setting
from hardwon.text.clean import required
from hardwon.text.redact import redact

if TYPE_CHECKING:
    from collections.abc import Callable

    from hardwon.learn.trials.files import LoopFolder, LoopJournal
    from hardwon.learn.trials.state import State

_TASK_LIMIT = 64 * 1024
_ABORT_PATIENCE = 15.0  # seconds that a running loop gets to notice that it was aborted
_CHANGEABLE = {
    "max_trials", "patience", "repeats", "on_critical", "omega", "policy", "window_tokens",
    "actor", "actor_seconds", "verify_seconds",
}  # fmt: skip


class Functions:
    """The functions of a loop that is run from Python, and who hears about its progress."""

    def __init__(
        self,
        actor: Callable[[Any], Any] | None = None,
        evaluate: Callable[[Any], Any] | None = None,
        *,
        threads: bool = False,
        say: Callable[[str, State], None] = lambda event, state: None,
    ) -> None:
        self.actor = actor
        self.evaluate = evaluate
        self.threads = threads
        self.say = say


class Loops(Library):
    """The loops of one agent, and what can be done with them."""

    def run(self, task: str, **options: Any) -> State:
        """Tries the task until it is verified: `actor=` acts, `evaluate=` or `verify=` judges."""
        return asyncio.run(self._run_async(task, threads=False, **options))

    async def _run_async(
        self,
        task: str,
        *,
        actor: Callable[[Any], Any] | str,
        evaluate: Callable[[Any], Any] | None = None,
        threads: bool = True,
        resume: str | None = None,
        loop_id: str | None = None,
        **given: Any,
    ) -> State:
        """The same; with `threads` plain functions do not hold up the event loop."""
        command = actor if isinstance(actor, str) else None
        function = None if isinstance(actor, str) else actor
        functions = Functions(function, evaluate, threads=threads)
        if resume is not None:
            return await self.resume(resume, functions, **given)
        if command is not None:
            given.setdefault("cwd", os.getcwd())
        options = options_of(task, self._engine.settings.trials, actor=command or "", **given)
        return await self.begin(options, functions, loop_id=loop_id)

    async def begin(
        self, options: Options, functions: Functions, *, loop_id: str | None = None
    ) -> State:
        """A new loop, run to its end."""
        options = sound(options, functions)
        name = files.safe_id(loop_id) if loop_id is not None else new_id(options.task)
        folder = files.LoopFolder(self.root, name)
        if folder.exists():
            raise InvalidInput(f"loop {name!r} exists; resume it or choose another id")
        journal = files.LoopJournal(folder)
        try:
            self._create(journal, options)
            return await self._runner(journal, functions).run()
        finally:
            journal.close()

    async def resume(self, loop_id: str, functions: Functions, **changes: Any) -> State:
        """A loop that was interrupted or given up, run on from its last durable step."""
        folder = self._folder(loop_id)
        journal = files.LoopJournal(folder)
        try:
            state = journal.load()
            _check_resumable(state, changes)
            _files.unlink(folder.at(files.ABORT))
            process.end_marked(folder.path)  # what a killed process left running
            journal.add({"event": "resumed", "at": self._now(), "options": _changed(changes)})
            sound(journal.state.options if journal.state else state.options, functions)
            return await self._runner(journal, functions).run()
        finally:
            journal.close()

    def abort(self, loop_id: str) -> State:
        """End a loop: a running one is asked and waited for, an interrupted one is closed."""
        folder = self._folder(loop_id)
        if folder.state().status != "running":
            raise InvalidInput(f"loop {loop_id!r} has ended already")
        files.write(folder.at(files.ABORT), b"")
        deadline = time.monotonic() + _ABORT_PATIENCE
        while files.is_running(folder) and time.monotonic() < deadline:
            time.sleep(0.1)
        if folder.state().status == "running":
            self._close_down(folder)
        return folder.state()

    def _close_down(self, folder: LoopFolder) -> None:
        journal = files.LoopJournal(folder)
        try:
            journal.load()
            process.end_marked(folder.path)
            asyncio.run(self._runner(journal, Functions()).run())
        finally:
            journal.close()

    def _create(self, journal: LoopJournal, options: Options) -> None:
        if journal.folder.exists():  # another process was faster between the look and the lock
            raise TransientError(f"loop {journal.folder.loop_id!r} exists")
        place = repository(options.cwd, journal.folder.at("git")) if options.cwd else None
        journal.add(
            {
                "event": "created",
                "at": self._now(),
                "loop_id": journal.folder.loop_id,
                "scope": [*self.scope],
                "options": to_json(options),
                "tree": place.picture() if place else "",
            }
        )

    def _runner(self, journal: LoopJournal, functions: Functions) -> Runner:
        assert journal.state is not None
        options = journal.state.options
        roles = ConfiguredRoles(
            options,
            mark=journal.folder.path,
            actor=functions.actor,
            evaluate=functions.evaluate,
            threads=functions.threads,
        )
        place = repository(options.cwd, journal.folder.at("git")) if options.cwd else None
        return Runner(self._engine, journal, roles, repository=place, say=functions.say)

    def _now(self) -> str:
        return self._engine.clock().isoformat()


def sound(options: Options, functions: Functions) -> Options:
    """The options once they make sense."""
    if functions.actor is None and not options.actor:
        raise InvalidInput("no actor: give a command or a function")
    if functions.evaluate is None and not options.verify:
        raise InvalidInput("no verifier: give a command (--verify) or a function (evaluate=)")
    if options.cwd and not os.path.isdir(options.cwd):
        raise InvalidInput(f"{options.cwd!r} is no directory")
    for command in (options.actor, *options.verify):
        _without_secret(command)
    omega_setting(options.omega)
    checked(options.verify, options.cwd or os.getcwd())
    _within_limits(options)
    return options._replace(task=redact(required(options.task, "task", _TASK_LIMIT)))


def _within_limits(options: Options) -> None:
    for name in ("max_trials", "window_tokens", "output_bytes"):
        if not 1 <= getattr(options, name) <= 1 << 30:
            raise InvalidInput(f"{name} must be at least 1, not {getattr(options, name)}")
    for name in ("actor_seconds", "verify_seconds"):
        if not 0 < getattr(options, name) < 1e7:
            raise InvalidInput(f"{name} must be over 0, not {getattr(options, name)}")


def _without_secret(command: object) -> None:
    """Refuse a command that holds a secret: it is kept as it stands, to be run again."""
    if redact(str(command)) != str(command):
        raise InvalidInput("a command of a loop holds a secret; give it by the environment instead")


def options_of(task: str, defaults: Any, **given: Any) -> Options:
    """The options of a loop: what was given, then the settings."""
    unknown = given.keys() - set(Options._fields)
    if unknown:
        raise InvalidInput(f"no such option: {', '.join(sorted(unknown))}")
    settled = {
        "max_trials": defaults.max_trials,
        "omega": defaults.omega,
        "policy": defaults.policy,
        "window_tokens": defaults.window_tokens,
        "actor_seconds": defaults.actor_timeout.total_seconds(),
        "verify_seconds": defaults.verify_timeout.total_seconds(),
        "patience": defaults.patience,
        "repeats": defaults.repeats,
        "lessons": defaults.lessons,
    }
    chosen = {name: value for name, value in given.items() if value is not None}
    if "omega" in chosen:
        chosen["omega"] = str(chosen["omega"])
    try:
        return from_json(Options, {**settled, **chosen, "task": task})
    except Misfit as error:
        raise InvalidInput(str(error)) from error


def new_id(task: str) -> str:
    """A readable id that nobody else has."""
    slug = re.sub(r"[^a-z0-9]+", "-", task.lower()[:200]).strip("-")[:30].strip("-")
    return f"loop-{slug or 'task'}-{os.urandom(4).hex()}"


def _check_resumable(state: State, changes: dict[str, Any]) -> None:
    unknown = changes.keys() - _CHANGEABLE
    if unknown:
        raise InvalidInput(f"a resumed loop keeps its {', '.join(sorted(unknown))}")
    _without_secret(changes.get("actor") or "")
    if state.status == "succeeded":
        raise InvalidInput(f"loop {state.loop_id!r} has succeeded; there is nothing to resume")
    most = changes.get("max_trials") or state.options.max_trials
    # One that was killed before it could end is let end, whatever its trials came to.
    if state.status != "running" and state.open is None and len(state.trials) >= most:
        raise InvalidInput(
            f"loop {state.loop_id!r} has used its {most} trials; resume it with more max trials"
        )


def _changed(changes: dict[str, Any]) -> dict[str, Any]:
    given = {name: value for name, value in changes.items() if value is not None}
    return {name: str(v) if name == "omega" else v for name, v in given.items()}
