"""The settings file of each coding agent, the entries to write there, and the call in them."""

from __future__ import annotations

import json
import os
import shlex
from typing import TYPE_CHECKING, Any, NamedTuple

from hardwon.core import _isolation
from hardwon.surfaces.hooks.agents import AGENTS, claude_code, copilot, cursor, gemini
from hardwon.surfaces.hooks.events import EventKind

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

USER, PROJECT = "user", "project"
LEVELS = (USER, PROJECT)
_SECONDS = 30  # how long an agent waits at most: longer than a guard takes to give up
_SILENT = {EventKind.BATCH, EventKind.COMPACTION}  # understood, but not worth a process
_BUT_CALLS = "at a prompt, after an error; it takes only denials before a call"
_CODEX_LACKS = {"PostToolUseFailure"}


class Target(NamedTuple):
    """One file of one agent: all of it hardwon's (`whole`), or entries of hardwon."""

    agent: str
    path: str
    entries: tuple[
        tuple[tuple[str, ...], Any], ...
    ] = ()  # paths of arrays, and the item appended to each
    defaults: tuple[tuple[str, Any], ...] = ()  # top-level members that the format requires
    whole: str = ""
    advice: str = ""
    doors: str = "at a prompt, before a call, after an error"  # where the agent takes lessons


class ConfigPlace(NamedTuple):
    """Where to install, and the call of the hook there."""

    level: str
    folder: str
    environ: Mapping[str, str]
    call: Callable[[str], dict[str, Any]]  # the hook of an event, in Claude Code's format

    def inside(self, user: str, project: str, variable: str = "") -> str:
        """The path of a file in the user's home or in the project."""
        if self.level == PROJECT:
            return os.path.join(self.folder, project)
        folder = self.environ.get(variable, "") if variable else ""
        root, _, relative = user.partition("/")
        home = self.environ.get("HOME") or os.path.expanduser("~")
        return os.path.join(folder or os.path.join(home, root), relative)


def command_hook(agent: str, event: str = "", *, home: str = "") -> dict[str, Any]:
    """A hook that starts a process for each event, whatever is on the PATH.

    `home` is passed unless it is the default.
    """
    place = f"HARDWON_HOME={shlex.quote(home)} " if home else ""
    words = _isolation.command("hook", agent, *filter(None, [event]), site=False)
    return {"type": "command", "command": place + shlex.join(words)}


def http_hook(agent: str, *, port: int, token: str) -> dict[str, Any]:
    """A hook that calls the daemon; only Claude Code supports this."""
    url = f"http://127.0.0.1:{port}/hardwon/hook/{agent}"
    return {"type": "http", "url": url, "headers": {"Authorization": f"Bearer {token}"}}


def target(agent: str, place: ConfigPlace) -> Target:
    """The file of this agent at this place, with its entries."""
    return _TARGETS[agent](place)


def _claude_code(place: ConfigPlace) -> Target:
    path = place.inside(".claude/settings.json", ".claude/settings.json", "CLAUDE_CONFIG_DIR")
    return Target("claude-code", path, _nest_groups(_worthwhile(claude_code.KINDS), place))


def _codex(place: ConfigPlace) -> Target:
    path = place.inside(".codex/hooks.json", ".codex/hooks.json", "CODEX_HOME")
    events = [name for name in _worthwhile(claude_code.KINDS) if name not in _CODEX_LACKS]
    advice = "Codex skips new hooks until you trust them: start it and open /hooks."
    return Target("codex", path, _nest_groups(events, place), advice=advice)


def _gemini(place: ConfigPlace) -> Target:
    path = place.inside(".gemini/settings.json", ".gemini/settings.json")
    hooks = {"name": "hardwon", **place.call(""), "timeout": _SECONDS * 1000}
    entries = [(("hooks", name), {"hooks": [hooks]}) for name in _worthwhile(gemini.KINDS)]
    return Target("gemini", path, tuple(entries), doors=_BUT_CALLS)


def _copilot(place: ConfigPlace) -> Target:
    path = place.inside(".copilot/hooks/hardwon.json", ".github/hooks/hardwon.json", "COPILOT_HOME")
    hooks = {
        name: [{"type": "command", "bash": place.call(name)["command"], "timeoutSec": _SECONDS}]
        for name in _worthwhile(copilot.KINDS)
    }
    text = json.dumps({"version": 1, "hooks": hooks}, indent=2)
    return Target("copilot", path, whole=f"{text}\n")


def _cursor(place: ConfigPlace) -> Target:
    path = place.inside(".cursor/hooks.json", ".cursor/hooks.json")
    entries = [
        (("hooks", name), {"command": place.call("")["command"]})
        for name in _worthwhile(cursor.KINDS)
    ]
    return Target(
        "cursor",
        path,
        tuple(entries),
        defaults=(("version", 1),),
        advice="This follows Cursor's documentation; it was not tried with Cursor itself.",
        doors="when a session starts, after an error; it takes denials before a call",
    )


def _opencode(place: ConfigPlace) -> Target:
    path = place.inside(
        ".config/opencode/plugin/hardwon.js", ".opencode/plugin/hardwon.js", "OPENCODE_CONFIG_DIR"
    )
    return _plugin("opencode", path, place)


def _cline(place: ConfigPlace) -> Target:
    path = place.inside(".cline/plugins/hardwon.js", ".cline/plugins/hardwon.js", "CLINE_DIR")
    return _plugin("cline", path, place)


def _qwen(place: ConfigPlace) -> Target:
    path = place.inside(".qwen/settings.json", ".qwen/settings.json", "QWEN_HOME")
    # No limit of ours: some versions count it in seconds, others in milliseconds.
    entries = [
        (("hooks", name), {"hooks": [{"name": "hardwon", **place.call("")}]})
        for name in _worthwhile(claude_code.KINDS)
    ]
    return Target("qwen", path, tuple(entries), doors=_BUT_CALLS)


def _plugin(agent: str, path: str, place: ConfigPlace) -> Target:
    """A file that the agent runs itself, with the command of the hook in it."""
    source = os.path.join(os.path.dirname(__file__), f"{agent}_plugin.js")
    with open(source, encoding="utf-8") as file:
        text = file.read()
    command = json.dumps(place.call("")["command"])
    return Target(agent, path, whole=text.replace("@COMMAND@", command))


def _nest_groups(events: list[str], place: ConfigPlace) -> tuple[tuple[tuple[str, ...], Any], ...]:
    """One group for each event, in the nesting that Claude Code introduced."""
    return tuple(
        (("hooks", name), {"hooks": [{**place.call(""), "timeout": _SECONDS}]}) for name in events
    )


def _worthwhile(kinds: Mapping[str, str]) -> list[str]:
    """The agent's names of the events that hardwon handles."""
    return [name for name, kind in kinds.items() if kind not in _SILENT]


_MADE = (_claude_code, _codex, _gemini, _copilot, _opencode, _cline, _qwen, _cursor)
_TARGETS: dict[str, Callable[[ConfigPlace], Target]] = dict(zip(AGENTS, _MADE, strict=True))
