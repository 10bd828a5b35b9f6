"""Begin, resume and abort loops. The API and the command line call this."""

from __future__ import annotations

import asyncio
import functools
import hashlib
import json
import os
import re
import shutil
import tempfile
import time
import tomllib
import weakref
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Required, TypedDict, Unpack, get_args

from hardwon.core import _files, processes
from hardwon.core.errors import HardwonError, InvalidInput, NotFound, StorageError, TransientError
from hardwon.core.text.clean import require_text
from hardwon.core.text.redact import redact
from hardwon.core.values import DecodeError, from_plain
from hardwon.core.values.scope import Scope
from hardwon.engine.runtime import Runtime
from hardwon.learn.trials import analytics, files
from hardwon.learn.trials.exchange import Imported, import_all
from hardwon.learn.trials.files import LoopFolder, repository
from hardwon.learn.trials.roles import Functions, check_verifiers
from hardwon.learn.trials.runner import Runner, check_omega, window
from hardwon.learn.trials.to_lessons import keep_lessons
from hardwon.learn.trials.values import Category, LoopState, Options, Record

TRUSTED_FILE = "hardwon.toml"  # names the commands of a loop, once a person trusts it
_TRUSTED = "trusted.json"
_TASK_LIMIT = 64 * 1024
_CHANGEABLE = {
    "max_trials", "patience", "repeats", "on_critical", "omega", "policy", "window_tokens",
    "actor", "actor_seconds", "verify_seconds",
}  # fmt: skip
_LEAST = {
    **dict.fromkeys(("max_trials", "window_tokens", "output_bytes"), 1),
    **dict.fromkeys(("actor_seconds", "verify_seconds"), 1e-9),
}
_PATTERNS_READ = 500
_ABORT_PATIENCE = 15.0  # seconds for a running loop to notice that it was aborted
_TEMPORARY: weakref.WeakKeyDictionary[Runtime, str] = weakref.WeakKeyDictionary()


class LoopOptions(TypedDict, total=False):
    """How a loop is run; missing options come from the settings."""

    actor: Required[Callable[..., object] | str]
    evaluate: Callable[..., object] | None
    resume: str | None
    loop_id: str | None
    verify: Sequence[str]
    cwd: str
    max_trials: int
    omega: str | int
    policy: str
    window_tokens: int
    variant: str
    actor_seconds: float
    verify_seconds: float
    output_bytes: int
    patience: int
    repeats: int
    on_critical: str
    lessons: str
    recall: bool
    inject: bool
    pass_env: Sequence[str]


