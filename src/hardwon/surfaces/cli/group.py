"""A command with sub-commands."""

from __future__ import annotations

import click

from hardwon.surfaces.cli.options import suggestion

_WHOLE = 1000  # longer than any first sentence


class Group(click.Group):
    """Shows the whole first sentence of each command, and points out a misspelt one."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        known = self.list_commands(ctx)
        if args and args[0] not in known and not args[0].startswith("-"):
            raise click.UsageError(f"no such command: {args[0]!r}{suggestion(args[0], known)}", ctx)
        return super().resolve_command(ctx, args)

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
