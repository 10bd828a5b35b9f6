"""Hooks in the settings files of coding agents; other entries there are not touched."""

from __future__ import annotations

import ast
import difflib
import json
import os
import re
import shlex
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple

from hardwon.core import _files, _isolation
from hardwon.core.errors import HardwonError, InvalidInput
from hardwon.core.text import jsonc
from hardwon.core.text.clean import plural
from hardwon.surfaces.hooks.agents import EventKind, adapter

USER, PROJECT = "user", "project"
LEVELS = (USER, PROJECT)
_SECONDS = 30  # how long an agent waits at most: longer than a guard takes to give up
_SILENT = {EventKind.BATCH, EventKind.COMPACTION}  # understood, but not worth a process
_BUT_CALLS = "at a prompt, after an error; it takes only denials before a call"
_OURS = r"hardwon(?:\.__main__ import main; main\(\))?\S{0,400}\s{1,4}hook\s|/hardwon/hook/"
_JSON_STRING = r'"(?:[^"\\\x00-\x1f]|\\["\\/bfnrt]|\\u[0-9a-f]{4})*"'
_ROOT = r"sys\.path\.append\(('[^']*'|\"[^\"]*\")\)"  # in the code that a hook starts
_RECORDS = "installed.json"
HookCall = Callable[[str], dict[str, Any]]  # the hook of an event, in Claude Code's format


class SettingsFile(NamedTuple):
    """Where an agent has its settings, and what is written there."""

    user: str  # below the home directory
    variable: str = ""  # that names another folder than the first one of `user`
    project: str = ""  # below the project; "": as `user`
    entry: Callable[[dict[str, Any]], Any] | None = None  # around the call; None: a file of ours
    lacks: str = ""  # an event of its format that it does not send
    defaults: tuple[tuple[str, Any], ...] = ()  # top-level members that the format requires
    advice: str = ""
    doors: str = "at a prompt, before a call, after an error"  # where the agent takes lessons


class Target(NamedTuple):
    """One file of one agent: all of it hardwon's (`whole`), or entries of hardwon."""

    agent: str
    path: str
    file: SettingsFile
    entries: tuple[tuple[str, Any], ...] = ()  # events, and the hook that each gets
    whole: str = ""


def command_hook(agent: str, event: str = "", *, home: str = "") -> dict[str, Any]:
    """A hook that starts a process for each event, whatever is on the PATH.

    `home` is passed unless it is the default.
    """
    place = f"HARDWON_HOME={shlex.quote(home)} " if home else ""
    words = _isolation.command("hook", agent, *filter(None, [event]), site=False)
    return {"type": "command", "command": place + shlex.join(words)}


def http_hook(agent: str, _event: str = "", *, port: int, token: str) -> dict[str, Any]:
    """A hook that calls the daemon; only Claude Code supports this."""
    url = f"http://127.0.0.1:{port}/hardwon/hook/{agent}"
    return {"type": "http", "url": url, "headers": {"Authorization": f"Bearer {token}"}}


def _group(call: dict[str, Any]) -> dict[str, Any]:
    """The nesting that Claude Code introduced."""
    return {"hooks": [{**call, "timeout": _SECONDS}]}


_FILES = {
    "claude-code": SettingsFile(".claude/settings.json", "CLAUDE_CONFIG_DIR", entry=_group),
    "codex": SettingsFile(
        ".codex/hooks.json",
        "CODEX_HOME",
        entry=_group,
        lacks="PostToolUseFailure",
        advice="Codex skips new hooks until you trust them: start it and open /hooks.",
    ),
    "gemini": SettingsFile(
        ".gemini/settings.json",
        entry=lambda call: {
            "hooks": [{"name": "hardwon", **call, "timeout": _SECONDS * 1000}],
        },
        doors=_BUT_CALLS,
    ),
    "copilot": SettingsFile(
        ".copilot/hooks/hardwon.json", "COPILOT_HOME", project=".github/hooks/hardwon.json"
    ),
    "opencode": SettingsFile(
        ".config/opencode/plugin/hardwon.js",
        "OPENCODE_CONFIG_DIR",
        project=".opencode/plugin/hardwon.js",
    ),
    "cline": SettingsFile(".cline/plugins/hardwon.js", "CLINE_DIR"),
    "qwen": SettingsFile(
        ".qwen/settings.json",
        "QWEN_HOME",
        # No limit of ours: some versions count it in seconds, others in milliseconds.
        entry=lambda call: {"hooks": [{"name": "hardwon", **call}]},
        doors=_BUT_CALLS,
    ),
    "cursor": SettingsFile(
        ".cursor/hooks.json",
        entry=lambda call: {"command": call["command"]},
        defaults=(("version", 1),),
        advice="This follows Cursor's documentation; it was not tried with Cursor itself.",
        doors="when a session starts, after an error; it takes denials before a call",
    ),
}


