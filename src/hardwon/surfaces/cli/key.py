"""`hardwon key`: keys for `hardwon serve`."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from hardwon.core.errors import InvalidInput
from hardwon.core.settings import duration, load
from hardwon.storage.service.database import FileDatabase, open_database
from hardwon.storage.service.keys import ROLES, KeyRing, Role, move
from hardwon.surfaces.cli import options
from hardwon.surfaces.cli.group import Group
from hardwon.surfaces.cli.output import age, dump, say, table

if TYPE_CHECKING:
    from datetime import timedelta

    from hardwon.storage.service.keys import Key


@click.group("key", cls=Group)
def key_command() -> None:
    """Make, list and revoke the keys with which programs and people use `hardwon serve`."""


def _parse_duration(_: click.Context, __: click.Parameter, text: str | None) -> timedelta | None:
    try:
        return None if text is None else duration(text)
    except (ValueError, KeyError) as error:
        raise InvalidInput(f"--expires: {text!r} is not a duration such as 12h or 90d") from error


@key_command.command("create")
@click.option(
    "--role",
    type=options.Choice(ROLES),
    default=Role.AGENT,
    show_default=True,
    help="What the key may do.",
)
@click.option("--tenant", default="default", show_default=True, help="Whose data it opens.")
@click.option("--agent", help="The only agent it is for.")
@click.option("--project", help="The only project it is for.")
@click.option("--note", default="", help="What it is for, in your words.")
@click.option("--expires", callback=_parse_duration, help="After how long: 12h, 90d.")
@options.home
@options.as_json
def create(
    role: str,
    tenant: str,
    agent: str | None,
    project: str | None,
    note: str,
    expires: timedelta | None,
    home: str | None,
    as_json: bool,
) -> None:
    """Make a key and show it, once.

    \b
    agent    uses the doors, learns, reads lessons
    viewer   reads everything of its tenant
    curator  also approves, edits, retires and undoes
    admin    all of it
    """
    key, text = _ring(home).create(
        tenant=tenant, role=role, agent=agent, project=project, note=note, lasts=expires
    )
    if as_json:
        dump({**key._asdict(), "key": text})
    else:
        say(text)
        click.echo("The key is not stored: this is the only time it is shown.", err=True)


@key_command.command("list")
@options.home
@options.as_json
def list_keys(home: str | None, as_json: bool) -> None:
    """Show all keys, without their secrets."""
    keys = _ring(home).list()
    if as_json:
        dump(list(keys))
        return
    now = datetime.now(UTC)
    heads = ("id", "tenant", "role", "for", "state", "last use", "note")
    table([heads, *(_row(key, now) for key in keys)] if keys else [("no keys yet",)], indent="")


@key_command.command("revoke")
@click.argument("identity", metavar="ID")
@options.home
def revoke(identity: str, home: str | None) -> None:
    """Revoke a key, at once."""
    key = _ring(home).revoke(identity)
    say(f"revoked {key.id}")


@key_command.command("move")
@options.home
def move_keys(home: str | None) -> None:
    """Move the keys of an earlier release from this home to its PostgreSQL database."""
    settings = load(home)
    if not settings.postgres.url:
        raise InvalidInput("this home has no PostgreSQL database: its keys are where they belong")
    say(f"moved: {move(FileDatabase(settings.home), open_database(settings))}")


def _ring(home: str | None) -> KeyRing:
    return KeyRing(open_database(load(home)))


def _row(key: Key, now: datetime) -> tuple[str, ...]:
    limited_to = "/".join(part for part in (key.agent, key.project) if part) or "all"
    state = "valid" if key.is_valid(now) else "revoked" if key.revoked_at else "expired"
    used = f"{age(key.used_at, now)} ago" if key.used_at else "never"
    return key.id, key.tenant, key.role, limited_to, state, used, key.note
