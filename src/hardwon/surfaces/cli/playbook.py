"""`hardwon playbook`: what a project has taught, item by item."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click

from hardwon.api import lessons_folder
from hardwon.core.text.clean import one_line, plural
from hardwon.core.values.lesson import Status
from hardwon.engine.pipeline.inject import sentence
from hardwon.engine.pipeline.playbook import SORTS
from hardwon.surfaces.cli import options
from hardwon.surfaces.cli.lesson import LessonLookup, lesson_id, row
from hardwon.surfaces.cli.options import Group
from hardwon.surfaces.cli.output import dump, say, say_folded
from hardwon.surfaces.presentation import items

if TYPE_CHECKING:
    from hardwon import Agent, Lesson
    from hardwon.api.operations import Written
    from hardwon.api.playbook import Playbook

_NUMBER = click.argument("number", metavar="ID")
_WAITING = (Status.CANDIDATE, Status.QUARANTINED)
_READ = 1 << 20  # characters of standard input
_WORDS = (
    click.option("--sort", type=options.Choice(SORTS), help="What sort of item it is."),
    click.option("--when", help="When it applies."),
    click.option("--do", help="What to do."),
    click.option("--wrong", help="What goes wrong."),
)


def _words(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the options with the words of an item."""
    for option in reversed(_WORDS):
        command = option(command)
    return command


@click.group("playbook", cls=Group, invoke_without_command=True)
@click.option("--markdown", is_flag=True, help="Print the items as a Markdown list.")
@options.scope_here
@options.as_json
@click.pass_context
def command(context: click.Context, /, markdown: bool, as_json: bool, **place: Any) -> None:
    """Show what this project has taught, in the order of what it saves; change it item by item."""
    if context.invoked_subcommand is not None:
        return
    with options.Scoped(**place) as agent:
        if markdown:
            say(agent.playbook.markdown())
        else:
            _show(agent, as_json=as_json)


def _show(agent: Agent, *, as_json: bool) -> None:
    playbook, block = agent.playbook, agent.playbook.block()
    known = playbook.list()
    waiting = [item for status in _WAITING for item in playbook.list(status=status)]
    shown = {item.id for item in block.lessons}
    described = [items.describe_item(item, shown) for item in (*known, *waiting)]
    if as_json:
        dump(described)
        return
    where = options.place(agent.scope)
    if not described:
        say(f"(no items{where})")
        say_folded("An agent or a model writes them: hardwon install AGENT --read ask", dim=True)
        return
    say(f"{plural(len(known), 'item')}{where}, {block.tokens} tokens at the start of a run:")
    for item in described:
        _say_item(item)


def _say_item(item: dict[str, Any]) -> None:
    states = ", ".join((item["sort"], *item["states"]))
    needed = f"needed {plural(item['met'], 'time')}"
    told = "; ".join(part for part in (needed, item["evidence"]) if part)
    say_folded(f"  #{item['id']}  {states}  ({told})")
    when = f"{item['when']}: " if item["when"] else ""
    words = one_line(f"{when}{sentence(item['wrong'])} {item['do']}".strip())
    say_folded(f"      {words}")


@command.command()
@_NUMBER
@_words
@options.scope_here
@options.as_json
def edit(number: str, as_json: bool, **given: Any) -> None:
    """Change the words of an item, or its sort."""
    texts = {name: given.pop(name) for name in ("sort", "when", "do", "wrong")}
    _change("Changed", lambda playbook: playbook.edit(lesson_id(number), **texts), as_json, given)


@command.command()
@_NUMBER
@options.scope_here
@options.as_json
def pin(number: str, as_json: bool, **place: Any) -> None:
    """Show an item before all others."""
    _change("Pinned", lambda playbook: playbook.pin(lesson_id(number)), as_json, place)


@command.command()
@_NUMBER
@options.scope_here
@options.as_json
def unpin(number: str, as_json: bool, **place: Any) -> None:
    """Show an item in its usual place again."""
    chosen = lesson_id(number)
    _change("Unpinned", lambda playbook: playbook.pin(chosen, on=False), as_json, place)


@command.command()
@_NUMBER
@click.option("--before", required=True, metavar="ID", help="The item that follows it then.")
@options.scope_here
@options.as_json
def move(number: str, before: str, as_json: bool, **place: Any) -> None:
    """Put an item right before another one."""
    first, second = lesson_id(number), lesson_id(before)
    done = f"Moved before #{second}:"
    _change(done, lambda playbook: playbook.move(first, before=second), as_json, place)


@command.command()
@_NUMBER
@options.scope_here
@options.as_json
def remove(number: str, as_json: bool, **place: Any) -> None:
    """Take an item out; `undo` brings it back."""
    _change("Removed", lambda playbook: playbook.remove(lesson_id(number)), as_json, place)


