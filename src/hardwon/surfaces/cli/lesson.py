"""`hardwon lesson`: list, search, show and change lessons."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from hardwon.core.text.clean import plural
from hardwon.core.values import plain
from hardwon.core.values.lesson import Status, confirmation, statuses
from hardwon.knowledge.reading.guards import guard_of
from hardwon.surfaces.cli import lesson_bulk, options, story
from hardwon.surfaces.cli.group import Group
from hardwon.surfaces.cli.lesson_list import first_lessons, found_lessons, row, show_lessons
from hardwon.surfaces.cli.lesson_lookup import LessonLookup, lesson_id
from hardwon.surfaces.cli.output import dump, say, say_folded

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hardwon import Scope

_LIMIT = click.option("--limit", default=25, show_default=True, help="At most this many.")
_NAMED = 5  # places named in the hint under a list
_NUMBER = click.argument("number", metavar="ID", type=str)


@click.group("lesson", cls=Group)
def command() -> None:
    """Add, list, search, show, edit, guard, approve, delete, undo, export and import lessons."""


@command.command("list")
@_LIMIT
@click.option(
    "--status",
    type=options.Choice([Status.ACTIVE, *statuses(Status.ALL), Status.ALL]),
    default=Status.ACTIVE,
    show_default=True,
    help="Only lessons in this state.",
)
@click.option(
    "--quarantined", is_flag=True, help="Only lessons that wait for approval, with the reason."
)
@click.option(
    "--open", "unsolved", is_flag=True, help="Only failures that were met and have no fix."
)
@click.option("--record", is_flag=True, help="Each in four lines: LESSON, MISTAKE, CORRECTION, …")
@options.scope_here
@options.as_json
def list_(
    limit: int,
    status: str,
    quarantined: bool,
    unsolved: bool,
    record: bool,
    as_json: bool,
    **place: Any,
) -> None:
    """Lessons, the most recently shown first."""
    status = Status.SEEN if unsolved else Status.QUARANTINED if quarantined else status
    with options.Scoped(**place) as agent:
        if record and not as_json:
            say("\n\n".join(one.render() for one in agent.lessons.list(limit=limit, status=status)))
            return
        lessons = first_lessons(agent.lessons, limit, status)
        elsewhere = {} if as_json else agent.lessons.elsewhere()
    head = ("lesson",)
    show_lessons(lessons, as_json, limit=limit, none="no lessons", head=head, scope=agent.scope)
    if elsewhere:
        _say_elsewhere(elsewhere)


def _say_elsewhere(counts: Mapping[Scope, int]) -> None:
    """Name the first places that have other lessons, by the options that list those."""
    places = [f"{count:,} with {options.scope_options(at)}" for at, count in counts.items()]
    ellipsis = "; …" if len(places) > _NAMED else ""
    say_folded(f"Elsewhere: {'; '.join(places[:_NAMED])}{ellipsis}", dim=True)


@command.command()
@click.argument("text")
@_LIMIT
@options.scope_here
@options.as_json
def search(text: str, limit: int, as_json: bool, **place: Any) -> None:
    """Lessons that contain TEXT."""
    with options.Scoped(**place) as agent:
        lessons = found_lessons(agent.lessons, text, limit)
    head = ("match", "matches")
    show_lessons(lessons, as_json, limit=limit, none="no matches", head=head, scope=agent.scope)


@command.command()
@_NUMBER
@options.scope_here
@options.as_json
def show(number: str, as_json: bool, **place: Any) -> None:
    """One lesson with its history: its origin, where it was shown, what followed."""
    with LessonLookup(as_json=as_json, **place) as agent:
        lesson = agent.lessons.get(lesson_id(number))
        exposures = agent.lessons.exposures(lesson.id)
        verdict = agent.lessons.verdict(lesson.id)
    if as_json:
        dump({**plain(lesson), "exposures": plain(exposures), "verdict": plain(verdict)})
        return
    say_folded(lesson.render())
    if "\n" in lesson.correction:
        say("\n".join(f"    {line}" for line in lesson.correction.split("\n")))
    say_folded(f"tags: {', '.join(lesson.all_tags())}")
    say_folded(
        f"id: #{lesson.id}  status: {lesson.status}  shown: {lesson.hits}  met: {lesson.met}"
        f"  confidence: {lesson.confidence:.2f}  by: {lesson.author}  from: {lesson.origin}"
    )
    for line in story.history_lines(lesson, exposures, verdict):
        say_folded(line)


@command.command()
@_NUMBER
@click.option("--situation", help="When it applies.")
@click.option("--mistake", help="What went wrong.")
@click.option("--correction", help="What to do instead.")
@options.scope_here
@options.as_json
def edit(
    number: str,
    situation: str | None,
    mistake: str | None,
    correction: str | None,
    as_json: bool,
    **place: Any,
) -> None:
    """Change the words of a lesson."""
    texts = {"situation": situation, "mistake": mistake, "correction": correction}
    changes: Any = {name: text for name, text in texts.items() if text is not None}
    if not changes:
        raise click.UsageError("name what to change: --situation, --mistake or --correction")
    with LessonLookup(as_json=as_json, **place) as agent:
        lesson = agent.lessons.edit(lesson_id(number), **changes)
    dump(lesson) if as_json else say(lesson.render())


@command.command()
@click.argument("situation")
@click.argument("correction")
@click.option("--mistake", default="", help="What went wrong.")
@click.option("--tag", "tags", multiple=True, help="A tag; may be repeated.")
@options.scope
@options.as_json
def add(
    situation: str,
    correction: str,
    mistake: str,
    tags: tuple[str, ...],
    as_json: bool,
    **place: Any,
) -> None:
    """Add a lesson: when it applies (SITUATION), and what to do then (CORRECTION)."""
    with options.Scoped(**place) as agent:
        lesson = agent.lessons.add(situation, correction, mistake=mistake, tags=tags)
    dump(lesson) if as_json else say(confirmation(lesson))


@command.command()
@_NUMBER
@click.option(
    "--call", default="", help="Deny this call, * matches anything; default: its own calls."
)
@click.option("--tool", default="bash", show_default=True, help="The tool of that call.")
@click.option("--off", is_flag=True, help="Allow the calls again.")
@options.scope_here
@options.as_json
def guard(number: str, call: str, tool: str, off: bool, as_json: bool, **place: Any) -> None:
    """Deny the exact calls of a lesson, or the call in --call; hooks refuse them."""
    with LessonLookup(as_json=as_json, **place) as agent:
        lesson = agent.lessons.guard(lesson_id(number), call=call, tool=tool, on=not off)
    if as_json:
        dump(lesson)
        return
    if not lesson.guard:
        say(f"OK: #{lesson.id} no longer guards its calls")
        return
    say(f"OK: #{lesson.id} guards; only these calls are denied from now on:")
    for forbidden in guard_of(lesson).calls:
        say(f"  {forbidden}".replace("\0", " "))


@command.command()
@click.argument("number", metavar="[ID]", required=False)
@options.scope_here
@options.as_json
def history(number: str | None, as_json: bool, **place: Any) -> None:
    """The changes of one lesson or of all, newest first."""
    with LessonLookup(as_json=as_json, **place) as agent:
        changes = agent.lessons.history(lesson_id(number) if number else None)
    if as_json:
        dump(changes)
        return
    for change in changes:
        say_folded(f"{change.at:%Y-%m-%d %H:%M}  {change.act}  was: {row(change.before)}")
    if not changes:
        say("(no changes)")


@command.command()
@click.argument("number", metavar="[ID]", required=False)
@options.scope_here
@options.as_json
def undo(number: str | None, as_json: bool, **place: Any) -> None:
    """Undo the newest edit, guard or deletion, of one lesson or of all."""
    with LessonLookup(as_json=as_json, **place) as agent:
        change = next(iter(agent.lessons.history(lesson_id(number) if number else None)), None)
        lesson = agent.lessons.undo(lesson_id(number) if number else None)
    if as_json:
        dump(lesson)
        return
    say_folded(f"OK: undid “{change.act if change else 'change'}”: {row(lesson)}")


@command.command()
@_NUMBER
@options.scope_here
@options.as_json
def delete(number: str, as_json: bool, **place: Any) -> None:
    """Remove a lesson; `undo` brings it back under a new id."""
    with LessonLookup(as_json=as_json, **place) as agent:
        lesson = agent.lessons.get(lesson_id(number))
        agent.lessons.delete(lesson.id)
    dump(lesson) if as_json else say(f"OK: deleted #{lesson.id}")


@command.command()
@_NUMBER
@options.scope_here
@options.as_json
def approve(number: str, as_json: bool, **place: Any) -> None:
    """Release a lesson from quarantine: you have read it, and it is harmless."""
    with LessonLookup(as_json=as_json, **place) as agent:
        lesson = agent.lessons.approve(lesson_id(number))
    dump(lesson) if as_json else say(f"OK: #{lesson.id} may be delivered")


@command.command()
@click.option("--origin", required=True, help="An origin, author, job:<id> or way of learning.")
@options.scope
@options.as_json
def revoke(origin: str, as_json: bool, **place: Any) -> None:
    """Remove every lesson of an origin, and every lesson merged from one of them."""
    with options.Scoped(**place) as agent:
        removed = agent.lessons.revoke(origin)
    if as_json:
        dump([lesson.id for lesson in removed])
        return
    say(f"OK: removed {plural(len(removed), 'lesson')} of {origin}")


for _bulk in (lesson_bulk.export, lesson_bulk.import_, lesson_bulk.embed):
    command.add_command(_bulk)
