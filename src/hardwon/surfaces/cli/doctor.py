"""`hardwon doctor`: check that everything works; if not, say what to do."""

from __future__ import annotations

import os
import shutil
import sqlite3
import sys
from importlib import metadata
from typing import TYPE_CHECKING, NamedTuple

import click

import hardwon
from hardwon.core import _files
from hardwon.core.errors import HardwonError
from hardwon.core.settings import load
from hardwon.core.settings_file import unknown_settings
from hardwon.core.text.clean import plural
from hardwon.engine.worker import in_words
from hardwon.surfaces.cli import options
from hardwon.surfaces.cli.output import dump, say_folded
from hardwon.surfaces.hooks import hook_log

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from hardwon.core.settings import Settings


_LITTLE = 1 << 20  # bytes left on a disk that count as too few


class Check(NamedTuple):
    """One check and its result."""

    name: str
    is_well: bool
    finding: str


@click.command("doctor")
@options.home
@options.as_json
def command(home: str | None, as_json: bool) -> None:
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
    yield from _extras()
    try:
        settings = load(home)
    except HardwonError as error:
        yield Check("settings", False, str(error))
        return
    if settings.postgres.url:
        yield from _server(settings.postgres.url)
    for name, check in _CHECKS.items():
        yield _tried(name, check, settings)


def _extras() -> Iterator[Check]:
    """The code of the extras, if a release was installed with one: both must be of one version."""
    try:
        found = metadata.version("hardwon-extras")
    except metadata.PackageNotFoundError:
        return
    ours = hardwon.__version__
    advice = f"{found} does not fit hardwon {ours}: `pip install hardwon-extras=={ours}`"
    yield Check("extras", found == ours, found if found == ours else advice)


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
    with database.opened():
        yield from (Check(*finding) for finding in schema.inspect(database))
    yield Check("notices", *notify.inspect(url))


def _tried(name: str, check: Callable[[Settings], tuple[bool, str]], settings: Settings) -> Check:
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
    is_elsewhere = bool(settings.postgres.url)
    if not is_elsewhere and not os.path.exists(os.path.join(settings.home, "hardwon.db")):
        return True, "no lessons yet"
    with hardwon.open(settings=settings) as hw:
        problems = hw.check()
    return not problems, "; ".join(problems) or "whole"


def _queue(settings: Settings) -> tuple[bool, str]:
    if not os.path.isdir(settings.home):
        return True, "empty"
    with hardwon.open(settings=settings) as hw:
        counts, _ = hw.queue.status()
    dead = f"{counts.dead} given up" + ("; see `hardwon reflect failed`" if counts.dead else "")
    return not counts.quarantined, "; ".join((f"{counts.pending} waiting", dead, *in_words(counts)))


def _model(settings: Settings) -> tuple[bool, str]:
    with hardwon.open("memory:", settings=settings.for_hooks()) as hw:
        name = hw.model
    return True, name if name != "rules" else "none: rules word the lessons (model.name)"


def _meaning(settings: Settings) -> tuple[bool, str]:
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
