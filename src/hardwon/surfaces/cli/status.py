"""`hardwon status` and `hardwon doctor`: where it is installed, and what is wrong."""

from __future__ import annotations

import os
import shlex
import shutil
import sqlite3
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, suppress
from datetime import UTC, datetime
from typing import Any, NamedTuple

import click

import hardwon
from hardwon.core import _files
from hardwon.core.errors import HardwonError
from hardwon.core.settings import Settings, default_home, load
from hardwon.core.settings_file import unknown_settings
from hardwon.core.text.clean import plural
from hardwon.engine import trust
from hardwon.surfaces.cli import options
from hardwon.surfaces.cli.output import Output, emit, say_folded, table
from hardwon.surfaces.hooks import installer, watch
from hardwon.surfaces.hooks.agents import AGENTS

_ABSENT, _INSTALLED = "-", "installed"


@click.command("status")
@options.home
@options.as_json
def command(home: str | None) -> None:
    """Show in which coding agents hardwon is installed, when its hooks ran, and what is wrong."""
    data_home = load(home).home if home else default_home()  # config.toml may be damaged
    runs: dict[str, dict[str, str]] = {}
    for (agent, event), at in watch.last_runs(data_home).items():  # the latest first
        local = datetime.fromtimestamp(at, UTC).astimezone()
        runs.setdefault(agent, {})[event] = f"{local:%Y-%m-%d %H:%M}"
    rows: list[dict[str, Any]] = []
    for level, target in (place for agent in AGENTS for place in installer.files(agent)):
        try:
            state = _INSTALLED if installer.is_installed(target) else _ABSENT
        except HardwonError:
            state = "unreadable"
        row = {"agent": target.agent, "level": level, "state": state, "path": target.path}
        facts = {"ran": runs.get(target.agent, {}), "wrong": list(_troubles(target.agent))}
        rows.append({**row, **facts})

    def show() -> None:
        present = [row for row in rows if row["state"] != _ABSENT]
        table([(row["agent"], row["level"], row["state"], row["path"]) for row in present])
        for line in _findings(rows, runs, home, data_home):
            say_folded(line)

    emit(Output(rows, show))


def _findings(
    rows: Sequence[dict[str, Any]],
    runs: Mapping[str, dict[str, str]],
    home: str | None,
    data_home: str,
) -> Iterator[str]:
    """When hooks ran and where none has, who writes the playbook, and what is wrong."""
    present = {row["agent"]: row["state"] for row in rows if row["state"] != _ABSENT}
    if absent := [agent for agent in AGENTS if agent not in present]:
        yield f"Not installed in {', '.join(absent)}; `hardwon install AGENT` installs it"
    for agent, events in runs.items():
        yield f"{agent} last ran: {', '.join(f'{name} {at}' for name, at in events.items())}"
    installed = dict.fromkeys(row["agent"] for row in rows if row["state"] == _INSTALLED)
    if idle := [agent for agent in installed if agent not in runs]:
        remedy = "restart the agent and give it a prompt"
        yield f"No hook has run yet in {', '.join(idle)}; {remedy}"
    yield from _describe_memory(home, data_home)
    for late in watch.describe_late(watch.read_log(data_home)):
        yield f"{late}; see hook.log, or raise hooks.limit"
    yield from dict.fromkeys(line for row in rows for line in row["wrong"])
    claims = trust.read(data_home)
    if not claims.is_whole:
        yield f"the file {trust.NAME} is damaged: no new folder is trusted; `hardwon project trust`"
    for claim in claims.all:
        if not claim.is_trusted:
            confirm = f"`hardwon project trust {shlex.quote(claim.folder)}` confirms it"
            yield f"{claim.folder} claims {claim.project}: its lessons are kept separate; {confirm}"


def _describe_memory(home: str | None, data_home: str) -> Sequence[str]:
    """How far this machine agrees with its server; or who makes a playbook of ended runs."""
    try:
        settings = load(home)
        if settings.server.url:
            from hardwon.surfaces.cli import serve

            return serve.server_lines(settings)
        if not os.path.isdir(data_home):
            return []
        with hardwon.open(data_home) as hw:
            last, reader, spent = hw.last_reading, hw.reader, hw.spent()
    except HardwonError as error:
        return [f"Home: {error}"]
    when = f"last {last.astimezone():%Y-%m-%d %H:%M}" if last else "not yet"
    parts = [f"agents write it when a session ends, {when}"] if settings.hooks.ask else []
    if reader:
        most = settings.budget.calls
        calls = f"{spent.calls} of {most} calls" if most else plural(spent.calls, "call")
        money = f", ${spent.money:.2f}" * (spent.money > 0)
        cost = f"{calls}, {plural(spent.tokens, 'token')}{money}"
        parts.append(f"{reader} reads ended runs, {when}, today {cost}")
    nobody = "nobody reads ended runs; `hardwon install AGENT --read ask` changes that"
    return [f"Playbook: {'; '.join(parts) or nobody}"]


def _troubles(agent: str) -> Iterator[str]:
    """Messages about hooks of an agent that cannot run, or run twice."""
    for level, target in installer.files(agent):
        with suppress(HardwonError, ValueError):
            if missing := installer.missing_part(target):
                remedy = f"`hardwon install {agent} --level {level}` repairs it"
                yield f"{agent}: its hooks start {missing}, which is gone; {remedy}"
    yield from installer.double_installs(agent)


_LITTLE = 1 << 20  # bytes left on a disk that count as too few


class Check(NamedTuple):
    """One check and its result."""

    name: str
    is_well: bool
    finding: str


