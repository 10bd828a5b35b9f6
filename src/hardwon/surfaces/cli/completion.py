"""`hardwon completion`: Tab for bash, zsh and fish."""

from __future__ import annotations

import shlex

import click
from click import shell_completion

from hardwon.core import _isolation
from hardwon.surfaces.cli import options

# The text in each shell's script that calls the program, at every Tab, in any folder.
_CALLS = {
    "bash": "_complete $1)",
    "zsh": "_complete hardwon)",
    "fish": " hardwon)",
}
_EXPANDED = str.maketrans("*?[]\n", "     ")  # characters that bash would expand to file names


class BashWithHelp(shell_completion.BashComplete):
    """Bash has no descriptions: they follow the values while several are listed."""

    def complete(self) -> str:
        items = self.get_completions(*self.get_completion_args())
        for item in items if len(items) > 1 else ():
            item.value += f"  ({item.help.translate(_EXPANDED)})" if item.help else ""
        return "\n".join(map(self.format_completion, items))


shell_completion.add_completion_class(BashWithHelp)


@click.command("completion")
@click.argument("shell", type=options.Choice(list(_CALLS)))
@click.pass_context
def command(ctx: click.Context, shell: str) -> None:
    """Print the completion script of SHELL.

    \b
    bash   hardwon completion bash >> ~/.bashrc
    zsh    hardwon completion zsh  >> ~/.zshrc
    fish   hardwon completion fish > ~/.config/fish/completions/hardwon.fish
    """
    script = shell_completion.get_completion_class(shell)
    assert script is not None
    root = ctx.find_root().command
    text = script(root, {}, "hardwon", "_HARDWON_COMPLETE").source()
    called = _CALLS[shell]
    program = shlex.join(_isolation.command())
    click.echo(text.replace(called, f"{called.rpartition(' ')[0]} {program})"))
