"""`hardwon mcp`: lessons for any host that speaks the Model Context Protocol."""

from __future__ import annotations

import os

import click

import hardwon
from hardwon.auth import kept_token
from hardwon.surfaces.cli import options
from hardwon.surfaces.cli.output import complain
from hardwon.trust import project_for


@click.command("mcp")
@click.option(
    "--http",
    "port",
    type=click.IntRange(1, 65535),
    metavar="PORT",
    help="Serve streamable HTTP on 127.0.0.1 instead of standard streams.",
)
@options.scope
def command(
    port: int | None, home: str | None, tenant: str, agent: str, project: str | None
) -> None:
    """Serve lessons over the Model Context Protocol (needs the extra `mcp`).

    Over HTTP a client must send `Authorization: Bearer` and the token in $HARDWON_HOME/token.
    Without --project the lessons are those of the folder the server is started in.
    """
    with hardwon.open(home) as hw:
        folder = os.getcwd()
        project = project or project_for(folder, hw.settings.home, tenant=tenant)
        own = hw.agent(agent, project=project, tenant=tenant)
        os.chdir(hw.settings.home)  # before others' code is imported: it may look around
        from hardwon.surfaces.mcp import serve, server

        built = server.build(hw, own, folder=folder)
        if port is None:
            serve.over_stdio(built)
        else:
            complain(f"http://127.0.0.1:{port}/mcp, token in {hw.settings.home}/token")
            serve.over_http(built, port=port, token=kept_token(hw.settings.home))