@click.command("doctor")
@options.home
@options.as_json
def doctor_command(home: str | None) -> None:
    """Check the installation and the data, and say what to do; exit code 1 when a check fails."""
    checks = [Check(*one) for one in _examine(home)]

    def show() -> None:
        for check in checks:
            mark, colour = ("ok ", "green") if check.is_well else ("BAD", "red")
            say_folded(f"{mark}  {check.name}: {check.finding}", fg=colour)

    emit(Output(checks, show, code=not all(check.is_well for check in checks)))


def _examine(home: str | None) -> Iterator[tuple[str, bool, str]]:
    """Every check, in the order in which one depends on another."""
    yield "python", sys.version_info >= (3, 11), sys.version.split()[0]
    yield "sqlite", sqlite3.sqlite_version_info >= (3, 37), sqlite3.sqlite_version
    name = "settings"
    try:
        settings = load(home)
        if url := settings.postgres.url:
            name = "server"
            from hardwon.storage.postgres import schema
            from hardwon.storage.postgres.database import Database
            from hardwon.storage.queues import postgres as notify

            with closing(Database(url)) as database:
                yield from schema.inspect(database)
            yield "notices", *notify.inspect(url)
    except HardwonError as error:
        yield name, False, str(error)
        if name == "settings":
            return
    for name, check in _CHECKS.items():
        try:
            yield name, *check(settings)
        except (HardwonError, OSError) as error:
            yield name, False, str(error)


def _settings(settings: Settings) -> tuple[bool, str]:
    unknown_names = unknown_settings(settings)
    if unknown_names:
        return False, f"no such setting: {', '.join(unknown_names)}; see `hardwon config`"
    published = [f"{key} from {variable}" for key, variable in settings.published()]
    return True, "; ".join((f"{len(settings.origins) - 1} set, the rest default", *published))


def _home(settings: Settings) -> tuple[bool, str]:
    if not os.path.isdir(settings.home):
        parent = os.path.dirname(settings.home)
        while not os.path.exists(parent):
            parent = os.path.dirname(parent)
        if os.path.isdir(parent) and os.access(parent, os.W_OK | os.X_OK):
            return True, f"{settings.home} (created on first use)"
        remedy = "set HARDWON_HOME to a directory of yours"
        return False, f"{settings.home} cannot be created in {parent}; {remedy}"
    _files.ensure_own(settings.home)
    mode = os.stat(settings.home).st_mode & 0o777
    if mode & 0o077:
        return False, f"{settings.home} is open to others; chmod 700 {settings.home}"
    if not os.access(settings.home, os.W_OK):
        return False, f"{settings.home} cannot be written: lessons are read, but new ones are lost"
    room = shutil.disk_usage(settings.home).free
    if room < _LITTLE:
        return False, f"{settings.home} has {room // 1024} KB left on its disk; free some space"
    return True, settings.home


def _store(settings: Settings) -> tuple[bool, str]:
    if settings.server.url:  # the lessons are there; here is a copy
        from hardwon.api.client import remote
        from hardwon.surfaces.cli import serve

        with remote.log_in(settings) as hw:
            me = hw.me()
        lines = [line.removeprefix("Server: ") for line in serve.server_lines(settings)]
        return True, "; ".join((f"the server answers, as {me.role} of {me.tenant!r}", *lines))
    is_elsewhere = bool(settings.postgres.url)
    if not is_elsewhere and not os.path.exists(os.path.join(settings.home, "hardwon.db")):
        return True, "no lessons yet"
    with hardwon.open(settings=settings) as hw:
        problems = hw.check()
    return not problems, "; ".join(problems) or "whole"


def _queue(settings: Settings) -> tuple[bool, str]:
    if settings.server.url:
        return True, "worked where the server runs"
    if not os.path.isdir(settings.home):
        return True, "empty"
    with hardwon.open(settings=settings) as hw:
        counts, _ = hw.queue.status()
    dead = f"{counts.dead} given up" + ("; see `hardwon reflect failed`" if counts.dead else "")
    from hardwon.engine.worker import in_words

    return not counts.quarantined, "; ".join((f"{counts.pending} waiting", dead, *in_words(counts)))


def _model(settings: Settings) -> tuple[bool, str]:
    with hardwon.open("memory:", settings=settings.for_hooks()) as hw:
        has_model = hw.model != "rules"
        return True, hw.model if has_model else "none: rules word the lessons (model.name)"


def _meaning(settings: Settings) -> tuple[bool, str]:
    if settings.server.url:
        return True, "set where the server runs"
    if not settings.recall.embedder:
        return True, "off: lessons are found by failure, call and words (recall.embedder)"
    if not os.path.isdir(settings.home):
        return True, f"{settings.recall.embedder}; no lessons yet"
    with hardwon.open(settings=settings) as hw:
        name, have, active = hw.vectors.counts()
    hint = "" if have >= active else "; `hardwon lesson embed` or a worker makes the rest"
    return True, f"{name}: {have} of {active} lessons have a vector{hint}"


def _hooks(settings: Settings) -> tuple[bool, str]:
    """Hooks never fail, so their troubles are only reported here."""
    lines = watch.read_log(settings.home)
    if not lines:
        return True, "no troubles"
    late = watch.describe_late(lines)
    return True, "; ".join(
        (f"{plural(len(lines), 'trouble')} in hook.log", *late, f"the last: {lines[-1]}")
    )


_CHECKS = {
    "settings": _settings,
    "home": _home,
    "store": _store,
    "queue": _queue,
    "model": _model,
    "meaning": _meaning,
    "hooks": _hooks,
}