def target(
    agent: str,
    level: str,
    call: HookCall | None = None,
    *,
    folder: str = "",
    environ: Mapping[str, str] = os.environ,
) -> Target:
    """The file of this agent with its entries; `folder` is the project, by default this one."""
    file, kinds = _FILES[agent], adapter(agent).kinds
    call = call or partial(command_hook, agent)
    entries: tuple[tuple[str, Any], ...] = ()
    whole = ""
    events = [name for name in kinds if kinds[name] not in _SILENT and name != file.lacks]
    if file.entry is not None:
        entries = tuple((name, file.entry(call(""))) for name in events)
    elif agent == "copilot":
        hook = {"type": "command", "bash": "", "timeoutSec": _SECONDS}
        hooks = {name: [{**hook, "bash": call(name)["command"]}] for name in events}
        whole = json.dumps({"version": 1, "hooks": hooks}, indent=2) + "\n"
    else:  # a plugin that the agent runs itself
        whole = "".join(map(_part, ("plugin.js", f"{agent}_plugin.js")))
        command = json.dumps(call("")["command"])
        whole = whole.replace("@AGENT@", agent).replace("@COMMAND@", command)
    if level == PROJECT:
        path = os.path.join(folder or os.getcwd(), file.project or file.user)
    else:
        root, _, relative = file.user.partition("/")
        home = environ.get("HOME") or os.path.expanduser("~")
        path = os.path.join(environ.get(file.variable) or os.path.join(home, root), relative)
    return Target(agent, path, file, entries, whole)


class ConfigChange(_files.FileChange):
    """A change of a settings file; falsy if it changes nothing."""

    def __bool__(self) -> bool:
        return self.before != self.after

    def diff(self) -> str:
        """The change as a unified diff."""
        old, new = (text.splitlines() if text else [] for text in (self.before, self.after))
        return "\n".join(difflib.unified_diff(old, new, self.path, self.path, lineterm=""))

    def summary(self) -> str:
        """How many lines change; `diff` shows which."""
        lines = self.diff().splitlines()[2:]
        added, removed = (sum(line.startswith(mark) for line in lines) for mark in "+-")
        return f"{self.path}: {plural(added, 'line')} added, {removed} removed; --diff shows them"


def _part(name: str) -> str:
    """The text of a file beside this one."""
    with open(os.path.join(os.path.dirname(__file__), name), encoding="utf-8") as file:
        return file.read()


def installation(target: Target) -> ConfigChange:
    """The change that installs the hooks; empty if they are installed."""
    before = _files.read_text(target.path)
    if target.whole:
        return ConfigChange(target.path, before, target.whole)
    after = before if before and before.strip() else "{}\n"
    try:
        hooks = _hooks(jsonc.loads(after))
        if all(item in hooks.get(event, ()) for event, item in target.entries):
            return ConfigChange(target.path, before, before)
        after = _remove_hooks(after)
        for key, value in target.file.defaults:
            after = jsonc.put(after, key, value)
        for event, item in target.entries:
            after = jsonc.append(after, ("hooks", event), item)
        return ConfigChange(target.path, before, after)
    except InvalidInput as error:
        raise InvalidInput(f"{target.path}: {error}; nothing was changed") from error


def removal(target: Target, home: str) -> ConfigChange:
    """The change that uninstalls: the exact bytes from before, unless others wrote since."""
    before = _files.read_text(target.path)
    record = _records(home).get(target.path)
    if record and before == record["after"]:
        return ConfigChange(target.path, before, record["before"])
    if not is_installed(target):
        return ConfigChange(target.path, before, before)
    if before is None or target.whole:
        return ConfigChange(target.path, before, None)
    after = _remove_hooks(before)
    was_made_by_us = record is not None and record["before"] is None
    return ConfigChange(
        target.path, before, None if was_made_by_us and not jsonc.loads(after) else after
    )


def install(target: Target, home: str) -> ConfigChange:
    """Install the hooks; the original file is kept in the home."""
    change = installation(target)
    if change:
        _files.must_be_writable(os.path.realpath(change.path))
        records = _records(home)
        record = records.get(change.path)
        is_ours = record is not None and record["after"] == change.before
        original = record["before"] if record and is_ours else change.before
        folders = record.get("folders", []) if record and is_ours else []
        folder = os.path.dirname(os.path.realpath(change.path))
        while not is_ours and not os.path.isdir(folder):  # to be made, the innermost first
            folders.append(folder)
            folder = os.path.dirname(folder)
        records[change.path] = {"before": original, "after": change.after, "folders": folders}
        _write_records(home, records)
        _write(change.path, change.after)
    return change


