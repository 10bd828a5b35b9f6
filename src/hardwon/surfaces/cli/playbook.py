"""`hardwon playbook`: what a project has taught, item by item."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from typing import Any

import click

from hardwon import Agent
from hardwon.api.operations import OPERATIONS
from hardwon.core.text.clean import one_line, plural
from hardwon.core.values.lesson import Status
from hardwon.engine.pipeline.inject import sentence
from hardwon.engine.pipeline.playbook import SORTS
from hardwon.learn import lessons_folder
from hardwon.surfaces import wording
from hardwon.surfaces.cli import lesson, options
from hardwon.surfaces.cli.options import Decorated, flag, option
from hardwon.surfaces.cli.output import Output, emit, say

_WAITING = (Status.CANDIDATE, Status.QUARANTINED)
_READ = 1 << 20  # characters of standard input
_words = options.together(
    option("--sort", "What sort of item it is.", choices=SORTS),
    option("--when", "When it applies."),
    option("--do", "What to do."),
    option("--wrong", "What goes wrong."),
)


@options.group("playbook", invoke_without_command=True)
@flag("--markdown", "Print the items as a Markdown list.")
@options.scope_here
@options.as_json
@click.pass_context
def command(context: click.Context, /, markdown: bool, **place: Any) -> None:
    """Show what this project has taught, in the order of what it saves; change it item by item."""
    if context.invoked_subcommand:
        return
    with options.open_agent(**place) as agent:
        if markdown:
            say(agent.playbook.markdown())
            return
        block, known = agent.playbook.block(), agent.playbook.list()
        waiting = [item for status in _WAITING for item in agent.playbook.list(status=status)]
    shown = {item.id for item in block.lessons}
    items = [wording.describe_item(item, shown) for item in (*known, *waiting)]
    where = options.place(agent.scope)
    lines = [f"{plural(len(known), 'item')}{where}, {block.tokens} tokens at the start of a run:"]
    for item in items:
        states = ", ".join((item["sort"], *item["states"]))
        told = "; ".join(part for part in (item["needed"], item["evidence"]) if part)
        when = f"{item['when']}: " if item["when"] else ""
        words = f"{when}{sentence(item['wrong'])} {item['do']}"
        lines.append(f"  #{item['id']}  {states}" + (f"  ({told})" if told else ""))
        lines.append(f"      {one_line(words.strip())}")
    hint = "An agent or a model writes them: hardwon install AGENT --read ask"
    emit(Output(items, lines if items else [f"(no items{where})", hint]))


_BEFORE = option(
    "--before",
    "The item that follows it then.",
    required=True,
    metavar="ID",
    type=lesson.LessonNumber(),
)


def _add_change(name: str, done: str, *own: Decorated, operation: str = "", **fixed: Any) -> None:
    """A command of the operation of this name on one item; its help is that of the operation."""

    def change(agent: Agent, number: int | None, **given: Any) -> Output:
        item = getattr(agent.playbook, operation or name)(number, **given, **fixed)
        return Output(item, f"{done.format(**given)} {lesson.describe(item)}")

    summary = OPERATIONS[f"playbook.{operation or name}"].summary
    change.__doc__ = "Show an item in its usual place again." if fixed else f"{summary}."
    command.verb(name, **lesson.ONE)(options.together(*own)(change))


_add_change("edit", "Changed", lesson.NUMBER, _words)
_add_change("pin", "Pinned", lesson.NUMBER)
_add_change("unpin", "Unpinned", lesson.NUMBER, operation="pin", on=False)
_add_change("move", "Moved before #{before}:", lesson.NUMBER, _BEFORE)
_add_change("remove", "Removed", lesson.NUMBER)
_add_change("undo", "Took back the last change of", lesson.NUMBER_OR_ALL)


@command.verb("history", **lesson.ONE)
@lesson.NUMBER_OR_ALL
def history(agent: Agent, number: int | None) -> Output:
    """The changes of one item or of all, newest first."""
    changes = agent.playbook.history(number)
    return Output(changes, lesson.change_lines(changes))


@command.verb("add", place=options.scope_here)
@click.argument("source", metavar="[-]", required=False, type=click.Choice(["-"]))
@_words
@option("--run", "The run it is about.", "run_name", default="", metavar="RUN")
def add(agent: Agent, source: str | None, run_name: str, **item: str | None) -> Output:
    """Write down what a run has taught: for the agent itself, while it still works.

    An item is kept as far as the steps of the run show it. With `-` the items come from standard
    input, a JSON object a line: {"sort": …, "when": …, "do": …, "wrong": …}. Without --run it is
    the latest run of the project that has not ended. An item of your own needs no run:
    `hardwon lesson add "WHEN" "DO" --project .` keeps it.
    """
    if not source and not (item["when"] and item["do"]):
        raise click.UsageError("name --when and --do, or give items on standard input with -")
    text = sys.stdin.read(_READ) if source else json.dumps(item)
    written = agent.playbook.add(text, run=run_name)
    held = " (held back: `hardwon lesson approve` releases it)"
    lines = [f"Added {lesson.describe(one)}{held * (not one.is_active)}" for one in written.added]
    lines += [f"Known already: {lesson.describe(item)}" for item in written.known]
    lines += [f"Left out, {why}: {when}" for when, why in written.refused]
    return Output(written, lines, code=not (written.added or written.known))


@command.command()
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=click.Path())
@flag("--remove", "Remove the block again.", "is_removal")
@options.scope_here
def write(files: Sequence[str], is_removal: bool, **place: Any) -> None:
    """Keep a marked block with the playbook in FILE, such as AGENTS.md, CLAUDE.md or GEMINI.md.

    For agents without hooks, and for review by pull request. The rest of the file stays as it is.
    Run it again to bring the block up to date. A folder, such as .hardwon/lessons/, gets a file for
    each item; changes that others made to its files are taken in before.
    """
    with options.open_agent(**place) as agent:
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
