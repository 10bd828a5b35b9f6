"""`hardwon completion`: Tab for bash, zsh, fish and PowerShell."""

from __future__ import annotations

import os
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
    "powershell": "& hardwon)",
}
_EXPANDED = str.maketrans("*?[]\n", "     ")  # characters that bash would expand to file names


class BashWithHelp(shell_completion.BashComplete):
    """Bash has no descriptions: they follow the values while several are listed."""

    def complete(self) -> str:
        items = self.get_completions(*self.get_completion_args())
        for item in items if len(items) > 1 else ():
            item.value += f"  ({item.help.translate(_EXPANDED)})" if item.help else ""
        return "\n".join(map(self.format_completion, items))


class PowerShell(shell_completion.ShellComplete):
    """PowerShell passes the whole line; values and help are returned line by line."""

    name = "powershell"
    source_template = """\
Register-ArgumentCompleter -Native -CommandName %(prog_name)s -ScriptBlock {
    param($word, $line, $cursor)
    $env:%(complete_var)s = "powershell_complete"
    $env:COMP_WORDS = $line.ToString()
    $env:COMP_WORD = $word
    try {
        foreach ($item in @(& hardwon)) {
            $value, $help = $item -split "`t", 2
            if (-not $help) { $help = $value }
            [System.Management.Automation.CompletionResult]::new(
                $value, $value, "ParameterValue", $help)
        }
    } finally {
        $ours = "Env:%(complete_var)s", "Env:COMP_WORDS", "Env:COMP_WORD"
        Remove-Item -Path $ours -ErrorAction Ignore
    }
}
"""

    def get_completion_args(self) -> tuple[list[str], str]:
        incomplete = os.environ.get("COMP_WORD", "")
        words = shell_completion.split_arg_string(os.environ.get("COMP_WORDS", ""))[1:]
        return words[:-1] if incomplete and words else words, incomplete

    def format_completion(self, item: shell_completion.CompletionItem[str]) -> str:
        return f"{item.value}\t{' '.join((item.help or '').split())}"


shell_completion.add_completion_class(BashWithHelp)
shell_completion.add_completion_class(PowerShell)


@click.command("completion")
@click.argument("shell", type=options.Choice(list(_CALLS)))
@click.pass_context
def command(ctx: click.Context, shell: str) -> None:
    """Print the completion script of SHELL.

    \b
    bash   hardwon completion bash >> ~/.bashrc
    zsh    hardwon completion zsh  >> ~/.zshrc
    fish   hardwon completion fish > ~/.config/fish/completions/hardwon.fish
    pwsh   hardwon completion powershell >> $PROFILE
    """
    script = shell_completion.get_completion_class(shell)
    assert script is not None
    root = ctx.find_root().command
    text = script(root, {}, "hardwon", "_HARDWON_COMPLETE").source()
    called = _CALLS[shell]
    words = _isolation.command()
    program = shlex.join(words)
    if shell == PowerShell.name:
        program = " ".join("'" + word.replace("'", "''") + "'" for word in words)
    click.echo(text.replace(called, f"{called.rpartition(' ')[0]} {program})"))
