"""`hardwon status`: where hardwon is installed, when its hooks ran, and what is wrong."""

from __future__ import annotations

import os
import shlex
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

import hardwon
from hardwon.core.errors import HardwonError
from hardwon.core.settings import default_home, load
from hardwon.core.text.clean import plural
from hardwon.engine import trust
from hardwon.surfaces.cli import login, options
from hardwon.surfaces.cli.install import doubled, files
from hardwon.surfaces.cli.output import dump, say_folded, table
from hardwon.surfaces.hooks import hook_log, installer
from hardwon.surfaces.hooks.agents import AGENTS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from hardwon import Hardwon
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
    for line in _server(home):
        say_folded(line)
    if reader := _reader(data_home):
        say_folded(reader)
    for trouble in hook_log.in_words(hook_log.read(data_home)):
        say_folded(f"{trouble}; see hook.log, or raise hooks.limit")
    for trouble in (*(line for agent in AGENTS for line in _troubles(agent)), *_claims(data_home)):
        say_folded(trouble)


def _server(home: str | None) -> Sequence[str]:
    """How far this machine agrees with the server it is logged in to."""
    try:
        return login.server_lines(load(home))
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
    yield from doubled(agent)


def _claims(home: str) -> Iterator[str]:
    """Messages about folders that claim a project and are not trusted."""
    claims = trust.read(home)
    if not claims.is_whole:
        yield f"the file {trust.NAME} is damaged: no new folder is trusted; `hardwon project trust`"
    for claim in claims.all:
        if not claim.is_trusted:
            confirm = f"`hardwon project trust {shlex.quote(claim.folder)}` confirms it"
            yield f"{claim.folder} claims {claim.project}: its lessons are kept separate; {confirm}"
