"""`hardwon project`: which folders may write into a project."""

from __future__ import annotations

import click

import hardwon
from hardwon.surfaces.cli import options
from hardwon.surfaces.cli.group import Group
from hardwon.surfaces.cli.output import dump, say, table


@click.group("project", cls=Group)
def project_command() -> None:
    """See and confirm the folders that write into a project.

    The first folder whose git remote names a project is trusted. Any other folder reads its
    lessons, but its own lessons are kept separate until you confirm it.
    """


@project_command.command("list")
@options.home
@options.tenant
@options.as_json
def list_(home: str | None, tenant: str, as_json: bool) -> None:
    """List the folders that claim a project, those that are trusted first."""
    with hardwon.open(home) as hw:
        claims = hw.projects.list(tenant=tenant)
    if as_json:
        dump(claims)
        return
    table([(_state(claim.is_trusted), claim.project, claim.folder) for claim in claims])
    if not claims:
        say("no folder claims a project")


@project_command.command()
@click.argument("folder", default=".", type=click.Path(exists=True, file_okay=False))
@options.home
@options.tenant
def trust(folder: str, home: str | None, tenant: str) -> None:
    """Let FOLDER (default: this one) write into the project that it claims.

    Its lessons so far are moved into the project.
    """
    with hardwon.open(home) as hw:
        claim = hw.projects.trust(folder, tenant=tenant)
    say(f"{claim.folder} writes into {claim.project}")


@project_command.command()
@click.argument("what", metavar="FOLDER|PROJECT")
@options.home
@options.tenant
def forget(what: str, home: str | None, tenant: str) -> None:
    """Forget a folder, or all folders of a project. No lesson is touched.

    When no trusted folder is left, the next one that claims the project is trusted.
    """
    with hardwon.open(home) as hw:
        for claim in hw.projects.forget(what, tenant=tenant):
            say(f"forgotten: {claim.project} in {claim.folder}")


def _state(is_trusted: bool) -> str:
    return "trusted" if is_trusted else "apart"