class Loops:
    """The loops of one agent: run them, and read what is stored."""

    def __init__(self, engine: Runtime, scope: Scope) -> None:
        self._engine = engine
        self.scope = scope
        self.root = root_of(engine)

    def get(self, loop_id: str) -> LoopState:
        """The state of a loop, or NotFound."""
        return self.folder(loop_id).state()

    def is_running(self, loop_id: str) -> bool:
        """Whether some process runs the loop now."""
        return files.is_running(self.folder(loop_id))

    def list(self, *, limit: int = 20, status: str | None = None) -> list[LoopState]:
        """The newest loops first."""
        states = files.every_loop(self.root, self.scope)
        wanted = [state for state in states if status in (None, state.status)]
        return sorted(wanted, key=lambda state: state.created_at, reverse=True)[:limit]

    def reflections(self, loop_id: str) -> Sequence[Record]:
        """All readable reflections of a loop, in order."""
        return self.folder(loop_id).records()

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
        if limit < 1:
            raise InvalidInput(f"limit must be at least 1, not {limit}")
        if unknown := set(kinds) - set(get_args(Category)):
            raise InvalidInput(f"no such failure category: {', '.join(sorted(map(str, unknown)))}")
        rows = [
            (trial.at, state.loop_id, trial.number)
            for state in files.every_loop(self.root, self.scope)
            for trial in state.trials
            if trial.category and (trial.confidence or 0.0) >= min_confidence
            if not kinds or trial.category in kinds
        ]
        found: list[Record] = []
        for _, loop_id, number in sorted(rows, reverse=True):
            folder = files.LoopFolder(self.root, loop_id)
            with suppress(ValueError, OSError, RecursionError):
                record = files.read_record(folder.at(files.number_name(number)))
                found += [record] if analytics.has_words(record, task_keywords) else []
            if len(found) == limit:
                break
        return found

    def patterns(
        self,
        records: Sequence[Record] | None = None,
        *,
        min_frequency: int = 2,
        categories: Sequence[str] = analytics.PARTS,
        failure_category: str | Sequence[str] = (),
        task_keywords: Sequence[str] = (),
        min_confidence: float = 0.0,
        limit: int = _PATTERNS_READ,
    ) -> Sequence[analytics.SharedPoint]:
        """Points that several reflections share, most frequent first.

        Reads `records`, or what `search` finds with the same arguments. `categories` are the
        parts of a reflection to look in: actionable_insights, lessons_learned.
        """
        if records is None:
            records = self.search(
                failure_category=failure_category,
                task_keywords=task_keywords,
                min_confidence=min_confidence,
                limit=limit,
            )
        return analytics.patterns(records, min_frequency=min_frequency, parts=categories)

    def analyze(self, *, watch: Callable[[], None] = lambda: None) -> analytics.Analysis:
        """Statistics over all loops of the agent; `watch` is called for each one read."""
        return analytics.analyze(files.every_loop(self.root, self.scope, watch=watch))

    def import_from(
        self, path: str, *, tell: Callable[[int, int], None] = lambda done, of: None
    ) -> Imported:
        """Import the reflections below a path, in any known format, and learn from them.

        `tell(done, of)` is called with the number of loops done, and of all loops.
        """
        learn, now = functools.partial(keep_lessons, self._engine), self._engine.clock()
        return import_all(self.root, self.scope, path, now=now, learn=learn, tell=tell)

    def restore_best(self, loop_id: str) -> int:
        """Restore the work tree to the state of the best trial; returns its number."""
        folder = self.folder(loop_id)
        state = folder.state()
        best = state.best
        place = repository(state.options.cwd, folder.at("git"))
        if place is None or best is None or not best.tree:
            problem = "has no snapshot of its files: it did not run in a git work tree"
            raise InvalidInput(f"loop {loop_id!r} {problem}")
        place.restore(best.tree)
        return best.number

    def folder(self, loop_id: str) -> LoopFolder:
        """The folder of a loop, or NotFound."""
        folder = files.LoopFolder(self.root, loop_id)
        if not folder.exists() or not files.is_visible(folder.state(), self.scope):
            raise NotFound("loop", loop_id)
        return folder

    def run(self, task: str, **options: Unpack[LoopOptions]) -> LoopState:
        """Try the task until it is verified: `actor=` acts, `evaluate=` or `verify=` judges."""
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
        **changes: Any,
    ) -> LoopState:
        """The same as a coroutine; with `threads` plain functions do not block the event loop."""
        command = actor if isinstance(actor, str) else ""
        functions = Functions(None if isinstance(actor, str) else actor, evaluate, threads=threads)
        if resume is not None:
            return await self.resume(resume, functions, **changes)
        if command:
            changes.setdefault("cwd", os.getcwd())
        return await self.begin(task, functions, loop_id=loop_id, actor=command, **changes)

    async def begin(
        self, task: str, functions: Functions, *, loop_id: str | None = None, **given: Any
    ) -> LoopState:
        """Begin a new loop and run it to its end."""
        options = options_of(task, self._engine.settings.trials, **given)
        options = check_options(options, functions)
        name = new_id(options.task) if loop_id is None else loop_id
        folder = files.LoopFolder(self.root, name)
        if folder.exists():
            raise InvalidInput(f"loop {name!r} exists; resume it or choose another id")
        with files.LoopJournal(folder) as journal:
            if folder.exists():  # another process created it before this one got the lock
                raise TransientError(f"loop {name!r} exists")
            place = repository(options.cwd, folder.at("git"))
            tree = place.snapshot() if place else ""
            journal.add({"event": "created", "at": self._now(), "loop_id": name,
                         "scope": [*self.scope], "options": options, "tree": tree})  # fmt: skip
            return await Runner(self._engine, journal, functions).run()

    async def resume(self, loop_id: str, functions: Functions, **changes: Any) -> LoopState:
        """Continue an interrupted or failed loop from its last durable step."""
        folder = self.folder(loop_id)
        with files.LoopJournal(folder) as journal:
            check_resumable(journal.load(), changes)
            _files.unlink(folder.at(files.ABORT))
            processes.end_marked(folder.path)  # what a killed process left running
            event = {"event": "resumed", "at": self._now(), "options": _to_stored(changes)}
            check_options(journal.add(event).options, functions)
            return await Runner(self._engine, journal, functions).run()

    def abort(self, loop_id: str) -> LoopState:
        """End a loop: a running one is asked and waited for, an interrupted one is closed."""
        folder = self.folder(loop_id)
        if folder.state().status != "running":
            raise InvalidInput(f"loop {loop_id!r} has ended already")
        files.write(folder.at(files.ABORT), b"")
        deadline = time.monotonic() + _ABORT_PATIENCE
        while files.is_running(folder) and time.monotonic() < deadline:
            time.sleep(0.1)
        if folder.state().status == "running":  # its process has died
            with files.LoopJournal(folder) as journal:
                journal.load()
                processes.end_marked(folder.path)
                asyncio.run(Runner(self._engine, journal, Functions()).run())
        return folder.state()

    def _now(self) -> str:
        return self._engine.clock().isoformat()