def uninstall(target: Target, home: str) -> ConfigChange:
    """Remove the hooks, and forget that they were installed."""
    change = removal(target, home)
    _write(change.path, change.after)
    records = _records(home)
    record = records.pop(target.path, None)
    if record is not None:
        _write_records(home, records)
        for folder in record.get("folders", []):
            with suppress(OSError):  # the folder has other files
                os.rmdir(folder)
    return change


def is_installed(target: Target) -> bool:
    """Whether one of our hooks is in the agent's file."""
    text = _files.read_text(target.path)
    if text is None or not target.whole:
        return text is not None and re.search(_OURS, text) is not None
    return "hardwon" in text


def missing_part(target: Target) -> str:
    """The missing program that our hooks start, or the missing folder of hardwon; "" for none."""
    strings = map(json.loads, re.findall(_JSON_STRING, _files.read_text(target.path) or ""))
    called = next((string for string in strings if re.search(_OURS, string)), "")
    words = [word for word in shlex.split(called) if not word.startswith("HARDWON_HOME=")]
    roots = (ast.literal_eval(root) for word in words for root in re.findall(_ROOT, word))
    needed = [
        *words[:1],
        *(root if os.path.isfile(root) else os.path.join(root, "hardwon") for root in roots),
    ]
    return next((path for path in needed if os.path.isabs(path) and not os.path.exists(path)), "")


def has_plugin(target: Target) -> bool:
    """Whether the agent's settings enable the plugin, which brings the same hooks."""
    text = _files.read_text(target.path)
    settings = jsonc.loads(text) if text and not target.whole else None
    plugins = settings.get("enabledPlugins") if isinstance(settings, dict) else None
    states = plugins.items() if isinstance(plugins, dict) else ()
    return any(name.startswith("hardwon@") and is_on is True for name, is_on in states)


def double_installs(agent: str) -> Iterator[str]:
    """Messages about an agent in whose files hardwon is twice."""
    targets = dict(files(agent))
    with suppress(HardwonError, ValueError):
        installed = [level for level in targets if is_installed(targets[level])]
        if installed and any(map(has_plugin, targets.values())):
            remedy = f"`hardwon uninstall {agent}` keeps only the plugin"
            yield f"{agent}: the plugin and hooks are both installed; {remedy}"
        elif len(installed) > 1:
            remedy = f"`hardwon uninstall {agent} --level project` keeps one"
            twice = "installed for you and in this project, so hooks may run twice"
            yield f"{agent}: {twice}; {remedy}"


def files(agent: str) -> Iterator[tuple[str, Target]]:
    """The levels of an agent with their files; one file for both, in your home, is named once."""
    seen = set()
    for level in LEVELS:
        own = target(agent, level)
        if own.path not in seen:
            yield level, own
        seen.add(own.path)


def _remove_hooks(text: str) -> str:
    """The text without our hooks."""
    while (place := _ours(jsonc.loads(text))) is not None:
        text = jsonc.remove(text, *place)
    return text


def _ours(settings: Any) -> tuple[tuple[str, str], int] | None:
    """The path and index of hardwon's first group."""
    for event, groups in _hooks(settings).items():
        for index, group in enumerate(groups):
            if re.search(_OURS, json.dumps(group)):
                return ("hooks", event), index
    return None


def _hooks(settings: Any) -> dict[str, list[Any]]:
    """The hooks of each event; without what is not in the common form."""
    hooks = settings.get("hooks") if isinstance(settings, dict) else None
    events = hooks.items() if isinstance(hooks, dict) else ()
    return {event: groups for event, groups in events if isinstance(groups, list)}


def _write(path: str, text: str | None, mode: int = 0o644) -> None:
    """Replace the file, or remove it; the file behind a link is the one that changes."""
    folder = os.path.dirname(os.path.realpath(path))
    _files.update_text(path, lambda _: text, root=folder, mode=mode)


def _records(home: str) -> dict[str, dict[str, Any]]:
    """Every file that hardwon changed: its text before and after."""
    text = _files.read_text(os.path.join(home, _RECORDS))
    records: dict[str, dict[str, Any]] = json.loads(text) if text else {}
    return records


def _write_records(home: str, records: dict[str, dict[str, Any]]) -> None:
    _files.make_folder(home)
    _write(os.path.join(home, _RECORDS), json.dumps(records, indent=2), 0o600)
