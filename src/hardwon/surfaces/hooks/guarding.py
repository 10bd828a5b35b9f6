"""Guards in a hook: a forbidden call is denied before any slow work.

The event is read here only if there are guards. The time limit is far above that of a recall: a
guard that gives up on a busy machine is useless. A call that may be forbidden and cannot be judged
in time is denied.
"""

from __future__ import annotations

import _thread
import os
import time

from hardwon import _homes
from hardwon._cold.lazy import lazy
from hardwon.errors import StorageError
from hardwon.settings import default_home
from hardwon.stores import guard_file
from hardwon.surfaces.hooks import hook_log

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

    from hardwon import settings, trust
    from hardwon._cold import json
    from hardwon.failures import call_keys
    from hardwon.pipeline import inject
    from hardwon.surfaces.hooks import agents, entry, events
    from hardwon.text import json_clip
    from hardwon.values import scope
else:
    settings, trust = lazy("hardwon.settings"), lazy("hardwon.trust")
    json = lazy("hardwon._cold.json")
    call_keys = lazy("hardwon.failures.call_keys")
    inject = lazy("hardwon.pipeline.inject")
    agents = lazy("hardwon.surfaces.hooks.agents")
    entry, events = lazy("hardwon.surfaces.hooks.entry"), lazy("hardwon.surfaces.hooks.events")
    json_clip = lazy("hardwon.text.json_clip")
    scope = lazy("hardwon.values.scope")

LIMIT = 20.0  # seconds; `install` tells agents to wait for 30
_UNSAFE = (
    "A guard forbids this call; its words are not shown, for others can write to the home of"
    " hardwon. `hardwon doctor` says what to do."
)
_UNSURE = "hardwon could not judge in time whether a guard forbids this call; try again."


def pass_or_deny(arguments: list[str]) -> bytes | None:
    """The event if it had to be read; a forbidden call is denied and the process ends."""
    guards = guard_file.read(default_home())
    if not guards:
        return None
    case = _Case(*(*arguments[:2], "", "")[:2])
    _thread.start_new_thread(case.give_up, (LIMIT,))
    raw = json_clip.squeezed(lambda size: os.read(0, size))
    lines = guard_file.concerned(guards, raw)
    if lines:
        case.judge(raw, lines)
    case.is_judged = True
    return raw


class _Case:
    """A call that may be forbidden."""

    def __init__(self, agent: str, name: str) -> None:
        self._agent = agent
        self._name = name
        self._event: events.Event | None = None  # set once the call may be forbidden
        self.is_judged = False

    def judge(self, raw: bytes, lines: list[bytes]) -> None:
        """Deny the call and exit, or return."""
        try:
            event = agents.adapter(self._agent).read(entry.parsed(raw), self._name)
            if event is None or event.kind != events.EventKind.BEFORE:
                return
            self._event = event
            reason = _reason(event, lines)
        except Exception as error:  # noqa: BLE001 - whatever it is, the guard must not be lost
            self._log(f"{type(error).__name__}: {error}")
            reason = _UNSURE
        if reason:
            self._deny(reason)

    def give_up(self, seconds: float) -> None:
        """Deny the call if it is not judged by then, and log it."""
        time.sleep(seconds)
        if not self.is_judged:
            self._log(f"{hook_log.GAVE_UP} {seconds:.3g} s")
            self._deny(_UNSURE)

    def _log(self, problem: str) -> None:
        entry.Watch(f"{self._agent} guard").log(problem)

    def _deny(self, reason: str) -> NoReturn:
        if self._event is not None:
            output = agents.adapter(self._agent).answer(
                self._event, events.HookReply(denial=reason)
            )
            os.write(1, json.dumps(output).encode())
        os._exit(0)


def _reason(event: events.Event, lines: list[bytes]) -> str:
    """Why the call must not be made; "" when it is allowed."""
    values = settings.load()
    default_scope = values.scope
    folder = default_scope.project or trust.project_for(
        event.cwd, values.home, tenant=default_scope.tenant
    )
    viewer = scope.scope(default_scope.agent, project=folder, tenant=default_scope.tenant)
    call = call_keys.canonical(event.args)
    lesson = guard_file.forbidding(lines, viewer, tool=event.tool, call=call, now=time.time())
    if lesson is None or not values.hooks.enabled:
        return ""
    try:
        _homes.ensure_own(values.home)
    except StorageError:
        return _UNSAFE  # still forbidden, but the text may be somebody else's
    return inject.guarding(lesson)
