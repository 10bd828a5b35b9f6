"""`hardwon recall`: what the doors would say."""

from __future__ import annotations

from typing import Any

import click

from hardwon.surfaces.cli import options
from hardwon.surfaces.cli.output import dump, say


@click.command("recall")
@click.argument("text")
@click.option("--tool", help="TEXT is a pending call of this tool, not a prompt.")
@options.scope
@options.as_json
def command(text: str, tool: str | None, as_json: bool, **place: Any) -> None:
    """Show what would be put before the agent for the prompt (or pending call) TEXT."""
    with options.Scoped(**place) as agent:
        found = agent.before_action(tool, text) if tool else agent.before_turn(text)
    if as_json:
        dump(found)
    elif found:
        say(found.text)
    else:
        say("(nothing fits)", dim=True)
