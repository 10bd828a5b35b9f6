"""`hardwon completion`: Tab for bash, zsh and fish."""

from __future__ import annotations

import shlex

import click
from click.shell_completion import (
    BashComplete,
    CompletionItem,
    add_completion_class,
    get_completion_class,
)

from hardwon import _isolation

# Where each shell's script calls the program; it runs at every Tab, in any folder.
_CALLS = {"bash": "_complete $1)", "zsh": "_complete hardwon)", "fish": " hardwon)"}
_EXPANDED = str.maketrans("*?[]\n", "     ")  # characters that bash would read as file names


class BashWithHelp(BashComplete):
    """Bash knows no descriptions: they stand behind the values as long as several are listed."""

    def complete(self) -> str:
        items = self.get_completions(*self.get_completion_args())
        if len(items) > 1:
            items = [_with_help(item) for item in items]
        return "\n".join(map(self.format_completion, items))


def _with_help(item: CompletionItem[str]) -> CompletionItem[str]:
    shown = f"{item.value}  ({item.help.translate(_EXPANDED)})" if item.help else item.value
    return CompletionItem(shown, type=item.type)


add_completion_class(BashWithHelp)


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
