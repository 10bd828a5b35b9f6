"""`hardwon config`, `model`, `project` and `completion`: settings, folders and the shell."""

from __future__ import annotations

import os
import shlex
import time

import click
from click import shell_completion

import hardwon
from hardwon.core import _isolation, settings_file
from hardwon.core.errors import HardwonError, InvalidInput
from hardwon.core.settings import Settings, load
from hardwon.core.settings_file import unknown_settings
from hardwon.core.text.clean import one_line, plural
from hardwon.surfaces.cli import options
from hardwon.surfaces.cli.output import Output, complain, emit, listing, say, say_folded, table


@options.group("config", invoke_without_command=True)
@options.home
@options.as_json
@click.pass_context
def command(context: click.Context, home: str | None) -> None:
    """Show every setting, its value and where it was set; `set` and `unset` change one.

    A setting `section.name` is read from $HARDWON_SECTION_NAME, then from config.toml in the home
    directory. Durations are written 500ms, 5s, 2m or 168h.
    """
    if context.invoked_subcommand:
        return
    settings = load(home)
    rows = settings.rows()
    for name in unknown_settings(settings):
        complain(f"{name} is not a setting{options.suggestion(name, [row[0] for row in rows])}")
    lines = [(key, settings_file.format_value(value), f"({origin})") for key, value, origin in rows]

    def show() -> None:
        table(lines, indent="")
        say()
        if settings.postgres.url or os.path.isdir(os.path.join(settings.home, "spend")):
            try:
                with hardwon.open(settings.home, settings=settings) as hw:
                    spent = hw.spent()
                calls, tokens = plural(spent.calls, "call"), plural(spent.tokens, "token")
                today = f"{calls}, {tokens}, ${spent.money:.2f}"
            except HardwonError as error:
                today = f"unknown ({error})"
            say_folded(f"spent today on models: {today}")
        change = "change one with `hardwon config set KEY VALUE`, or by $HARDWON_SECTION_NAME"
        say_folded(change, dim=True)

    emit(Output({key: {"value": value, "origin": origin} for key, value, origin in rows}, show))


@command.command("set")
@click.argument("key")
@click.argument("value")
@options.home
def set_(key: str, value: str, home: str | None) -> None:
    """Write KEY = VALUE into config.toml; comments and layout stay."""
    settings = load(home)
    _ensure_known(settings, key)
    literal = settings_file.set_setting(settings.home, key, value)
    say(f"{key} = {literal}")
    origin = load(home).origin(key)
    if origin != "config.toml":
        complain(f"{origin} is set and overrides config.toml")


@command.command("unset")
@click.argument("key")
@options.home
def unset(key: str, home: str | None) -> None:
    """Remove KEY from config.toml, so that its default applies again."""
    settings = load(home)
    _ensure_known(settings, key)
    was_set = settings_file.unset_setting(settings.home, key)
    say(f"{key} is {'no longer' if was_set else 'not'} set in config.toml")


def _ensure_known(settings: Settings, key: str) -> None:
    names = [row[0] for row in settings.rows() if "." in row[0]]
    if key not in names:
        raise InvalidInput(f"{key!r} is not a setting{options.suggestion(key, names)}")


_SHOWN = 300  # characters of an answer


@options.group("model")
def model_command() -> None:
    """The model that reads runs and words lessons; `hardwon config set model.name` chooses it."""


@model_command.command()
@options.home
@options.as_json
def test(home: str | None) -> None:
    """Send one small request to the model, and say what came back; exit code 1 if none came."""
    began = time.monotonic()
    try:
        with hardwon.open(home) as hw:
            reply = hw.try_model()
    except HardwonError as error:
        complain(str(error))
        raise click.exceptions.Exit(1) from error
    seconds = time.monotonic() - began
    tokens = plural(reply.tokens_in + reply.tokens_out, "token")
    said = f"{reply.model} answered in {seconds:.1f} s, {tokens}: {one_line(reply.text, _SHOWN)}"
    emit(Output({**reply._asdict(), "seconds": round(seconds, 2)}, said))


@options.group("project")
def project_command() -> None:
    """See and confirm the folders that write into a project.

    The first folder whose git remote names a project is trusted. Any other folder reads its
    lessons, but its own lessons are kept separate until you confirm it.
    """


@project_command.verb("list", **options.OF_HOME)
@options.tenant
def list_(hw: hardwon.Hardwon, tenant: str) -> Output:
    """List the folders that claim a project, those that are trusted first."""
    claims = hw.projects.list(tenant=tenant)
    rows = [("trusted" if one.is_trusted else "apart", one.project, one.folder) for one in claims]
    return listing(claims, rows, "no folder claims a project")


@project_command.verb("trust", **options.OF_HOME)
@click.argument("folder", default=".", type=click.Path(exists=True, file_okay=False))
@options.tenant
def trust(hw: hardwon.Hardwon, folder: str, tenant: str) -> Output:
    """Let FOLDER (default: this one) write into the project that it claims.

    Its lessons so far are moved into the project.
    """
    claim = hw.projects.trust(folder, tenant=tenant)
    return Output(claim, f"{claim.folder} writes into {claim.project}")


@project_command.verb("forget", **options.OF_HOME)
@click.argument("what", metavar="FOLDER|PROJECT")
@options.tenant
def forget(hw: hardwon.Hardwon, what: str, tenant: str) -> Output:
    """Forget a folder, or all folders of a project. No lesson is touched.

    When no trusted folder is left, the next one that claims the project is trusted.
    """
    claims = hw.projects.forget(what, tenant=tenant)
    return Output(claims, [f"forgotten: {one.project} in {one.folder}" for one in claims])


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
def completion_command(ctx: click.Context, shell: str) -> None:
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
