"""Show loops and their reflections."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING, Any, get_args

import click

from hardwon.core.errors import NotFound
from hardwon.core.text.clean import clip, one_line, plural
from hardwon.core.values import plain
from hardwon.engine.runtime import utc_now
from hardwon.learn.trials.analytics import PARTS
from hardwon.learn.trials.values import Category, LoopState, LoopStatus, Record
from hardwon.surfaces.cli import options
from hardwon.surfaces.cli.loop.report import spark
from hardwon.surfaces.cli.output import age, dump, say, table

if TYPE_CHECKING:
    from hardwon.learn.trials.loops import Loops


@click.command()
@click.argument("loop_id", required=False)
@options.scope
@options.as_json
def status(loop_id: str | None, as_json: bool, **place: Any) -> None:
    """The status of a loop: the newest one unless LOOP_ID is given."""
    with options.Scoped(**place) as own:
        loops = own.loops
        newest = [] if loop_id else loops.list(limit=1)
        if not loop_id and not newest:
            raise NotFound("loop")
        state = loops.get(loop_id) if loop_id else newest[0]
        now = standing(loops, state)
    if as_json:
        dump({**_fields(state), "standing": now})
        return
    say(f"{state.loop_id}: {now}{f' ({state.reason})' if state.reason else ''}")
    say(f"  task: {clip(one_line(state.task), 100)}")
    curve = spark(state.rewards, high=1)
    say(f"  trials: {len(state.trials)} of {state.options.max_trials}  {curve}")
    if state.best:
        say(f"  best: trial {state.best.number + 1}, reward {state.best.reward:.2f}")
    if now == "interrupted":
        say(f"  continue it: hardwon loop resume {state.loop_id}")


@click.command()
@click.argument("loop_id")
@click.option("--trial", type=int, help="Only this trial, with its reflection in full.")
@options.scope
@options.as_json
def show(loop_id: str, trial: int | None, as_json: bool, **place: Any) -> None:
    """A loop with its trials and reflections."""
    with options.Scoped(**place) as own:
        loops = own.loops
        state, records = loops.get(loop_id), loops.reflections(loop_id)
        damaged = loops.folder(loop_id).records().damaged
    if trial is not None:
        records = [record for record in records if record.iteration == trial - 1]
        if not records:
            raise NotFound("reflection of trial", trial)
    if as_json:
        reflections = plain(list(records), without_none=True)
        dump({"loop": _fields(state), "reflections": reflections, "damaged": damaged})
        return
    if trial is None:
        _print_trials(state)
    for record in records:
        for number, action in enumerate(record.actor_output.actions if trial is not None else ()):
            if action.thought:
                say(f"  thought: {clip(one_line(action.thought), 300)}", dim=True)
            say(f"  {number}. {action.description}{' FAILED' if action.failed else ''}")
        _print_reflection(record)
    for name in damaged:
        say(f"{name}: damaged; the next resume moves it to quarantine", fg="red")


@click.command("list")
@click.option("--limit", default=20, show_default=True, help="At most this many.")
@click.option(
    "--status", type=options.Choice(get_args(LoopStatus)), help="Only loops with this status."
)
@options.scope
@options.as_json
def list_(limit: int, status: str | None, as_json: bool, **place: Any) -> None:
    """The newest loops first."""
    with options.Scoped(**place) as own:
        loops = own.loops
        states = loops.list(limit=limit, status=status)
        rows = [_row(state, standing(loops, state)) for state in states]
    if as_json:
        dump([_fields(state) for state in states])
    elif rows:
        table(rows)
    else:
        say("(no loops)")


_FILTERS = (
    click.argument("keywords", nargs=-1),
    click.option(
        "--category",
        "failure_category",
        multiple=True,
        type=options.Choice(get_args(Category)),
        metavar="NAME",
        help=f"Only failures of this category; may be repeated: {', '.join(get_args(Category))}.",
    ),
    click.option(
        "--min-confidence",
        type=click.FloatRange(0, 1),
        default=0.0,
        show_default=True,
        help="Only reflections with at least this confidence.",
    ),
)


def _with_filters(command: Callable[..., Any]) -> Callable[..., Any]:
    for parameter in reversed(_FILTERS):
        command = parameter(command)
    return command


@click.command()
@_with_filters
@click.option(
    "--limit",
    type=click.IntRange(1, 1000),
    default=10,
    show_default=True,
    help="At most this many.",
)
@options.scope
@options.as_json
def search(
    keywords: tuple[str, ...],
    failure_category: tuple[str, ...],
    min_confidence: float,
    limit: int,
    as_json: bool,
    **place: Any,
) -> None:
    """Reflections of all loops that contain any of KEYWORDS, newest first."""
    with options.Scoped(**place) as own:
        records = own.loops.search(
            failure_category=failure_category,
            task_keywords=keywords,
            min_confidence=min_confidence,
            limit=limit,
        )
    if as_json:
        dump(plain(list(records), without_none=True))
        return
    say(f"{plural(len(records), 'reflection')}:" if records else "(no matches)")
    for record in records:
        say(f"  {record.loop_id}/{record.iteration + 1}  [{record.category}]"
            f"  {clip(one_line(record.self_reflection.reflection_text), 160)}")  # fmt: skip


@click.command()
@_with_filters
@click.option(
    "--min-frequency",
    type=click.IntRange(1),
    default=2,
    show_default=True,
    help="Only points that at least this many reflections make.",
)
@click.option(
    "--part",
    "parts",
    multiple=True,
    type=options.Choice(PARTS),
    help="Only this part of the reflections.",
)
@options.scope
@options.as_json
def patterns(
    keywords: tuple[str, ...],
    failure_category: tuple[str, ...],
    min_confidence: float,
    min_frequency: int,
    parts: tuple[str, ...],
    as_json: bool,
    **place: Any,
) -> None:
    """What several reflections have in common: of all, or of those that contain one of KEYWORDS."""
    with options.Scoped(**place) as own:
        rows = own.loops.patterns(
            min_frequency=min_frequency,
            categories=parts or PARTS,
            failure_category=failure_category,
            task_keywords=keywords,
            min_confidence=min_confidence,
        )
    if as_json:
        dump(list(rows))
        return
    say(f"{plural(len(rows), 'pattern')}:" if rows else "(no patterns)")
    for row in rows:
        say(f"  {row.frequency}×  {row.text}  [{', '.join(row.categories)}]")


def standing(loops: Loops, state: LoopState) -> str:
    """The status; `interrupted` for a loop whose process is gone."""
    if state.status == "running" and not loops.is_running(state.loop_id):
        return "interrupted"
    return state.status


def _row(state: LoopState, now: str) -> tuple[str, ...]:
    return (
        state.loop_id,
        now,
        plural(len(state.trials), "trial"),
        spark(state.rewards, high=1),
        f"{age(datetime.fromisoformat(state.created_at), utc_now())} ago",
        clip(one_line(state.task), 60),
    )


def _fields(state: LoopState) -> dict[str, Any]:
    return {**plain(state, without_none=True), "scope": list(state.scope)}


def _print_trials(state: LoopState) -> None:
    say(f"{state.loop_id}: {state.status}{f' ({state.reason})' if state.reason else ''}", bold=True)
    say(f"task: {clip(one_line(state.task), 200)}")
    for note in state.notes:
        say(f"note: {note}", fg="yellow")
    rows = [
        (
            str(trial.number + 1),
            trial.outcome,
            f"{trial.reward:.2f}",
            str(trial.errors) if trial.errors or trial.outcome == "passed" else "–",
            trial.category or "–",
            f"{trial.seconds:.1f}s" if trial.seconds else "–",
        )
        for trial in state.trials
    ]
    table([("trial", "outcome", "reward", "errors", "category", "time"), *rows])


def _print_reflection(record: Record) -> None:
    words = record.self_reflection
    credit = words.credit_assignment
    by = f"by {words.author or 'an unknown author'}, confidence {words.confidence:.2f}"
    say(f"\nReflection on trial {record.iteration + 1} ({by})", bold=True)
    say(words.reflection_text)
    if record.actor_output.strategy:
        say(f"  strategy: {record.actor_output.strategy}")
    if credit:
        say(f"  cause: {credit.root_cause or 'not named'} [{credit.failure_category}]")
    for item in words.actionable_insights:
        say(f"  next: {item}")
    for item in words.lessons_learned:
        say(f"  learnt: {item}")
    if words.quality == "low":
        say(f"  low quality: {'; '.join(words.quality_problems)}", fg="yellow")
