"""`hardwon completion`: Tab for bash, zsh and fish."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class


@click.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def command(ctx: click.Context, shell: str) -> None:
    """Print the completion script of SHELL.

    \b
    bash   hardwon completion bash >> ~/.bashrc
    zsh    hardwon completion zsh  >> ~/.zshrc
    fish   hardwon completion fish > ~/.config/fish/completions/hardwon.fish
    """
    script = get_completion_class(shell)
    assert script is not None
    root = ctx.find_root().command
    click.echo(script(root, {}, "hardwon", "_HARDWON_COMPLETE").source())
