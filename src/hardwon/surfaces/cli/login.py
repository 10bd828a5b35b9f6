"""`hardwon login` and `logout`: share the lessons of a server from now on, or no longer."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from datetime import UTC, datetime
from urllib.parse import urlsplit

import click

from hardwon.api.client import remote, sync
from hardwon.core import _files, settings_file
from hardwon.core.errors import InvalidInput, SetupError
from hardwon.core.settings import Settings, load
from hardwon.core.text.clean import plural
from hardwon.surfaces.cli import options
from hardwon.surfaces.cli.output import age, say, say_folded

_LOOPBACK = {"127.0.0.1", "localhost", "::1"}


@click.command("login")
@click.argument("url")
@options.option("--key-file", "Read the key from this file, now and later.", metavar="FILE")
@options.flag("--insecure", "Send the key without encryption.")
@options.home
def command(url: str, key_file: str | None, insecure: bool, home: str | None) -> None:
    """Share the lessons of the server at URL, in hooks and most commands.

    The key is read from $HARDWON_KEY, from --key-file, or asked for; `hardwon key create` makes one
    where the server runs. Hooks read a copy on this machine and send what they learn in the
    background, so an agent never waits for the network.
    """
    settings, url = load(home), url.rstrip("/")
    if urlsplit(url).scheme == "http" and urlsplit(url).hostname not in _LOOPBACK and not insecure:
        raise InvalidInput(f"{url} is not encrypted: use https://, or --insecure to send the key")
    key = _key(key_file)
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
