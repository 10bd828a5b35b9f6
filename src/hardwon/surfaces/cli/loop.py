"""`hardwon loop`: try until the work is verified; show, analyse, export and import loops."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
from collections.abc import Coroutine, Iterator, Sequence
from datetime import datetime, timedelta
from itertools import count
from typing import Any, get_args

import click

from hardwon import Agent
from hardwon.core.errors import InvalidInput, NotFound, SetupError
from hardwon.core.settings import load
from hardwon.core.text.clean import clip, one_line, plural
from hardwon.core.values import plain
from hardwon.engine.runtime import utc_now
from hardwon.learn.trials import exchange, values
from hardwon.learn.trials.analytics import PARTS, Analysis
from hardwon.learn.trials.files import loop_ids
from hardwon.learn.trials.loops import TRUSTED_FILE, Loops, loop_table, trust
from hardwon.learn.trials.roles import PROFILES, Functions
from hardwon.surfaces import page
from hardwon.surfaces.cli import options, output
from hardwon.surfaces.cli.options import flag, option
from hardwon.surfaces.cli.output import AGAIN, Output, Progress, complain, say

_VERIFY = (
    "Command that judges the work; may be repeated. Its kind is known by the tool, or given:"
    " integration:COMMAND. manual:QUESTION asks you."
)
_BLOCKS = "▁▂▃▄▅▆▇█"
_DOING = {"acting": "the actor works …", "verifying": "the verifiers run …"}


@options.group("loop")
def command() -> None:
    """Try a task until its verifiers pass, and learn from every failed trial.

    \b
    hardwon loop run "fix the rounding in cart.py" --actor claude \\
        --verify "pytest -q" --verify "mypy ." --max-trials 5
    """


_tuning = options.together(
    flag("--restore-best", "When it fails, leave the best trial's files (git only)."),
    option("--max-trials", "Give up after this many trials.", type=int),
    option(
        "--omega",
        "How many reflections the actor sees: 1 … 10, or auto (by variety of failures).",
    ),
    option("--policy", "Which reflections the actor sees.", choices=get_args(values.Policy)),
    option("--window-tokens", "Token budget of the reflections.", type=int),
    options.span("--actor-timeout", "Time limit of the actor, such as 30m.", "actor_seconds"),
    options.span("--verify-timeout", "Time limit of a verifier, such as 10m.", "verify_seconds"),
    option("--patience", "Stop after this many trials without a gain; 0: never.", type=int),
    option("--repeats", "Stop when the same failure came this often in a row; 0: never.", type=int),
    option(
        "--on-critical", "What to do when the actor crashes.", choices=get_args(values.Critical)
    ),
    options.scope,
    options.as_json,
)


@command.command()
@click.argument("task")
@option(
    "--actor",
    "Command that gets the prompt on standard input, or at {prompt} or {prompt_file}; or one"
    f" of {', '.join(PROFILES)}.",
)
@option("--verify", _VERIFY, multiple=True)
@option(
    "--variant",
    "cot: one answer; react: many steps, which are recorded.",
    choices=get_args(values.Variant),
)
@option(
    "--cwd",
    "Where to work; default: here.",
    type=click.Path(file_okay=False),
    default=".",
    show_default=False,
)
@option("--id", "Name of the loop; made from the task otherwise.", "loop_id")
@option("--pass-env", "Let verifiers see this variable.", multiple=True, metavar="NAME")
@option("--lessons", "When reflections become lessons.", choices=get_args(values.Lessons))
@option("--recall/--no-recall", "Put recalled lessons into the prompt.", default=None)
@option("--inject/--no-inject", "Put reflections into the prompt.", default=None)
@option("--config", f"A trusted file with a [loop] table.  [default: {TRUSTED_FILE} if trusted]")
@_tuning
def run(
    task: str, loop_id: str | None, cwd: str, config: str | None, restore_best: bool, **given: Any
) -> None:
    """Try TASK until every verifier passes. Exit code 0: it did.

    Limits that are not given are those of the settings `trials.*`; `hardwon config` shows them.
    """
    scope, tuning = _split(given)
    settings, folder = load(scope["home"]), os.path.abspath(cwd)
    chosen = {**_file(settings.home, folder, config), **tuning, "cwd": folder}
    _ensure_installed(chosen.get("actor"))
    with options.open_agent(**scope) as agent:
        loop = agent.loops.begin(task, Functions(say=_progress), loop_id=loop_id, **chosen)
        _run_to_end(agent.loops, loop, restore_best=restore_best)


@command.command()
@click.argument("loop_id")
@option("--actor", "Use this actor from now on.")
@_tuning
def resume(loop_id: str, restore_best: bool, **given: Any) -> None:
    """Continue a loop from its last durable step; finished trials are never repeated.

    Whatever is not given stays as it was in the loop.
    """
    scope, tuning = _split(given)
    _ensure_installed(tuning.get("actor"))
    with options.open_agent(**scope) as agent:
        loop = agent.loops.resume(loop_id, Functions(say=_progress), **tuning)
        _run_to_end(agent.loops, loop, restore_best=restore_best)


def _ensure_installed(actor: str | None) -> None:
    """Refuse an agent that is named but not installed, before a trial is spent on it."""
    program = PROFILES.get(actor or "", "").split(" ")[0]
    if program and not shutil.which(program):
        remedy = "install it, or give --actor the command that starts it"
        raise SetupError(
            f"the actor {actor!r} is not installed: {program!r} is not on the PATH; {remedy}"
        )


def _split(given: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The scope, and the options of the loop that were given, with times in seconds."""
    scope = {name: given.pop(name) for name in ("home", "tenant", "agent", "project")}
    tuning = {
        name: value.total_seconds() if isinstance(value, timedelta) else value
        for name, value in given.items()
        if value not in (None, ())
    }
    return scope, tuning


