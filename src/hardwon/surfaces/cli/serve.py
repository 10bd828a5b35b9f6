"""`hardwon serve`: the HTTP API and the pages."""

from __future__ import annotations

import os
import sys

import click

import hardwon
from hardwon.surfaces.cli import options
from hardwon.surfaces.cli.output import say


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

        service = server.Service(hw, address, tenant=tenant, limits=limits.Limits(rate=rate))
        say(f"listening on {service.url}")
        if sys.stdout.isatty():  # the log of a service is read by others
            say(f"log in, once: {service.link()}")
        service.run()
