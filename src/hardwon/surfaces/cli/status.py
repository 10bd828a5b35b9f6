"""`hardwon status` and `hardwon doctor`: where it is installed, and what is wrong."""

from __future__ import annotations

import os
import shlex
import shutil
import sqlite3
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from datetime import UTC, datetime
from typing import NamedTuple

import click

import hardwon
from hardwon import Hardwon
from hardwon.core import _files
from hardwon.core.errors import HardwonError
from hardwon.core.settings import Settings, default_home, load
from hardwon.core.settings_file import unknown_settings
from hardwon.core.text.clean import plural
from hardwon.engine import trust
from hardwon.surfaces.cli import options
from hardwon.surfaces.cli.install import double_installs, files
from hardwon.surfaces.cli.output import dump, say_folded, table
from hardwon.surfaces.hooks import hook_log, installer
from hardwon.surfaces.hooks.agents import AGENTS
from hardwon.surfaces.hooks.locations import Target

_ABSENT, _INSTALLED = "-", "installed"


@click.command("status")
@options.home
@options.as_json
def command(home: str | None, as_json: bool) -> None:
    """Show in which coding agents hardwon is installed, when its hooks ran, and what is wrong."""
    data_home = load(home).home if home else default_home()  # config.toml may be damaged
    rows = [_state(target, level) for agent in AGENTS for level, target in files(agent)]
    runs = _last_runs(data_home)
    if as_json:
        wrong = {agent: list(_troubles(agent)) for agent in AGENTS}
        added = ({"ran": runs.get(row["agent"], {}), "wrong": wrong[row["agent"]]} for row in rows)
        dump([{**row, **facts} for row, facts in zip(rows, added, strict=True)])
        return
    _say_where(rows)
    _say_runs(rows, runs)
    for line in _shared_server(home):
        say_folded(line)
    if reader := _reader(data_home):
        say_folded(reader)
    for trouble in hook_log.in_words(hook_log.read(data_home)):
        say_folded(f"{trouble}; see hook.log, or raise hooks.limit")
    for trouble in (*(line for agent in AGENTS for line in _troubles(agent)), *_claims(data_home)):
        say_folded(trouble)


def _shared_server(home: str | None) -> Sequence[str]:
    """How far this machine agrees with the server it is logged in to."""
    try:
        settings = load(home)
        if not settings.server.url:
            return []
        from hardwon.surfaces.cli import login

        return login.server_lines(settings)
    except HardwonError as error:
        return [f"Server: {error}"]


def _reader(home: str) -> str:
    """Who makes a playbook of ended runs, when last, and what it cost; "" without a home."""
    try:
        if not os.path.isdir(home) or load(home).server.url:
            return ""
        with hardwon.open(home) as hw:
            return f"Playbook: {_who(hw)}"
    except HardwonError as error:
        return f"Playbook: {error}"


def _who(hw: Hardwon) -> str:
    last = hw.last_reading
    when = f"last {last.astimezone():%Y-%m-%d %H:%M}" if last else "not yet"
    asked = f"agents write it when a session ends, {when}" if hw.settings.hooks.ask else ""
    if not (reader := hw.reader):
        return asked or "nobody reads ended runs; `hardwon install AGENT --read ask` changes that"
    spent, most = hw.spent(), hw.settings.budget.calls
    calls = f"{spent.calls} of {most} calls" if most else plural(spent.calls, "call")
    cost = f"{calls}, {plural(spent.tokens, 'token')}" + f", ${spent.money:.2f}" * (spent.money > 0)
    read = f"{reader} reads ended runs, {when}, today {cost}"
    return "; ".join(part for part in (asked, read) if part)


def _state(target: Target, level: str) -> dict[str, str]:
    try:
        state = _INSTALLED if installer.is_installed(target) else _ABSENT
    except HardwonError:
        state = "unreadable"
    return {"agent": target.agent, "level": level, "state": state, "path": target.path}


def _say_where(rows: Sequence[dict[str, str]]) -> None:
    """Print the files that contain hardwon or cannot be read; the other agents in one line."""
    present = [row for row in rows if row["state"] != _ABSENT]
    table([(row["agent"], row["level"], row["state"], row["path"]) for row in present])
    absent = [agent for agent in AGENTS if agent not in {row["agent"] for row in present}]
    if absent:
        say_folded(f"Not installed in {', '.join(absent)}; `hardwon install AGENT` installs it")


def _say_runs(rows: Sequence[dict[str, str]], runs: Mapping[str, dict[str, str]]) -> None:
    """Print when each hook last ran, and in which agents none has run yet."""
    for agent, events in runs.items():
        ran = ", ".join(f"{name} {at}" for name, at in events.items())
        say_folded(f"{agent} last ran: {ran}")
    installed = dict.fromkeys(row["agent"] for row in rows if row["state"] == _INSTALLED)
    if idle := [agent for agent in installed if agent not in runs]:
        remedy = "restart the agent and give it a prompt"
        say_folded(f"No hook has run yet in {', '.join(idle)}; {remedy}")


