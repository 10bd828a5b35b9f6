"""`hardwon mcp`: lessons for any host of the Model Context Protocol."""

from __future__ import annotations

import os
import socket

import click

import hardwon
from hardwon.core.errors import SetupError
from hardwon.engine.trust import project_for
from hardwon.storage.service import kept_token
from hardwon.surfaces.cli import options
from hardwon.surfaces.cli.output import complain


def _is_taken(port: int) -> bool:
    """Whether another program listens on the port."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return True
    return False


@click.command("mcp")
@click.option(
    "--http",
    "port",
    type=click.IntRange(1, 65535),
    metavar="PORT",
    help="Serve streamable HTTP on 127.0.0.1 instead of standard streams.",
)
@options.scope_of_server
def command(
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
        from hardwon.surfaces.mcp import server

        built = server.build(hw, mcp_agent, folder=folder)
        if port is not None and _is_taken(port):
            raise SetupError(f"port {port} is taken by another program; name another with --http")
        if port is None:
            server.over_stdio(built)
        else:
            complain(f"http://127.0.0.1:{port}/mcp, token in {hw.settings.home}/token")
            server.over_http(built, port=port, token=kept_token(hw.settings.home))