def _file(home: str, folder: str, config: str | None) -> dict[str, Any]:
    """The [loop] table of the named file, else of the default file if that is trusted."""
    if config is not None:
        return loop_table(home, config)
    default_path = os.path.join(folder, TRUSTED_FILE)
    try:
        return loop_table(home, default_path) if os.path.isfile(default_path) else {}
    except InvalidInput as error:
        complain(f"{error} (continuing without it)")
        return {}


def _run_to_end(
    loops: Loops, loop: Coroutine[Any, Any, values.LoopState], *, restore_best: bool
) -> None:
    """Run to the end; SIGTERM is treated like Ctrl-C. Then restore the best trial, if wanted."""

    def stop(*_: object) -> None:
        """Do what Ctrl-C does, also in the background of a script, where SIGINT is ignored."""
        if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.raise_signal(signal.SIGINT)

    before = signal.signal(signal.SIGTERM, stop)
    try:
        state = asyncio.run(loop)
    except KeyboardInterrupt as interrupt:
        interrupt.add_note("finished trials are kept: `hardwon loop list`, `hardwon loop resume`")
        raise
    finally:
        signal.signal(signal.SIGTERM, before)
    if restore_best and not state.passed and state.best:
        number = loops.restore_best(state.loop_id)
        complain(f"the work tree was restored to trial {number + 1}, the best one")
    output.emit(Output(state, (), code=not state.passed))


def _progress(event: str, state: values.LoopState) -> None:
    """Print what a loop does; nothing if JSON follows."""
    if output.is_json():
        return
    if event in _DOING:
        number = state.open.number if state.open else len(state.trials)
        click.echo(f"trial {number + 1} of {state.options.max_trials}: {_DOING[event]}", err=True)
        return
    if event == "ended":
        say(f"{state.status}: {state.reason}", fg="green" if state.passed else "red")
        say(f"  loop {state.loop_id}; more: hardwon loop show {state.loop_id}", dim=True)
        return
    last = state.trials[-1]
    colour = "green" if last.outcome == "passed" else "yellow"
    say(f"trial {last.number + 1}: {last.outcome}, reward {last.reward:.2f}", fg=colour)
    if last.failure:
        say(f"  {plural(last.errors, 'error')}; {last.failure}")


@command.verb("abort")
@click.argument("loop_id")
def abort(agent: Agent, loop_id: str) -> Output:
    """Abort a loop: its actor and verifiers are stopped, its lessons are kept."""
    state = agent.loops.abort(loop_id)
    return Output(state, f"{loop_id}: {state.status} ({state.reason})")


@command.command("trust")
@click.argument("file", default=TRUSTED_FILE)
@options.home
def trust_file(file: str, home: str | None) -> None:
    """Allow FILE, as it is now, to name the commands of loops."""
    say(f"OK: {trust(load(home).home, file)} is trusted until it changes")