def new_id(task: str) -> str:
    """A readable, unique id."""
    slug = re.sub(r"[^a-z0-9]+", "-", task.lower()[:200]).strip("-")[:30].strip("-")
    return f"loop-{slug or 'task'}-{os.urandom(4).hex()}"


def root_of(engine: Runtime) -> str:
    """The folder of all loops; temporary for stores in memory."""
    if engine.on_disk:
        return os.path.join(engine.settings.home, "loops")
    if engine not in _TEMPORARY:
        _TEMPORARY[engine] = tempfile.mkdtemp(prefix="hardwon-loops-")
        weakref.finalize(engine, functools.partial(shutil.rmtree, ignore_errors=True),
                         _TEMPORARY[engine])  # fmt: skip
    return _TEMPORARY[engine]


def forget(engine: Runtime, tenant: str) -> None:
    """Remove the loops of a tenant."""
    root = root_of(engine)
    for name in files.loop_ids(root):
        folder = files.LoopFolder(root, name)
        with suppress(HardwonError):
            if folder.exists() and folder.state().scope.tenant == tenant:
                shutil.rmtree(folder.path, ignore_errors=True)


def check_options(options: Options, functions: Functions) -> Options:
    """The options, with secrets removed from the task; InvalidInput if they are unusable."""
    if functions.actor is None and not options.actor.strip():
        raise InvalidInput("no actor: give a command or a function")
    if functions.evaluate is None and not options.verify:
        raise InvalidInput("no verifier: give a command (--verify) or a function (evaluate=)")
    if options.cwd and not os.path.isdir(options.cwd):
        raise InvalidInput(f"{options.cwd!r} is not a directory")
    for command in (options.actor, *options.verify):
        _check_secrets(command)
    check_omega(options.omega)
    check_verifiers(options.verify, options.cwd or os.getcwd())
    for name, least in _LEAST.items():
        if not least <= (value := getattr(options, name)) <= 1 << 30:
            bound = f"at least {least}" if isinstance(least, int) else "over 0"
            raise InvalidInput(f"{name} must be {bound}, not {value}")
    return options._replace(task=redact(require_text(options.task, "task", _TASK_LIMIT)))


