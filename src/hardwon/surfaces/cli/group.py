"""A command with sub-commands."""

from __future__ import annotations

import click

_WHOLE = 1000  # longer than any first sentence


class Group(click.Group):
    """Its help shows the whole first sentence of each command, on any terminal."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        commands = ((name, self.get_command(ctx, name)) for name in self.list_commands(ctx))
        with formatter.section("Commands"):
            formatter.write_dl(
                [
                    (name, command.get_short_help_str(_WHOLE))
                    for name, command in commands
                    if command
                ]
            )