@command.verb("status")
@click.argument("loop_id", required=False)
def status(agent: Agent, loop_id: str | None) -> Output:
    """The status of a loop: the newest one unless LOOP_ID is given."""
    states = [agent.loops.get(loop_id)] if loop_id else agent.loops.list(limit=1)
    if not states:
        raise NotFound("loop")
    state, now = states[0], _standing(agent.loops, states[0])
    lines = [
        f"{state.loop_id}: {now}{f' ({state.reason})' if state.reason else ''}",
        f"  task: {clip(one_line(state.task), 100)}",
        f"  trials: {len(state.trials)} of {state.options.max_trials}  {_spark(state.rewards)}",
    ]
    if state.best:
        lines.append(f"  best: trial {state.best.number + 1}, reward {state.best.reward:.2f}")
    if now == "interrupted":
        lines.append(f"  continue it: hardwon loop resume {state.loop_id}")
    return Output({**_fields(state), "standing": now}, lines)


def _standing(loops: Loops, state: values.LoopState) -> str:
    """The status; `interrupted` for a loop whose process is gone."""
    if state.status == "running" and not loops.is_running(state.loop_id):
        return "interrupted"
    return state.status


def _fields(state: values.LoopState) -> dict[str, Any]:
    return {**plain(state, without_none=True), "scope": list(state.scope)}


@command.verb("show")
@click.argument("loop_id")
@option("--trial", "Only this trial, with its reflection in full.", type=int)
def show(agent: Agent, loop_id: str, trial: int | None) -> Output:
    """A loop with its trials and reflections."""
    state, records = agent.loops.get(loop_id), agent.loops.reflections(loop_id)
    damaged = [name for name, kept in agent.loops.folder(loop_id).files().items() if not kept]
    if trial is not None:
        records = [record for record in records if record.iteration == trial - 1]
        if not records:
            raise NotFound("reflection of trial", trial)
    reflections = plain(list(records), without_none=True)
    value = {"loop": _fields(state), "reflections": reflections, "damaged": damaged}
    rows = [
        (
            str(one.number + 1),
            one.outcome,
            f"{one.reward:.2f}",
            str(one.errors) if one.errors or one.outcome == "passed" else "–",
            one.category or "–",
            f"{one.seconds:.1f}s" if one.seconds else "–",
        )
        for one in state.trials
    ]

    def say_loop() -> None:
        if trial is None:
            reason = f" ({state.reason})" if state.reason else ""
            say(f"{state.loop_id}: {state.status}{reason}", bold=True)
            say(f"task: {clip(one_line(state.task), 200)}")
            for note in state.notes:
                say(f"note: {note}", fg="yellow")
            output.table([("trial", "outcome", "reward", "errors", "category", "time"), *rows])
        for record in records:
            _say_reflection(record, is_full=trial is not None)
        for name in damaged:
            say(f"{name}: damaged; the next resume moves it to quarantine", fg="red")

    return Output(value, say_loop)


def _say_reflection(record: values.Record, *, is_full: bool) -> None:
    """Print the reflection on a trial; before it, in full, what the actor did."""
    for number, action in enumerate(record.actor_output.actions if is_full else ()):
        if action.thought:
            say(f"  thought: {clip(one_line(action.thought), 300)}", dim=True)
        say(f"  {number}. {action.description}{' FAILED' if action.failed else ''}")
    words = record.self_reflection
    by = f"by {words.author or 'an unknown author'}, confidence {words.confidence:.2f}"
    say(f"\nReflection on trial {record.iteration + 1} ({by})", bold=True)
    say(words.reflection_text)
    if record.actor_output.strategy:
        say(f"  strategy: {record.actor_output.strategy}")
    if credit := words.credit_assignment:
        say(f"  cause: {credit.root_cause or 'not named'} [{credit.failure_category}]")
    for item in words.actionable_insights:
        say(f"  next: {item}")
    for item in words.lessons_learned:
        say(f"  learnt: {item}")
    if words.quality == "low":
        say(f"  low quality: {'; '.join(words.quality_problems)}", fg="yellow")


@command.verb("list")
@options.limit(default=20)
@option("--status", "Only loops with this status.", choices=get_args(values.LoopStatus))
def list_(agent: Agent, limit: int, status: str | None) -> Output:
    """The newest loops first."""
    states = agent.loops.list(limit=limit, status=status)
    rows = [
        (
            state.loop_id,
            _standing(agent.loops, state),
            plural(len(state.trials), "trial"),
            _spark(state.rewards),
            f"{output.age(datetime.fromisoformat(state.created_at), utc_now())} ago",
            clip(one_line(state.task), 60),
        )
        for state in states
    ]
    return output.listing([_fields(state) for state in states], rows, "(no loops)")