def _check_secrets(command: str) -> None:
    """Refuse a command with a secret: commands are stored as they are, to run again."""
    if redact(command) != command:
        raise InvalidInput("a command of a loop holds a secret; pass it in the environment instead")


def options_of(task: str, defaults: Any, **given: Any) -> Options:
    """The options of a loop: the given ones, else those of the settings."""
    unknown = given.keys() - set(Options._fields)
    if unknown:
        raise InvalidInput(f"no such option: {', '.join(sorted(unknown))}")
    names = ("max_trials", "omega", "policy", "window_tokens", "patience", "repeats", "lessons")
    from_settings = {name: getattr(defaults, name) for name in names}
    from_settings["actor_seconds"] = defaults.actor_timeout.total_seconds()
    from_settings["verify_seconds"] = defaults.verify_timeout.total_seconds()
    try:
        return from_plain(Options, {**from_settings, **_to_stored(given), "task": task})
    except DecodeError as error:
        raise InvalidInput(str(error)) from error


def _to_stored(given: dict[str, Any]) -> dict[str, Any]:
    """The given options in the form in which they are stored."""
    present = {name: value for name, value in given.items() if value is not None}
    return {name: str(v) if name == "omega" else v for name, v in present.items()}


def check_resumable(state: LoopState, changes: dict[str, Any]) -> None:
    """Refuse to resume an ended loop, or to change its fixed options."""
    unknown = changes.keys() - _CHANGEABLE
    if unknown:
        raise InvalidInput(f"a resumed loop keeps its {', '.join(sorted(unknown))}")
    _check_secrets(changes.get("actor") or "")
    if state.status == "succeeded":
        raise InvalidInput(f"loop {state.loop_id!r} has succeeded; there is nothing to resume")
    most = changes.get("max_trials") or state.options.max_trials
    # A loop that was killed before its end is continued, even if all its trials are used.
    if state.status != "running" and state.open is None and len(state.trials) >= most:
        raise InvalidInput(
            f"loop {state.loop_id!r} has used its {most} trials; resume it with a larger max_trials"
        )


def trust(home: str, path: str) -> str:
    """Trust this file as it is now to name commands; returns its full path."""
    full, content = _read_commands(path)
    _loop_table(full, content)
    trusted = {**_trusted_files(home), full: hashlib.sha256(content).hexdigest()}
    files.write(os.path.join(home, _TRUSTED), json.dumps(trusted, indent=2).encode())
    return full


def loop_table(home: str, path: str) -> dict[str, Any]:
    """The `[loop]` table of a trusted file, else InvalidInput."""
    full, content = _read_commands(path)
    if _trusted_files(home).get(full) != hashlib.sha256(content).hexdigest():
        raise InvalidInput(
            f"{full} is not trusted, or has changed since; read it, then: hardwon loop trust {path}"
        )
    return _loop_table(full, content)


def _read_commands(path: str) -> tuple[str, bytes]:
    full = os.path.realpath(path)
    content = files.read(full)
    if content is None:
        raise InvalidInput(f"{path!r} does not exist")
    return full, content


def _loop_table(path: str, content: bytes) -> dict[str, Any]:
    try:
        table = tomllib.loads(content.decode()).get("loop", {})
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise StorageError(path, f"not valid TOML ({error})", "correct it") from error
    unknown = set(table) - set(Options._fields) if isinstance(table, dict) else {"loop"}
    if unknown:
        raise InvalidInput(f"{path}: unknown in [loop]: {', '.join(sorted(unknown))}")
    return dict(table)


def _trusted_files(home: str) -> dict[str, str]:
    content = files.read(os.path.join(home, _TRUSTED))
    try:
        trusted = json.loads(content) if content else {}
    except ValueError:
        return {}  # then nothing is trusted
    return trusted if isinstance(trusted, dict) else {}
