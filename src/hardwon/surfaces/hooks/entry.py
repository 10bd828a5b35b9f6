"""One event in the hook's own process: from standard input, the answer on standard output.

After any error the agent continues: exit code 0, no output, one line in `<home>/hook.log`.
"""

from __future__ import annotations

import json
import os
import time
from typing import NoReturn

from hardwon.core import _files, _isolation
from hardwon.core.settings import Settings, load
from hardwon.surfaces.hooks import guarding
from hardwon.surfaces.hooks.agents import Input, adapter
from hardwon.surfaces.hooks.client import Outcome
from hardwon.surfaces.hooks.watch import GAVE_UP, Watch

DAEMON_LOG = "daemon.log"
_IDLE = "15m"  # without an event, after which a daemon that was started here ends
_AGAIN = 30.0  # seconds until a daemon is started again: one may be starting
_AFTERWARDS = 5.0  # seconds to finish after the answer


def run(agent: str, name: str, event: Input, outcome: str = Outcome.REFUSED) -> NoReturn:
    """Handle one event, then exit at once; `outcome` says what the daemon has done with it."""
    watch = Watch(f"{agent} {name}".strip())
    try:
        guarding.pass_or_deny(agent, name, event)
        settings = load()
        if outcome == Outcome.KEPT:
            watch.log(f"{GAVE_UP} waiting for the daemon")
        elif settings.hooks.enabled:
            _answer(agent, name, event, watch, settings)
            if outcome == Outcome.ABSENT:
                start_daemon(settings)
    except BaseException as error:  # noqa: BLE001 - the agent's turn goes on, whatever it is
        watch.log(f"{type(error).__name__}: {error}")
    os._exit(0)


def _answer(agent: str, name: str, given: Input, watch: Watch, settings: Settings) -> None:
    """Print the answer; there may be none."""
    watch.start(settings)
    _files.ensure_own(settings.home)
    event = adapter(agent).understand(given.read(), name)
    watch.about(event)
    from hardwon import api  # within the time limit
    from hardwon.surfaces.hooks.respond import respond

    with api.open(settings=settings.for_hooks()) as hw:
        hw.on_trouble(watch.trouble)
        reply = respond(event, hw, agent)
    if answer := adapter(agent).answer(event, reply) if reply else {}:
        os.write(1, json.dumps(answer).encode())
    watch.extend(_AFTERWARDS)
    watch.ran()


def start_daemon(settings: Settings) -> None:
    """Start a daemon for the next events, unless that is off or was done just now."""
    log = os.path.join(settings.home, DAEMON_LOG)
    try:
        is_recent = abs(time.time() - os.stat(log).st_mtime) < _AGAIN
    except FileNotFoundError:
        is_recent = False
    if settings.hooks.daemon and not is_recent:
        command = _isolation.command(
            "daemon", "--idle", _IDLE, "--home", settings.home, folder=settings.home
        )
        _isolation.start_detached(command, log=log)