_filters = options.together(
    click.argument("task_keywords", metavar="[KEYWORDS]...", nargs=-1),
    option(
        "--category",
        f"Only failures of this category; may be repeated: {', '.join(get_args(values.Category))}.",
        "failure_category",
        multiple=True,
        choices=get_args(values.Category),
        metavar="NAME",
    ),
    option(
        "--min-confidence",
        "Only reflections with at least this confidence.",
        type=click.FloatRange(0, 1),
        default=0.0,
        show_default=True,
    ),
)
_MIN_FREQUENCY = option(
    "--min-frequency",
    "Only points that at least this many reflections make.",
    type=click.IntRange(1),
    default=2,
)


@command.verb("search")
@_filters
@options.limit(default=10, type=click.IntRange(1, 1000))
def search(agent: Agent, limit: int, **filters: Any) -> Output:
    """Reflections of all loops that contain any of KEYWORDS, newest first."""
    records = agent.loops.search(**filters, limit=limit)
    lines = [f"{plural(len(records), 'reflection')}:" if records else "(no matches)"]
    for record in records:
        words = clip(one_line(record.self_reflection.reflection_text), 160)
        lines.append(f"  {record.loop_id}/{record.iteration + 1}  [{record.category}]  {words}")
    return Output(plain(list(records), without_none=True), lines)


@command.verb("patterns")
@_filters
@_MIN_FREQUENCY
@option("--part", "Only this part of the reflections.", "parts", multiple=True, choices=PARTS)
def patterns(agent: Agent, parts: tuple[str, ...], **filters: Any) -> Output:
    """What several reflections have in common: of all, or of those that contain one of KEYWORDS."""
    rows = agent.loops.patterns(**filters, categories=parts or PARTS)
    lines = [f"  {row.frequency}×  {row.text}  [{', '.join(row.categories)}]" for row in rows]
    head = f"{plural(len(rows), 'pattern')}:" if rows else "(no patterns)"
    return Output(list(rows), [head, *lines])


@command.verb("analyze")
@option("--html", "Write one self-contained page with the plots.", metavar="FILE")
@_MIN_FREQUENCY
def analyze(agent: Agent, html: str | None, min_frequency: int) -> Output:
    """Statistics over all loops: tables, curves, patterns."""
    done, total = count(1), len(loop_ids(agent.loops.root))
    with Progress("Reading") as tell:
        analysis = agent.loops.analyze(watch=lambda: tell(next(done), total))
    patterns = agent.loops.patterns(min_frequency=min_frequency)
    if html:
        output.write(html, page_of(analysis))

    def show() -> None:
        output.table(_facts(analysis), indent="")
        shared = [f"{pattern.frequency}×  {pattern.text}" for pattern in patterns[:10]]
        curves = [(title, [f"{_spark(drawn)}  {at}"]) for title, drawn, at in _curves(analysis)]
        for title, rows in (*curves, *_lists(analysis), ("Said more than once", shared)):
            if rows:
                say(f"\n{title}", bold=True)
            for row in rows:
                say(f"  {row}")
        if html:
            say(f"\nwritten: {html}")

    return Output({**plain(analysis), "patterns": plain(patterns)}, show)


def _spark(shares: Sequence[float]) -> str:
    """A line of blocks, one per value between 0 and 1."""
    heights = (max(0.0, min(1.0, share)) * (len(_BLOCKS) - 1) for share in shares)
    return "".join(_BLOCKS[round(height)] for height in heights)


def _facts(analysis: Analysis) -> list[tuple[str, str]]:
    """The figures, each with its name."""

    def figure(value: float | None, form: str) -> str:
        return "–" if value is None else format(value, form)

    shares = (analysis.success_with_lessons, analysis.success_without_lessons)
    seconds = figure(analysis.seconds_to_success, ".2f")
    return [
        ("loops", f"{analysis.loops} ({plural(analysis.trials, 'trial')})"),
        ("success rate", figure(analysis.success_rate, ".0%")),
        ("trials to success", figure(analysis.trials_to_success, ".2f")),
        ("time to success", seconds if seconds == "–" else f"{seconds} s"),
        ("learning rate", f"{analysis.learning_rate:+.3f} per trial"),
        ("breakthroughs", str(analysis.breakthroughs)),
        ("confidence", figure(analysis.average_confidence, ".2f")),
        ("confidence against improvement (r)", figure(analysis.confidence_correlation, ".2f")),
        ("poor reflections", str(analysis.low_quality)),
        ("loops that reused lessons", figure(analysis.lesson_reuse_rate, ".0%")),
        ("success with / without lessons", " / ".join(figure(one, ".0%") for one in shares)),
    ]


