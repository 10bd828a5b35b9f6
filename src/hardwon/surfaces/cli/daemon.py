"""`hardwon daemon` and `hardwon hook`: answer the events of coding agents."""

from __future__ import annotations

import os
import signal
import threading
import time
from contextlib import suppress

import click

import hardwon
from hardwon.core.errors import HardwonError
from hardwon.core.settings import default_home, duration, load
from hardwon.storage.service import kept_token
from hardwon.surfaces.cli import options
from hardwon.surfaces.cli.output import say

_LOOK = 1.0  # seconds between two looks at whether it is still needed


@click.command("daemon")
@click.option("--port", type=click.IntRange(0, 65535), help="Serve HTTP on 127.0.0.1 as well.")
@click.option("--idle", metavar="TIME", help="End after this long without an event, e.g. 15m.")
@options.home
def command(port: int | None, idle: str | None, home: str | None) -> None:
    """Answer hooks from a resident process, until SIGTERM or Ctrl-C.

    Hooks start one by themselves, with --idle 15m; the setting hooks.daemon turns that off.

    Listens on the Unix socket $HARDWON_HOME/hook.sock, which only you can open:

    \b
    curl -s --unix-socket ~/.hardwon/hook.sock -d @- http://h/hardwon/hook/codex

    With --port it listens on http://127.0.0.1:PORT/hardwon/hook/AGENT as well. Requests there need
    the token in $HARDWON_HOME/token; `hardwon install claude-code --http PORT` sets that up.
    """
    from hardwon.surfaces.hooks.client import stamp
    from hardwon.surfaces.hooks.daemon import Daemon

    signal.signal(signal.SIGTERM, signal.default_int_handler)
    limit = duration(idle) if idle else None
    place = os.path.abspath(home) if home else default_home()
    shared = stamp(os.fsencode(place))  # before the settings are read
    with hardwon.open(settings=load(home).for_hooks(resident=True)) as hw:
        os.chdir(hw.settings.home)
        token = "" if port is None else kept_token(hw.settings.home)
        serving = Daemon(hw, port=port, token=token, idle=limit, shared=shared)
        with suppress(KeyboardInterrupt):
            serving.start()
            threading.Thread(target=_warm_up, args=(hw,), daemon=True).start()
            say(f"listening on {serving.socket_path}")
            if serving.port is not None:
                say(f"listening on http://127.0.0.1:{serving.port}")
            while not serving.lifetime.is_over():
                time.sleep(_LOOK)
        serving.close()


def _warm_up(hw: hardwon.Hardwon) -> None:
    """Read the weights of an embedder before the first prompt has to wait for them."""
    with suppress(HardwonError):  # an endpoint that is down is reported later
        hw.vectors.fill()
        hw.agent("warm-up").explain("turn", "warm up")


@click.command("hook")
@click.argument("agent")
@click.argument("event", required=False)
def hook_command(agent: str, event: str | None) -> None:
    """Answer one event of a coding agent, read as JSON from standard input.

    AGENT is claude-code, codex, gemini, copilot, opencode, cline, qwen or cursor; EVENT is needed
    only for an agent that does not name it in the JSON. `hardwon install AGENT` sets this up.

    A hook never fails: after any error the exit code is 0, nothing is printed, and
    $HARDWON_HOME/hook.log has one line about it.
    """
