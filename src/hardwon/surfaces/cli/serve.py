"""`hardwon serve`, `open`, `key`, `mcp`, `login` and `logout`: servers, and their clients."""

from __future__ import annotations

import os
import socket
import sys
import webbrowser
from contextlib import nullcontext, suppress
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit

import click

import hardwon
from hardwon.core import _files, settings_file
from hardwon.core.errors import InvalidInput, SetupError
from hardwon.core.settings import Settings, load
from hardwon.core.text.clean import plural
from hardwon.engine.trust import project_for
from hardwon.storage.service import (
    ROLES,
    FileDatabase,
    KeyRing,
    Role,
    kept_token,
    move,
    open_database,
)
from hardwon.surfaces.cli import options
from hardwon.surfaces.cli.options import flag, option
from hardwon.surfaces.cli.output import Output, age, complain, say, say_folded, table

_PEM = click.Path(exists=True, dir_okay=False, resolve_path=True)  # the working folder changes


@click.command("serve")
@option("--host", "The address to listen on.", default="127.0.0.1")
@option("--port", "The port to listen on; 0: a free one.", type=options.PORT, default=4180)
@option("--name", "A host name that clients use; may be repeated.", "names", multiple=True)
@option("--tls-cert", "The certificate, a PEM file.", "cert", type=_PEM)
@option("--tls-key", "Its key, a PEM file.", "key", type=_PEM)
@flag("--behind-proxy", "A proxy in front of the server does the TLS.", "is_behind_proxy")
@option("--prefix", "The path below which a proxy serves it, such as /hardwon.")
@option(
    "--access-log",
    "Log every request on standard error, one line each.",
    choices=("text", "json"),
)
@option("--rate", "Requests per second for each key.", type=click.FloatRange(1), default=2000)
@options.home
@options.tenant
def command(
    access_log: str | None, rate: float, home: str | None, tenant: str, **address: Any
) -> None:
    """Serve the HTTP API and the pages, until SIGTERM or Ctrl-C (needs the extra `serve`).

    Programs on this machine send `Authorization: Bearer` and the token in $HARDWON_HOME/token;
    in a terminal a link is printed that logs a browser in. Others need a key: `hardwon key create`.
    """
    given = {name: value for name, value in address.items() if value is not None}
    given["prefix"] = given.get("prefix", "").rstrip("/")
    with hardwon.open(home) as hw:
        os.chdir(hw.settings.home)  # before third-party code is imported: it may read the folder
        from hardwon.surfaces.serve import server  # first: it names a missing extra

        place = server.Address(**given)
        from hardwon.surfaces.serve import limits

        if hw.settings.is_observed:
            from hardwon.engine import telemetry

            telemetry.export()
        rates, log = limits.Limits(rate=rate), access_log or ""
        service = server.Service(hw, place, tenant=tenant, limits=rates, access_log=log)
        say(f"listening on {service.url}")
        if sys.stdout.isatty():  # the log of a service is read by others
            say(f"log in, once: {service.link()}")
        service.run()


@click.command("open")
@flag("--no-browser", "Only print the link.")
@options.home
@options.tenant
def open_command(no_browser: bool, home: str | None, tenant: str) -> None:
    """Look at what was learnt, in your browser, until Ctrl-C (needs the extra `serve`).

    Starts a server on a free port that only this machine reaches. The link logs you in once. After
    `hardwon login` it opens the pages of that server, which ask for a key.
    """
    if url := load(home).server.url:
        hint = "Log in with a key: `hardwon key create --role viewer` makes one there."
        _show_page(url, hint, is_printed_only=no_browser)
        return
    with hardwon.open(home) as hw:
        os.chdir(hw.settings.home)  # before third-party code is imported: it may read the folder
        from hardwon.surfaces.serve import server

        service = server.Service(hw, server.Address(), tenant=tenant)
        _show_page(service.link(), "Ctrl-C ends it.", is_printed_only=no_browser)
        service.run()


def _show_page(link: str, hint: str, *, is_printed_only: bool) -> None:
    """Print a link; open it only on a screen: a browser in the terminal would take that over."""
    say(link)
    say(hint, dim=True)
    has_screen = os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    if not is_printed_only and (sys.platform == "darwin" or has_screen):
        webbrowser.open(link)