def _curves(analysis: Analysis) -> Iterator[tuple[str, list[float], str]]:
    """Each curve over the trials: its title, shares of the largest value, the first and last."""
    curves = {"Reward": (analysis.reward_curve, 1.0)}
    curves["Errors"] = analysis.error_curve, max(analysis.error_curve, default=0.0) or 1.0
    for name, (curve, high) in curves.items():
        if curve:
            ends = f"{curve[0]:.2f} → {curve[-1]:.2f}"
            yield f"{name} by trial (mean)", [value / high for value in curve], ends


def _lists(analysis: Analysis) -> Iterator[tuple[str, list[str]]]:
    """Each list: its title, and its rows."""
    yield "Failure categories", [f"{kind:<26} {number}" for kind, number in analysis.categories]
    yield (
        "Kinds of tasks that came again: trials in the first and in the last half",
        [
            f"{row.first_trials:g} → {row.last_trials:g}  ({row.loops}×)  {row.task}"
            for row in analysis.repeated
        ],
    )
    newest = [f"{_spark(one.rewards):<12} {one.status:<10} {one.task}" for one in analysis.curves]
    yield "Newest loops", newest


def page_of(analysis: Analysis) -> str:
    """The figures, curves and lists as one page."""
    parts = [page.tiles(*((figure, words) for words, figure in _facts(analysis)[1:]))]
    for title, shares, ends in _curves(analysis):
        words = f'<p class="soft">{page.safe(ends)}</p>'
        parts.append(page.section(title, page.curve(shares, ends) + words))
    for title, rows in _lists(analysis):
        items = "".join(f'<li class="fact">{page.safe(row)}</li>' for row in rows)
        parts.append(page.section(title, f"<ul>{items}</ul>"))
    about = f"{plural(analysis.loops, 'loop')}, {plural(analysis.trials, 'trial')}"
    return page.page("What the trials taught", about, *parts)


@command.command()
@click.argument("loop_id")
@flag("--published", "In the published schema (ralph-… ids).")
@option(
    "--to",
    "Write NNN.json files there instead; into DIR/<ralph-id>/ when DIR ends in"
    " .aiwg/ralph/reflections.",
    "target",
    metavar="DIR",
)
@options.scope
def export(loop_id: str, published: bool, target: str | None, **scope: Any) -> None:
    """The reflections of a loop as JSON."""
    is_layout = target is not None and os.path.abspath(target).endswith(exchange.LAYOUT)
    with options.open_agent(**scope) as agent:
        records = agent.loops.reflections(loop_id)
    documents = exchange.export(records, published=published or is_layout)
    if target is None:
        output.dump(documents)
        return
    folder = os.path.join(target, exchange.published_id(loop_id)) if is_layout else target
    for document in documents:
        text = json.dumps(document, ensure_ascii=False, indent=2) + "\n"
        output.write(os.path.join(folder, f"{document['iteration'] + 1:03d}.json"), text)
    say(f"{plural(len(documents), 'reflection')} written to {folder}")


@command.verb("import")
@click.argument("path", type=click.Path(exists=True))
@options.verbose
def import_(agent: Agent, path: str, verbose: bool) -> Output:
    """Import the reflections below PATH, in any of the three published formats."""
    with Progress("Importing", kept="{} imported" + AGAIN, of="loop") as tell:
        imported = agent.loops.import_from(path, tell=tell)
    of_loops = (
        f"{plural(imported.reflections, 'reflection')} of {plural(len(imported.loops), 'loop')}"
    )
    unchanged = f"; known already: {imported.known:,}" if imported.known else ""
    known = imported.known_loops if verbose else ()
    lines = [f"{of_loops} imported, {plural(imported.lessons, 'lesson')} learnt{unchanged}"]
    lines += [f"  nothing new in {loop_id}" for loop_id in known]
    lines += [f"  refused: {problem}" for problem in imported.refused]
    return Output(imported, lines)
