"""`hardwon lesson`: lessons as things people handle."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from hardwon.domain.lesson import Status
from hardwon.domain.provenance import QUARANTINED, marks
from hardwon.domain.text import one_line
from hardwon.surfaces.cli import options
from hardwon.surfaces.cli.output import dump, say

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hardwon import Lesson

_LIMIT = click.option("--limit", default=25, show_default=True, help="At most this many.")
_NUMBER = click.argument("number", metavar="ID", type=str)


@click.group("lesson")
def command() -> None:
    """List, search, show, edit, approve, revoke and delete lessons."""


@command.command("list")
@_LIMIT
@click.option(
    "--status",
    type=click.Choice([Status.ACTIVE, Status.QUARANTINED, Status.RETIRED, Status.SUPERSEDED]),
    default=Status.ACTIVE,
    show_default=True,
)
@click.option("--quarantined", is_flag=True, help="Those that wait for a person, with the reason.")
@options.scope
@options.as_json
def list_(limit: int, status: str, quarantined: bool, as_json: bool, **place: Any) -> None:
    """Lessons, newest-consulted first."""
    status = Status.QUARANTINED if quarantined else status
    with options.Scoped(**place) as agent:
        lessons = agent.lessons.list(limit=limit, status=status)
    _show(lessons, as_json, none="(no lessons recorded)", head="lesson(s)")


@command.command()
@click.argument("text")
@_LIMIT
@options.scope
@options.as_json
def search(text: str, limit: int, as_json: bool, **place: Any) -> None:
    """Lessons that contain TEXT."""
    with options.Scoped(**place) as agent:
        lessons = agent.lessons.search(text, limit=limit)
    _show(lessons, as_json, none="(no matches)", head="match(es)")


@command.command()
@_NUMBER
@options.scope
@options.as_json
def show(number: str, as_json: bool, **place: Any) -> None:
    """One lesson with all that is known about it."""
    with options.Scoped(**place) as agent:
        lesson = agent.lessons.get(_id(number))
    if as_json:
        dump(lesson)
        return
    say(lesson.render())
    say(f"tags: {', '.join(lesson.all_tags())}")
    say(
        f"id: #{lesson.id}  status: {lesson.status}  shown: {lesson.hits}  met: {lesson.met}"
        f"  confidence: {lesson.confidence:.2f}  by: {lesson.author}  from: {lesson.origin}"
    )


@command.command()
@_NUMBER
@click.option("--situation", help="When it applies.")
@click.option("--mistake", help="What went wrong.")
@click.option("--correction", help="What to do instead.")
@options.scope
@options.as_json
def edit(
    number: str,
    situation: str | None,
    mistake: str | None,
    correction: str | None,
    as_json: bool,
    **place: Any,
) -> None:
    """Give a lesson other words."""
    given = {"situation": situation, "mistake": mistake, "correction": correction}
    changes = {name: text for name, text in given.items() if text is not None}
    if not changes:
        raise click.UsageError("name what to change: --situation, --mistake or --correction")
    with options.Scoped(**place) as agent:
        lesson = agent.lessons.edit(_id(number), **changes)
    dump(lesson) if as_json else say(lesson.render())


@command.command()
@_NUMBER
@options.scope
def delete(number: str, **place: Any) -> None:
    """Remove a lesson for good."""
    with options.Scoped(**place) as agent:
        agent.lessons.delete(_id(number))
    say(f"OK: deleted #{_id(number)}")


@command.command()
@_NUMBER
@options.scope
@options.as_json
def approve(number: str, as_json: bool, **place: Any) -> None:
    """Release a lesson from quarantine: you have read it, and it is harmless."""
    with options.Scoped(**place) as agent:
        lesson = agent.lessons.approve(_id(number))
    dump(lesson) if as_json else say(f"OK: #{lesson.id} may be delivered")


@command.command()
@click.option("--origin", required=True, help="An origin, author, job:<id> or way of learning.")
@options.scope
@options.as_json
def revoke(origin: str, as_json: bool, **place: Any) -> None:
    """Remove every lesson of an origin, and every lesson that was made of one of them."""
    with options.Scoped(**place) as agent:
        gone = agent.lessons.revoke(origin)
    if as_json:
        dump([lesson.id for lesson in gone])
        return
    say(f"OK: removed {len(gone)} lesson(s) of {origin}")


def row(lesson: Lesson) -> str:
    """A lesson on one line."""
    hits = f"  (hits: {lesson.hits})" if lesson.hits else ""
    return f"#{lesson.id}  [{lesson.headline()}]  {one_line(lesson.correction)}{hits}"


def _show(lessons: Sequence[Lesson], as_json: bool, *, none: str, head: str) -> None:
    if as_json:
        dump(lessons)
        return
    say(f"{len(lessons)} {head}:" if lessons else none)
    for lesson in lessons:
        say(f"  {row(lesson)}")
        for reason in marks(lesson, QUARANTINED) if lesson.status == Status.QUARANTINED else ():
            say(f"      held back: {reason}", dim=True)


def _id(text: str) -> int:
    """`7` or `#7`."""
    digits = text.removeprefix("#")
    if not (digits.isascii() and digits.isdigit() and len(digits) < 19):
        raise click.UsageError(f"lesson id {text!r} is not a number")
    return int(digits)