_OF_KEYS: dict[str, Any] = {
    "place": options.home,
    "opens": lambda home: nullcontext(KeyRing(open_database(load(home)))),
}


@options.group("key")
def key_command() -> None:
    """Make, list and revoke the keys with which programs and people use `hardwon serve`."""


@key_command.verb("create", **_OF_KEYS)
@option("--role", "What the key may do.", choices=ROLES, default=Role.AGENT)
@option("--tenant", "Whose data it opens.", default="default")
@option("--agent", "The only agent it is for.")
@option("--project", "The only project it is for.")
@option("--note", "What it is for, in your words.", default="")
@options.span("--expires", "After how long: 12h, 90d.", "lasts")
@flag("--if-none", "Only if there is no key yet.")
def create(ring: KeyRing, if_none: bool, **limits: Any) -> Output:
    """Make a key and show it, once.

    \b
    agent    uses the doors, learns, reads lessons
    viewer   reads everything of its tenant
    curator  also approves, edits, retires and undoes
    admin    all of it
    """
    if if_none and ring.list():
        complain("there are keys already; `hardwon key list` shows them")
        return Output(None, ())
    key, text = ring.create(**limits)

    def show() -> None:
        say(text)
        click.echo("The key is not stored: this is the only time it is shown.", err=True)

    return Output({**key._asdict(), "key": text}, show)


@key_command.verb("list", **_OF_KEYS)
def list_keys(ring: KeyRing) -> Output:
    """Show all keys, without their secrets."""
    keys, now = ring.list(), datetime.now(UTC)
    rows = [("id", "tenant", "role", "for", "state", "last use", "note")]
    for key in keys:
        limited_to = "/".join(part for part in (key.agent, key.project) if part) or "all"
        state = "valid" if key.is_valid(now) else "revoked" if key.revoked_at else "expired"
        used = f"{age(key.used_at, now)} ago" if key.used_at else "never"
        rows.append((key.id, key.tenant, key.role, limited_to, state, used, key.note))
    return Output(list(keys), lambda: table(rows, indent="") if keys else say("no keys yet"))


@key_command.verb("revoke", **_OF_KEYS)
@click.argument("identity", metavar="ID")
def revoke(ring: KeyRing, identity: str) -> Output:
    """Revoke a key, at once."""
    key = ring.revoke(identity)
    return Output(key, f"revoked {key.id}")


@key_command.command("move")
@options.home
def move_keys(home: str | None) -> None:
    """Move the keys of an earlier release from this home to its PostgreSQL database."""
    settings = load(home)
    if not settings.postgres.url:
        raise InvalidInput("this home has no PostgreSQL database: its keys are where they belong")
    say(f"moved: {move(FileDatabase(settings.home), open_database(settings))}")


@click.command("mcp")
@option(
    "--http",
    "Serve streamable HTTP on 127.0.0.1 instead of standard streams.",
    "port",
    type=click.IntRange(1, 65535),
    metavar="PORT",
)
@options.scope_of_server
def mcp_command(
    port: int | None, home: str | None, tenant: str, agent: str, project: str | None
) -> None:
    """Serve lessons over the Model Context Protocol (needs the extra `mcp`).

    Over HTTP a client must send `Authorization: Bearer` and the token in $HARDWON_HOME/token.
    """
    with hardwon.open(home) as hw:
        folder = os.getcwd()
        project = project or project_for(folder, hw.settings.home, tenant=tenant)
        mcp_agent = hw.agent(agent, project=project, tenant=tenant)
        os.chdir(hw.settings.home)  # before third-party code is imported: it may read the folder
        from hardwon.surfaces import mcp

        built = mcp.build(hw, mcp_agent, folder=folder)
        if port is None:
            built.run(transport="stdio")
            return
        try:
            socket.create_server(("127.0.0.1", port)).close()
        except OSError as error:
            remedy = "name another with --http"
            raise SetupError(f"port {port} is taken by another program; {remedy}") from error
        complain(f"http://127.0.0.1:{port}/mcp, token in {hw.settings.home}/token")
        mcp.over_http(built, port=port, token=kept_token(hw.settings.home))


_LOOPBACK = {"127.0.0.1", "localhost", "::1"}


