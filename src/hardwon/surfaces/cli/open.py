"""`hardwon open`: the pages in your browser."""

from __future__ import annotations

import os
import sys
import webbrowser

import click

import hardwon
from hardwon.surfaces.cli import options
from hardwon.surfaces.cli.output import say


@click.command("open")
@click.option("--no-browser", is_flag=True, help="Only print the link.")
@options.home
@options.tenant
def open_command(no_browser: bool, home: str | None, tenant: str) -> None:
    """Look at what was learnt, in your browser, until Ctrl-C (needs the extra `serve`).

    Starts a server on a free port that only this machine reaches. The link logs you in once.
    """
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
