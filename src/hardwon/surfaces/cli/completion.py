"""`hardwon completion`: Tab for bash, zsh and fish."""

from __future__ import annotations

import shlex

import click
from click.shell_completion import get_completion_class

from hardwon import _isolation

# Where each shell's script calls the program; it runs at every Tab, in any folder.
_CALLS = {"bash": "_complete $1)", "zsh": "_complete hardwon)", "fish": " hardwon)"}


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
    text = script(root, {}, "hardwon", "_HARDWON_COMPLETE").source()
    called = _CALLS[shell]
    own = f"{called.rpartition(' ')[0]} {shlex.join(_isolation.command())})"
    click.echo(text.replace(called, own))
