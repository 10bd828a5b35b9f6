"""The `hardwon` command: one file per command, imported when it is called."""

from __future__ import annotations

import io
import os
import shlex
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from itertools import chain

import click

import hardwon
from hardwon.core.errors import HardwonError, InvalidInput, MissingExtra, NotFound, OnServerOnly
from hardwon.core.text.clean import clip, one_line
from hardwon.surfaces.cli.options import Group
from hardwon.surfaces.cli.output import INTERRUPTED, complain

# Every command with its line in `hardwon --help`, by section. `daemon` is `daemon_command` in the
# module `work`, where `work/daemon` says so; the others are `command` in the module of their name.
_SECTIONS = {
    "First steps": {
        "demo": "Watch an agent make its mistakes once. Offline, in a temporary home.",
        "install": "Let hardwon learn inside Claude Code, Codex, Gemini CLI or another agent.",
        "install/uninstall": "Remove hardwon from an agent.",
        "status": "Show where hardwon is installed, when its hooks ran, and what is wrong.",
        "status/doctor": "Check the installation and the data, and say what to do.",
    },
    "Lessons": {
        "playbook": "What this project has taught, item by item; change it, write it into a file.",
        "work/reflect": "Keep a lesson, or look after the queue of reflections.",
        "lesson": "List, search, show, edit and delete lessons.",
        "recall": "Show which lessons the agent would get.",
        "recall/how": "Show the calls that worked for some words, here and in other projects.",
        "recall/fix": "Show what got past an error, here and in other projects.",
        "report": "What was learnt, what was shown, and what happened then.",
        "run": "The runs that ended: what failed in them and what they were shown.",
    },
    "Other ways to learn": {
        "session": "Learn from the sessions that coding agents have left on this machine.",
        "run/trace": "Learn from traces (OpenTelemetry) of agents in any framework.",
        "loop": "Try a task until its verifiers pass, learning from each trial.",
        "run/goal": "Report that a goal has ended, and see what past goals taught.",
        "dream": "Consolidate lessons while the agent is idle; see and undo the changes.",
    },
    "In the background": {
        "work": "Work the queue: turn captured failures into lessons.",
        "work/queue": "Watch the queue work.",
        "work/hook": "Answer an event of a coding agent (see `install`).",
        "work/daemon": "Answer hooks without starting a process for each.",
    },
    "Servers and data": {
        "serve/mcp": "Serve lessons over the Model Context Protocol.",
        "serve/open": "Look at what was learnt, in your browser.",
        "serve": "Serve the HTTP API and the pages.",
        "serve/key": "Make, list and revoke the keys of `serve`.",
        "backup": "Write a home into one file, while it is in use.",
        "backup/restore": "Bring a backup back.",
        "serve/login": "Share the lessons of a server, in hooks and most commands.",
        "serve/logout": "Use the lessons of this home again.",
        "backup/copy": "Copy a store into another: a file into PostgreSQL, or back.",
        "backup/migrate": "Make or update the tables of a PostgreSQL database.",
    },
    "Settings": {
        "config": "Show every setting and where it was set; change one.",
        "config/model": "Try the model that reads runs and words lessons.",
        "config/project": "See and confirm the folders that write into a project.",
        "config/completion": "Print the completion script of your shell.",
    },
}
_LINES = {key: line for commands in _SECTIONS.values() for key, line in commands.items()}
_MODULES = {name: module for module, _, name in (key.rpartition("/") for key in _LINES)}
COMMANDS = dict(zip(_MODULES, _LINES.values(), strict=True))
_TYPED = 60  # characters of a command that a message repeats
_SESSIONS = (
    "sessions lie on this machine, and the lessons of this home on a server:"
    " `hardwon session learn` sends them there; mine one into a home of its own with `--home DIR`"
)
_UNANSWERED = "a question got no answer; `--help` names the options that ask nothing"


class LazyGroup(Group):
    """Commands by name; none is imported before it is needed."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        try:
            module = import_module(f"hardwon.surfaces.cli.{_MODULES[cmd_name] or cmd_name}")
        except MissingExtra as error:
            missing = error  # its help works, and says what to install

            def refuse() -> None:
                raise missing

            anything = {"ignore_unknown_options": True, "allow_extra_args": True}
            help_text = f"{COMMANDS[cmd_name]}\n\n{missing}"
            return click.Command(cmd_name, anything, refuse, help=help_text)
        name = f"{cmd_name}_command" if _MODULES[cmd_name] else "command"
        command: click.Command = getattr(module, name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        names = max(map(len, COMMANDS))
        for title, commands in _SECTIONS.items():
            with formatter.section(title):
                for key, line in commands.items():
                    formatter.write_dl([(key.rpartition("/")[2].ljust(names), line)])


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(hardwon.__version__, prog_name="hardwon")
def cli() -> None:
    """An agent makes a mistake once: failures become lessons, and lessons come back.

    Data lives in $HARDWON_HOME, or ~/.hardwon.
    """


def run(arguments: Sequence[str]) -> int:
    """Run the command line; the exit code is 0, 1 (failed), 2 (wrong use) or 130 (Ctrl-C)."""
    for stream in (sys.stdout, sys.stderr):  # print a replacement for what the locale lacks
        if isinstance(stream, io.TextIOWrapper) and stream.errors == "strict":
            stream.reconfigure(errors="replace")
    if "_HARDWON_COMPLETE" in os.environ:
        import_module("hardwon.surfaces.cli.config")  # registers the completion
    try:
        code = cli.main(args=list(arguments), prog_name="hardwon", standalone_mode=False)
        sys.stdout.flush()  # notice a failing write while it can be reported
    except click.ClickException as error:
        error.show(sys.stderr)
        return 2
    except click.Abort as abort:
        return _report_abort(abort)
    except OnServerOnly:
        typed = clip(one_line(shlex.join(arguments)), _TYPED)
        complain(
            _SESSIONS if arguments[0] == "session" else str(OnServerOnly(f"`hardwon {typed}`"))
        )
        return 2
    except HardwonError as error:
        complain(str(error))
        return 2 if isinstance(error, InvalidInput) and not isinstance(error, NotFound) else 1
    except BrokenPipeError:
        sys.stderr.close()  # the reader has left
        return 1
    except OSError as error:
        complain(str(error))
        with suppress(OSError, ValueError):  # so that the interpreter's last flush cannot fail
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return code if isinstance(code, int) else 0  # click returns the exit code of a command


def _report_abort(abort: click.Abort) -> int:
    """Say why a command ended early and what it leaves behind; the exit code."""
    if isinstance(abort.__context__, EOFError):
        complain(_UNANSWERED)
        return 1
    notes = (getattr(error, "__notes__", ()) for error in (abort, abort.__context__))
    complain("; ".join(["interrupted", *chain(*notes)]))
    return INTERRUPTED
