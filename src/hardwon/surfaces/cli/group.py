"""A command with commands of its own."""

from __future__ import annotations

import click

_WHOLE = 1000  # more than any first sentence has


class Group(click.Group):
    """Its help tells of each command in a whole sentence, on any terminal."""

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