def _last_runs(home: str) -> dict[str, dict[str, str]]:
    """When each hook of each agent last ran, in local time, the latest first."""
    runs: dict[str, dict[str, str]] = {}
    for (agent, event), at in hook_log.last_runs(home).items():
        runs.setdefault(agent, {})[event] = f"{_local(at):%Y-%m-%d %H:%M}"
    return runs


def _local(at: float) -> datetime:
    return datetime.fromtimestamp(at, UTC).astimezone()


def _troubles(agent: str) -> Iterator[str]:
    """Messages about hooks of an agent that cannot run, or run twice."""
    for level, target in files(agent):
        with suppress(HardwonError, ValueError):
            if missing := installer.missing_part(target):
                remedy = f"`hardwon install {agent} --level {level}` repairs it"
                yield f"{agent}: its hooks start {missing}, which is gone; {remedy}"
    yield from double_installs(agent)


def _claims(home: str) -> Iterator[str]:
    """Messages about folders that claim a project and are not trusted."""
    claims = trust.read(home)
    if not claims.is_whole:
        yield f"the file {trust.NAME} is damaged: no new folder is trusted; `hardwon project trust`"
    for claim in claims.all:
        if not claim.is_trusted:
            confirm = f"`hardwon project trust {shlex.quote(claim.folder)}` confirms it"
            yield f"{claim.folder} claims {claim.project}: its lessons are kept separate; {confirm}"


_LITTLE = 1 << 20  # bytes left on a disk that count as too few


class Check(NamedTuple):
    """One check and its result."""

    name: str
    is_well: bool
    finding: str


@click.command("doctor")
@options.home
@options.as_json
def doctor_command(home: str | None, as_json: bool) -> None:
    """Check the installation and the data, and say what to do; exit code 1 when a check fails."""
    checks = list(examine(home))
    if as_json:
        dump(checks)
    else:
        for check in checks:
            colour = "green" if check.is_well else "red"
            mark = "ok " if check.is_well else "BAD"
            say_folded(f"{mark}  {check.name}: {check.finding}", fg=colour)
    if not all(check.is_well for check in checks):
        raise click.exceptions.Exit(1)


def examine(home: str | None) -> Iterator[Check]:
    """Every check, in the order in which one depends on another."""
    yield Check("python", sys.version_info >= (3, 11), sys.version.split()[0])
    yield Check("sqlite", sqlite3.sqlite_version_info >= (3, 37), sqlite3.sqlite_version)
    try:
        settings = load(home)
    except HardwonError as error:
        yield Check("settings", False, str(error))
        return
    if settings.postgres.url:
        yield from _server(settings.postgres.url)
    for name, check in _CHECKS.items():
        yield _run_check(name, check, settings)


def _server(url: str) -> Iterator[Check]:
    """Checks of a PostgreSQL server; imported only when one is used."""
    try:
        from hardwon.storage.postgres import schema
        from hardwon.storage.postgres.database import Database
        from hardwon.storage.queues.postgres import notify

        database = Database(url)
    except HardwonError as error:
        yield Check("server", False, str(error))
        return
    with closing(database):
        yield from (Check(*finding) for finding in schema.inspect(database))
    yield Check("notices", *notify.inspect(url))


def _run_check(
    name: str, check: Callable[[Settings], tuple[bool, str]], settings: Settings
) -> Check:
    try:
        return Check(name, *check(settings))
    except (HardwonError, OSError) as error:
        return Check(name, False, str(error))


def _settings(settings: Settings) -> tuple[bool, str]:
    unknown_names = unknown_settings(settings)
    if unknown_names:
        return False, f"no such setting: {', '.join(unknown_names)}; see `hardwon config`"
    published = [f"{key} from {variable}" for key, variable in settings.published()]
    return True, "; ".join((f"{len(settings.origins) - 1} set, the rest default", *published))


def _home(settings: Settings) -> tuple[bool, str]:
    if not os.path.isdir(settings.home):
        return _can_be_created(settings.home)
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


def _can_be_created(home: str) -> tuple[bool, str]:
    parent = os.path.dirname(home)
    while not os.path.exists(parent):
        parent = os.path.dirname(parent)
    if os.path.isdir(parent) and os.access(parent, os.W_OK | os.X_OK):
        return True, f"{home} (created on first use)"
    return False, f"{home} cannot be created in {parent}; set HARDWON_HOME to a directory of yours"


def _store(settings: Settings) -> tuple[bool, str]:
    if settings.server.url:  # the lessons are there; here is a copy
        from hardwon.api.client import remote
        from hardwon.surfaces.cli import login

        with remote.log_in(settings) as hw:
            me = hw.me()
        lines = [line.removeprefix("Server: ") for line in login.server_lines(settings)]
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
        name = hw.model
    return True, name if name != "rules" else "none: rules word the lessons (model.name)"


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
    lines = hook_log.read(settings.home)
    if not lines:
        return True, "no troubles"
    late = hook_log.in_words(lines)
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
