"""`hardwon serve`, `open` and `key`: the HTTP API, its pages and its keys."""

from __future__ import annotations

import os
import sys
import webbrowser
from datetime import UTC, datetime, timedelta

import click

import hardwon
from hardwon.core.errors import InvalidInput
from hardwon.core.settings import duration, load
from hardwon.storage.service import ROLES, FileDatabase, Key, KeyRing, Role, move, open_database
from hardwon.surfaces.cli import options
from hardwon.surfaces.cli.options import Group
from hardwon.surfaces.cli.output import age, complain, dump, say, table


@click.command("serve")
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=4180,
    show_default=True,
    help="The port to listen on; 0: a free one.",
)
@click.option(
    "--name", "names", multiple=True, help="A host name that clients use; may be repeated."
)
@click.option(
    "--tls-cert", type=click.Path(exists=True, dir_okay=False), help="The certificate, a PEM file."
)
@click.option(
    "--tls-key", type=click.Path(exists=True, dir_okay=False), help="Its key, a PEM file."
)
@click.option("--behind-proxy", is_flag=True, help="A proxy in front of the server does the TLS.")
@click.option(
    "--prefix", default="", help="The path below which a proxy serves it, such as /hardwon."
)
@click.option(
    "--access-log",
    type=options.Choice(("text", "json")),
    help="Log every request on standard error, one line each.",
)
@click.option(
    "--rate",
    type=click.FloatRange(1),
    default=2000,
    show_default=True,
    help="Requests per second for each key.",
)
@options.home
@options.tenant
def command(
    host: str,
    port: int,
    names: tuple[str, ...],
    tls_cert: str | None,
    tls_key: str | None,
    behind_proxy: bool,
    prefix: str,
    access_log: str | None,
    rate: float,
    home: str | None,
    tenant: str,
) -> None:
    """Serve the HTTP API and the pages, until SIGTERM or Ctrl-C (needs the extra `serve`).

    Programs on this machine send `Authorization: Bearer` and the token in $HARDWON_HOME/token;
    in a terminal a link is printed that logs a browser in. Others need a key: `hardwon key create`.
    """
    cert, secret = (os.path.abspath(path) if path else "" for path in (tls_cert, tls_key))
    with hardwon.open(home) as hw:
        os.chdir(hw.settings.home)  # before third-party code is imported: it may read the folder
        from hardwon.surfaces.serve import server

        address = server.Address(host, port, names, cert, secret, behind_proxy, prefix.rstrip("/"))
        from hardwon.surfaces.serve import limits

        if hw.settings.is_observed:
            from hardwon.engine import telemetry

            telemetry.export()
        rates = limits.Limits(rate=rate)
        log = access_log or ""
        service = server.Service(hw, address, tenant=tenant, limits=rates, access_log=log)
        say(f"listening on {service.url}")
        if sys.stdout.isatty():  # the log of a service is read by others
            say(f"log in, once: {service.link()}")
        service.run()


@click.command("open")
@click.option("--no-browser", is_flag=True, help="Only print the link.")
@options.home
@options.tenant
def open_command(no_browser: bool, home: str | None, tenant: str) -> None:
    """Look at what was learnt, in your browser, until Ctrl-C (needs the extra `serve`).

    Starts a server on a free port that only this machine reaches. The link logs you in once. After
    `hardwon login` it opens the pages of that server, which ask for a key.
    """
    if url := load(home).server.url:
        say(url)
        say("Log in with a key: `hardwon key create --role viewer` makes one there.", dim=True)
        if not no_browser and _has_screen():
            webbrowser.open(url)
        return
    with hardwon.open(home) as hw:
        os.chdir(hw.settings.home)  # before third-party code is imported: it may read the folder
        from hardwon.surfaces.serve import server

        service = server.Service(hw, server.Address(), tenant=tenant)
        link = service.link()
        say(f"{link}")
        say("Ctrl-C ends it.", dim=True)
        if not no_browser and _has_screen():
            webbrowser.open(link)
        service.run()


def _has_screen() -> bool:
    """Whether a graphical browser can be opened: one in the terminal would take it over."""
    return sys.platform == "darwin" or bool(
        os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    )


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
@click.option("--if-none", is_flag=True, help="Only if there is no key yet.")
@options.home
@options.as_json
def create(
    role: str,
    tenant: str,
    agent: str | None,
    project: str | None,
    note: str,
    expires: timedelta | None,
    if_none: bool,
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
    if if_none and _ring(home).list():
        complain("there are keys already; `hardwon key list` shows them")
        return
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