@click.command("login")
@click.argument("url")
@options.option("--key-file", "Read the key from this file, now and later.", metavar="FILE")
@options.flag("--insecure", "Send the key without encryption.")
@options.home
def login_command(url: str, key_file: str | None, insecure: bool, home: str | None) -> None:
    """Share the lessons of the server at URL, in hooks and most commands.

    The key is read from $HARDWON_KEY, from --key-file, or asked for; `hardwon key create` makes one
    where the server runs. Hooks read a copy on this machine and send what they learn in the
    background, so an agent never waits for the network.
    """
    settings, url = load(home), url.rstrip("/")
    if urlsplit(url).scheme == "http" and urlsplit(url).hostname not in _LOOPBACK and not insecure:
        raise InvalidInput(f"{url} is not encrypted: use https://, or --insecure to send the key")
    key = _key(key_file)
    from hardwon.api.client import remote  # the other commands here have no use for it

    with remote.connect(url, key=key, settings=settings) as hw:
        me = hw.me()
    if "agent" not in (me.role, "agent" if me.role == "admin" else ""):
        raise SetupError(f"the key has the role {me.role!r}; hooks need one with the role 'agent'")
    os.makedirs(settings.home, mode=0o700, exist_ok=True)
    if key_file:
        settings_file.set_setting(settings.home, "server.key_file", os.path.abspath(key_file))
    else:
        settings_file.unset_setting(settings.home, "server.key_file")
        _files.replace(load(home).key_file, f"{key}\n".encode())
    settings_file.set_setting(settings.home, "server.url", url)
    limited_to = {"agent": me.agent, "project": me.project}
    limits = "".join(
        f", {name} {limit!r}" for name, limit in limited_to.items() if limit is not None
    )
    say(f"Logged in to {url} as {me.role} of {me.tenant!r}{limits}.")
    say_folded(
        "Hooks and commands of this home use it from now on; `hardwon status` tells how far they"
        " agree. Lessons that are already here stay here: `hardwon lesson export` writes them to"
        " a file, `hardwon lesson import` brings them to the server."
    )


def _key(key_file: str | None) -> str:
    if key := os.environ.get("HARDWON_KEY", "").strip():
        return key
    if not key_file:
        if not sys.stdin.isatty():
            raise InvalidInput(
                "there is no terminal to ask for the key; use --key-file FILE or $HARDWON_KEY"
            )
        return str(click.prompt("Key", hide_input=True)).strip()
    try:
        with open(key_file, encoding="utf-8") as file:
            return file.read().strip()
    except (OSError, ValueError) as error:
        raise InvalidInput(f"the key cannot be read: {error}") from error


@click.command("logout")
@options.home
def logout_command(home: str | None) -> None:
    """Use the lessons of this home again, and forget the key of the server."""
    settings = load(home)
    if not settings.server.url:
        say("not logged in")
        return
    from hardwon.api.client import sync

    waiting = sync.status(settings).waiting
    if settings.origin("server.url") != "config.toml":
        raise InvalidInput(f"the server is set by {settings.origin('server.url')}; unset that")
    settings_file.unset_setting(settings.home, "server.url")
    if not settings.server.key_file:
        with suppress(FileNotFoundError):
            os.unlink(settings.key_file)
    settings_file.unset_setting(settings.home, "server.key_file")
    say(f"Logged out of {settings.server.url}.")
    if waiting:
        say_folded(f"{plural(waiting, 'note')} for it stay here; the next login sends them.")


def server_lines(settings: Settings) -> list[str]:
    """What `hardwon status` tells about the server."""
    from hardwon.api.client import sync

    state = sync.status(settings)
    lag = "never" if state.at is None else f"{age(state.at, datetime.now(UTC), in_words=True)} ago"
    lines = [f"Server: {state.url}; copy updated {lag}; {plural(state.waiting, 'note')} to send"]
    if state.refused:
        lines.append(f"Server: {plural(state.refused, 'note')} refused for good; see *.refused")
    if state.held:
        lines.append(
            f"Server: it is older than this hardwon and does not know {plural(state.held, 'note')};"
            " they stay here until it is upgraded"
        )
    if state.error:
        lines.append(f"Server: the last exchange failed: {state.error}")
    return lines
