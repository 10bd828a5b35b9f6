"""Guards in a hook: a forbidden call is denied before any slow work.

The time limit is far above that of a recall: a guard that gives up on a busy machine is useless. A
call that may be forbidden and cannot be judged in time is denied.
"""

from __future__ import annotations

import _thread
import json
import os
import time
from collections.abc import Callable
from typing import NoReturn

from hardwon.core import _files
from hardwon.core.errors import StorageError
from hardwon.core.settings import Settings, default_home, load
from hardwon.core.values.scope import scope
from hardwon.engine import trust
from hardwon.knowledge.reading import call_keys
from hardwon.storage.stores import guard_file
from hardwon.surfaces.hooks.agents import Event, EventKind, HookReply, Input, adapter
from hardwon.surfaces.hooks.watch import GAVE_UP, Watch

LIMIT = 20.0  # seconds; `install` tells agents to wait for 30
_UNSAFE = (
    "A guard forbids this call; its words are not shown, for others can write to the home of"
    " hardwon. `hardwon doctor` says what to do."
)
_UNSURE = "hardwon could not judge in time whether a guard forbids this call; try again."


def pass_or_deny(agent: str, name: str, given: Input) -> None:
    """Return if no guard forbids the event's call; else deny it and end the process."""
    guards = guard_file.read(default_home())
    if not guards:
        return
    case = _Case(agent, name)
    _thread.start_new_thread(case.give_up, (LIMIT,))
    raw = given.read()
    lines = guard_file.lines_about(guards, raw)
    if lines:
        case.judge(raw, lines)
    case.is_judged = True


def reason_to_deny(
    event: Event, lines: list[bytes], settings: Callable[[], Settings], watch: Watch
) -> str:
    """Why one of these guards forbids the call; "" if none does.

    A call that cannot be judged is denied, and the error is logged.
    """
    if not lines or event.kind != EventKind.BEFORE:
        return ""
    try:
        return _reason(event, lines, settings())
    except Exception as error:  # noqa: BLE001 - whatever it is, the guard must not be lost
        watch.trouble(error)
        return _UNSURE


class _Case:
    """A call that may be forbidden."""

    def __init__(self, agent: str, name: str) -> None:
        self._agent = agent
        self._name = name
        self._watch = Watch(f"{agent} guard")
        self._event: Event | None = None  # set once the call may be forbidden
        self.is_judged = False

    def judge(self, raw: bytes, lines: list[bytes]) -> None:
        """Deny the call and exit, or return."""
        try:
            event = adapter(self._agent).understand(raw, self._name)
        except Exception as error:  # noqa: BLE001 - no agent makes a call of such an event
            self._watch.trouble(error)
            os._exit(0)
        if event.kind != EventKind.BEFORE:
            return
        self._event = event
        if reason := reason_to_deny(event, lines, load, self._watch):
            self._deny(reason)

    def give_up(self, seconds: float) -> None:
        """Deny the call if it is not judged by then, and log it."""
        time.sleep(seconds)
        if not self.is_judged:
            self._watch.log(f"{GAVE_UP} {seconds:.3g} s")
            self._deny(_UNSURE)

    def _deny(self, reason: str) -> NoReturn:
        if self._event is not None:
            output = adapter(self._agent).answer(self._event, HookReply(denial=reason))
            os.write(1, json.dumps(output).encode())
        os._exit(0)


def _reason(event: Event, lines: list[bytes], settings: Settings) -> str:
    own = settings.scope
    folder = own.project or trust.project_for(event.cwd, settings.home, tenant=own.tenant)
    viewer = scope(own.agent, project=folder, tenant=own.tenant)
    call = call_keys.canonical(event.args)
    lesson = guard_file.forbidding(lines, viewer, tool=event.tool, call=call, now=time.time())
    if lesson is None or not settings.hooks.enabled:
        return ""
    try:
        _files.ensure_own(settings.home)
    except StorageError:
        return _UNSAFE  # still forbidden, but the text may be somebody else's
    from hardwon.engine.pipeline import inject  # only a denial needs words

    return inject.guarding(lesson)