@command.command()
@click.argument("number", metavar="[ID]", required=False)
@options.scope_here
@options.as_json
def undo(number: str | None, as_json: bool, **place: Any) -> None:
    """Undo the newest change, of one item or of all, by a person or by the reader."""
    chosen = lesson_id(number) if number else None
    done = "Took back the last change of"
    _change(done, lambda playbook: playbook.undo(chosen), as_json, place)


@command.command()
@click.argument("number", metavar="[ID]", required=False)
@options.scope_here
@options.as_json
def history(number: str | None, as_json: bool, **place: Any) -> None:
    """The changes of one item or of all, newest first."""
    with LessonLookup(as_json=as_json, **place) as agent:
        changes = agent.playbook.history(lesson_id(number) if number else None)
    if as_json:
        dump(changes)
        return
    for change in changes:
        say_folded(f"{change.at:%Y-%m-%d %H:%M}  {change.act}  was: {row(change.before)}")
    if not changes:
        say("(no changes)")


def _change(
    done: str, act: Callable[[Playbook], Lesson], as_json: bool, place: dict[str, Any]
) -> None:
    """Change one item, and print what was done to it."""
    with LessonLookup(as_json=as_json, **place) as agent:
        lesson = act(agent.playbook)
    dump(lesson) if as_json else say_folded(f"{done} {row(lesson)}")


@command.command()
@click.argument("source", metavar="[-]", required=False, type=click.Choice(["-"]))
@_words
@click.option("--run", "run_name", default="", metavar="RUN", help="The run it is about.")
@options.scope_here
@options.as_json
def add(
    source: str | None,
    sort: str | None,
    when: str | None,
    do: str | None,
    wrong: str | None,
    run_name: str,
    as_json: bool,
    **place: Any,
) -> None:
    """Write down what a run has taught: for the agent itself, while it still works.

    An item is kept as far as the steps of the run show it. With `-` the items come from standard
    input, a JSON object a line: {"sort": …, "when": …, "do": …, "wrong": …}. Without --run it is
    the latest run of the project. `hardwon lesson add` keeps an item of your own.
    """
    if source:
        text = sys.stdin.read(_READ)
    elif when and do:
        text = json.dumps({"sort": sort, "when": when, "do": do, "wrong": wrong})
    else:
        raise click.UsageError("name --when and --do, or give items on standard input with -")
    with options.Scoped(**place) as agent:
        written = agent.playbook.add(text, run=run_name)
    dump(written) if as_json else _say_written(written)
    if not (written.added or written.known):
        raise click.exceptions.Exit(1)


def _say_written(written: Written) -> None:
    for item in written.added:
        held = " (held back: `hardwon lesson approve` releases it)" * (not item.is_active)
        say_folded(f"Added {row(item)}{held}")
    for item in written.known:
        say_folded(f"Known already: {row(item)}")
    for when, why in written.refused:
        say_folded(f"Left out, {why}: {when}")


@command.command()
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=click.Path())
@click.option("--remove", "is_removal", is_flag=True, help="Remove the block again.")
@options.scope_here
def write(files: Sequence[str], is_removal: bool, **place: Any) -> None:
    """Keep a marked block with the playbook in FILE, such as AGENTS.md, CLAUDE.md or GEMINI.md.

    For agents without hooks, and for review by pull request. The rest of the file stays as it is.
    Run it again to bring the block up to date. A folder, such as .hardwon/lessons/, gets a file for
    each item; changes that others made to its files are taken in before.
    """
    with options.Scoped(**place) as agent:
        playbook = agent.playbook
        is_empty = not is_removal and not playbook.list()
        for file in files:
            if file.endswith(os.sep) or os.path.isdir(file):
                _write_folder(agent, file, is_removal=is_removal)
                continue
            is_change = (playbook.erase if is_removal else playbook.write)(file)
            done = "block removed" if is_removal else "written"
            if is_empty:
                removed = "; the old block was removed" * is_change
                say(f"{file}: there are no items yet{removed}")
            else:
                say(f"{file}: {done if is_change else 'nothing to do'}")


def _write_folder(agent: Agent, folder: str, *, is_removal: bool) -> None:
    if is_removal:
        raise click.UsageError(f"{folder} is a folder; remove its files yourself")
    os.makedirs(folder, exist_ok=True)
    taken = lessons_folder.read(agent.lessons, agent.scope, folder)
    if taken:
        say(f"{folder}: {plural(taken, 'change')} of its files taken in")
    written = lessons_folder.write(agent.lessons, agent.scope, agent.playbook.list(), folder)
    say(f"{folder}: {', '.join(written)}" if written else f"{folder}: nothing to do")
