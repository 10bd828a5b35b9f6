"""`hardwon loop`: try until the work is verified."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable, Coroutine
from typing import Any, get_args

import click

from hardwon.core.errors import InvalidInput
from hardwon.core.settings import duration, load
from hardwon.core.text.clean import plural
from hardwon.learn.trials.loops import TRUSTED_FILE, Loops, loop_table, options_of, trust
from hardwon.learn.trials.roles import PROFILES, Functions
from hardwon.learn.trials.values import Critical, Lessons, LoopState, Policy, Variant
from hardwon.surfaces.cli import options
from hardwon.surfaces.cli.loop import look, report
from hardwon.surfaces.cli.options import Group
from hardwon.surfaces.cli.output import complain, dump, say


def _seconds(ctx: click.Context, param: click.Parameter, value: str | None) -> float | None:
    try:
        return None if value is None else duration(value).total_seconds()
    except (ValueError, KeyError) as error:
        raise click.BadParameter(
            f"{value!r} is not a duration such as 90s, 10m or 1h30m"
        ) from error


_SHARED = (
    click.option("--max-trials", type=int, help="Give up after this many trials."),
    click.option(
        "--omega",
        help="How many reflections the actor sees: 1 … 10, or auto (by variety of failures).",
    ),
    click.option(
        "--policy", type=options.Choice(get_args(Policy)), help="Which reflections the actor sees."
    ),
    click.option("--window-tokens", type=int, help="Token budget of the reflections."),
    click.option(
        "--actor-timeout",
        "actor_seconds",
        callback=_seconds,
        help="Time limit of the actor, such as 30m.",
    ),
    click.option(
        "--verify-timeout",
        "verify_seconds",
        callback=_seconds,
        help="Time limit of a verifier, such as 10m.",
    ),
    click.option(
        "--patience", type=int, help="Stop after this many trials without a gain; 0: never."
    ),
    click.option(
        "--repeats", type=int, help="Stop when the same failure came this often in a row; 0: never."
    ),
    click.option(
        "--on-critical",
        type=options.Choice(get_args(Critical)),
        help="What to do when the actor crashes.",
    ),
)


_VERIFY = (
    "Command that judges the work; may be repeated. Its kind is known by the tool, or given:"
    " integration:COMMAND. manual:QUESTION asks you."
)
_DOING = {"acting": "the actor works …", "verifying": "the verifiers run …"}


def _tuning(command: Callable[..., Any]) -> Callable[..., Any]:
    for option in reversed(_SHARED):
        command = option(command)
    return command


_RESTORE = click.option(
    "--restore-best", is_flag=True, help="When it fails, leave the best trial's files (git only)."
)


@click.command()
@click.argument("task")
@click.option(
    "--actor",
    help="Command that gets the prompt on standard input, or at {prompt} or {prompt_file}; or one"
    f" of {', '.join(PROFILES)}.",
)
@click.option("--verify", multiple=True, help=_VERIFY)
@click.option(
    "--variant",
    type=options.Choice(get_args(Variant)),
    help="cot: one answer; react: many steps, which are recorded.",
)
@click.option(
    "--cwd", type=click.Path(file_okay=False), default=".", help="Where to work; default: here."
)
@click.option("--id", "loop_id", help="Name of the loop; made from the task otherwise.")
@click.option("--pass-env", multiple=True, metavar="NAME", help="Let verifiers see this variable.")
@click.option(
    "--lessons", type=options.Choice(get_args(Lessons)), help="When reflections become lessons."
)
@click.option("--recall/--no-recall", default=None, help="Put recalled lessons into the prompt.")
@click.option("--inject/--no-inject", default=None, help="Put reflections into the prompt.")
@click.option(
    "--config", help=f"A trusted file with a [loop] table.  [default: {TRUSTED_FILE} if trusted]"
)
@_RESTORE
@_tuning
@options.scope
@options.as_json
def run(
    task: str,
    loop_id: str | None,
    cwd: str,
    config: str | None,
    restore_best: bool,
    as_json: bool,
    home: str | None,
    tenant: str,
    agent: str,
    project: str | None,
    **tuning: Any,
) -> None:
    """Try TASK until every verifier passes. Exit code 0: it did.

    Limits that are not given are those of the settings `trials.*`; `hardwon config` shows them.
    """
    place = os.path.abspath(cwd)
    chosen = _file(home, place, config)
    chosen.update({name: value for name, value in tuning.items() if value not in (None, ())})
    with options.Scoped(home, tenant, agent, project) as own:
        loops = own.loops
        loop_options = options_of(task, load(home).trials, **{**chosen, "cwd": place})
        functions = Functions(say=_quiet if as_json else _progress)
        state = _ran(loops.begin(loop_options, functions, loop_id=loop_id))
        _conclude(loops, state, as_json=as_json, restore_best=restore_best)


@click.command()
@click.argument("loop_id")
@click.option("--actor", help="Use this actor from now on.")
@_RESTORE
@_tuning
@options.scope
@options.as_json
def resume(
    loop_id: str,
    restore_best: bool,
    as_json: bool,
    home: str | None,
    tenant: str,
    agent: str,
    project: str | None,
    **changes: Any,
) -> None:
    """Continue a loop from its last durable step; finished trials are never repeated.

    Whatever is not given stays as it was in the loop.
    """
    tuning = {name: value for name, value in changes.items() if value is not None}
    with options.Scoped(home, tenant, agent, project) as own:
        loops = own.loops
        functions = Functions(say=_quiet if as_json else _progress)
        state = _ran(loops.resume(loop_id, functions, **tuning))
        _conclude(loops, state, as_json=as_json, restore_best=restore_best)


@click.command()
@click.argument("loop_id")
@options.scope
@options.as_json
def abort(loop_id: str, as_json: bool, **place: Any) -> None:
    """Abort a loop: its actor and verifiers are stopped, its lessons are kept."""
    with options.Scoped(**place) as own:
        state = own.loops.abort(loop_id)
    dump(state) if as_json else say(f"{loop_id}: {state.status} ({state.reason})")


@click.command("trust")
@click.argument("file", default=TRUSTED_FILE)
@options.home
def trust_file(file: str, home: str | None) -> None:
    """Allow FILE, as it is now, to name the commands of loops."""
    say(f"OK: {trust(load(home).home, file)} is trusted until it changes")


def _file(home: str | None, place: str, config: str | None) -> dict[str, Any]:
    """The [loop] table of the named file, else of the default file if that is trusted."""
    if config is not None:
        return loop_table(load(home).home, config)
    default_path = os.path.join(place, TRUSTED_FILE)
    if not os.path.isfile(default_path):
        return {}
    try:
        return loop_table(load(home).home, default_path)
    except InvalidInput as error:
        complain(f"{error} (continuing without it)")
        return {}


def _ran(loop: Coroutine[Any, Any, LoopState]) -> LoopState:
    """Run to the end; SIGTERM is treated like Ctrl-C."""
    before = signal.signal(signal.SIGTERM, _interrupt)
    try:
        return asyncio.run(loop)
    except KeyboardInterrupt as interrupt:
        interrupt.add_note("finished trials are kept: `hardwon loop list`, `hardwon loop resume`")
        raise
    finally:
        signal.signal(signal.SIGTERM, before)


def _conclude(loops: Loops, state: LoopState, *, as_json: bool, restore_best: bool) -> None:
    if restore_best and not state.passed and state.best:
        number = loops.restore_best(state.loop_id)
        complain(f"the work tree was restored to trial {number + 1}, the best one")
    if as_json:
        dump(state)
    if not state.passed:
        raise click.exceptions.Exit(1)


def _quiet(event: str, state: LoopState) -> None:
    """Print nothing: JSON follows."""


def _progress(event: str, state: LoopState) -> None:
    if event in _DOING:
        number = state.open.number if state.open else len(state.trials)
        click.echo(f"trial {number + 1} of {state.options.max_trials}: {_DOING[event]}", err=True)
        return
    if event == "ended":
        good = state.passed
        say(f"{state.status}: {state.reason}", fg="green" if good else "red")
        say(f"  loop {state.loop_id}; more: hardwon loop show {state.loop_id}", dim=True)
        return
    last = state.trials[-1]
    colour = "green" if last.outcome == "passed" else "yellow"
    say(f"trial {last.number + 1}: {last.outcome}, reward {last.reward:.2f}", fg=colour)
    if last.failure:
        say(f"  {plural(last.errors, 'error')}; {last.failure}")


def _interrupt(*_: object) -> None:
    """Do what Ctrl-C does, also in the background of a script, where SIGINT is ignored."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.raise_signal(signal.SIGINT)


@click.group("loop", cls=Group)
def command() -> None:
    """Try a task until its verifiers pass, and learn from every failed trial.

    \b
    hardwon loop run "fix the rounding in cart.py" --actor claude \\
        --verify "pytest -q" --verify "mypy ." --max-trials 5
    """


for _command in (
    run,
    resume,
    abort,
    trust_file,
    look.status,
    look.show,
    look.list_,
    look.search,
    look.patterns,
    report.analyze,
    report.export,
    report.import_,
):
    command.add_command(_command)
