"""`hardwon lesson`: list, search, show, change, export and import lessons."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import click

import hardwon
from hardwon import Agent, Lesson, Scope
from hardwon.api.lessons import MOST, MOST_FOUND
from hardwon.core.errors import NotFound
from hardwon.core.settings import load
from hardwon.core.text.clean import one_line, plural
from hardwon.core.values import plain
from hardwon.core.values.lesson import Change, Kind, Status, confirmation, evidence_of, statuses
from hardwon.knowledge.reading.guards import guard_of
from hardwon.surfaces import wording
from hardwon.surfaces.cli import options, output
from hardwon.surfaces.cli.options import flag, option
from hardwon.surfaces.cli.output import AGAIN, Output, Progress, emit, is_json, say, write


@contextmanager
def _look_up(*place: Any) -> Iterator[Agent]:
    """Open the store for a lesson; print the project, or where else a missing lesson is."""
    with options.open_agent(*place) as agent:
        try:
            yield agent
        except NotFound as error:
            if error.kind != "lesson":
                raise
            hint, number = "; `hardwon lesson list` names those here", error.name
            if scope := agent.lessons.place_of(number):  # type: ignore[arg-type]
                where = f"hardwon lesson show {number} {options.scope_options(scope)}"
                hint = f" here; it is elsewhere: {where}"
            raise NotFound("lesson", number, hint=hint) from None
    if not is_json():
        options.say_where(agent.scope)


class LessonNumber(click.ParamType[int]):
    """`7` or `#7`."""

    name = "id"

    def convert(self, value: Any, param: Any, ctx: Any) -> int:
        digits = str(value).removeprefix("#")
        if not (digits.isascii() and digits.isdigit() and len(digits) < 19):
            raise click.UsageError(f"lesson id {value!r} is not a number")
        return int(digits)


NUMBER = click.argument("number", metavar="ID", type=LessonNumber())
NUMBER_OR_ALL = click.argument("number", metavar="[ID]", required=False, type=LessonNumber())
ONE = {"place": options.scope_here, "opens": _look_up}  # a verb about one lesson
_SEEN = "When you see "  # how most lessons begin; a table has better use for the room
_LIMIT = options.limit(default=25)
_NAMED = 5  # places named in the hint under a list
_LENGTH = 200  # characters of a piece of evidence


def describe(lesson: Lesson) -> str:
    """A lesson on one line: its number, when it applies, and what to do."""
    return f"#{lesson.id} [{one_line(lesson.headline())}] {one_line(lesson.correction)}"


def change_lines(changes: Sequence[Change]) -> list[str]:
    """The changes of lessons, a line each."""
    lines = [f"{one.at:%Y-%m-%d %H:%M}  {one.act}  was: {describe(one.before)}" for one in changes]
    return lines or ["(no changes)"]


@options.group("lesson")
def command() -> None:
    """Add, list, search, show, edit, guard, approve, delete, undo, export and import lessons."""


@command.verb("list", place=options.scope_here)
@_LIMIT
@option(
    "--status",
    "Only lessons in this state.",
    choices=[Status.ACTIVE, *statuses(Status.ALL), Status.ALL],
    default=Status.ACTIVE,
)
@flag("--quarantined", "Only lessons that wait for approval, with the reason.")
@flag("--open", "Only failures that were met and have no fix.", "unsolved")
@flag("--record", "Each in four lines: LESSON, MISTAKE, CORRECTION, …")
def list_(
    agent: Agent, limit: int, status: str, quarantined: bool, unsolved: bool, record: bool
) -> Output:
    """Lessons, the most recently shown first."""
    status = Status.SEEN if unsolved else Status.QUARANTINED if quarantined else status
    lessons = agent.lessons.list(limit=_with_one_more(limit, MOST), status=status)
    first, elsewhere = lessons[:limit], {} if is_json() else agent.lessons.elsewhere()
    if record:
        return Output(first, lambda: say("\n\n".join(one.render() for one in first)))

    def show() -> None:
        _say_lessons(lessons, limit, "lessons", "lesson", scope=agent.scope)
        places = [f"{n:,} with {options.scope_options(at)}" for at, n in elsewhere.items()]
        if places:
            ellipsis = "; …" if len(places) > _NAMED else ""
            output.say_folded(f"Elsewhere: {'; '.join(places[:_NAMED])}{ellipsis}", dim=True)

    return Output(first, show)


@command.verb("search", place=options.scope_here)
@click.argument("text")
@_LIMIT
def search(agent: Agent, text: str, limit: int) -> Output:
    """Lessons that contain TEXT."""
    lessons = agent.lessons.search(text, limit=_with_one_more(limit, MOST_FOUND))
    names = "matches", "match", "matches"
    return Output(lessons[:limit], lambda: _say_lessons(lessons, limit, *names, scope=agent.scope))


def _with_one_more(limit: int, most: int) -> int:
    """One more than the limit, to see whether there are more; never above `most`."""
    return limit + 1 if 1 <= limit < most else limit


def _say_lessons(
    lessons: Sequence[Lesson], limit: int, none: str, *noun: str, scope: Scope
) -> None:
    """Print the first lessons as a table under a heading; say that there are more."""
    first = lessons[:limit]
    more = ", and more: --limit shows them" if len(lessons) > limit else ":"
    counted = f"{plural(len(first), *noun)}{options.where(scope)}{more}"
    say(counted if first else f"(no {none}{options.where(scope, joined='or')})")
    _say_rows(first)


def _say_rows(lessons: Sequence[Lesson]) -> None:
    """Columns: number, state, how often it was shown, when it applies, and what to do."""
    cells = [
        (
            f"#{lesson.id}",
            lesson.status,
            f"shown {lesson.hits:,}" if lesson.hits else "",
            f"[{one_line(lesson.headline()).removeprefix(_SEEN)}]",
            one_line(lesson.correction),
        )
        for lesson in lessons
    ]
    for lesson, line in zip(lessons, output.fit_rows(cells), strict=True):
        say(line)
        reasons = evidence_of(lesson, Kind.QUARANTINED)
        for reason in reasons if lesson.status == Status.QUARANTINED else ():
            say(f"      held back: {reason}", dim=True)


@command.verb("show", **ONE)
@NUMBER
def show(agent: Agent, number: int) -> Output:
    """One lesson with its history: its origin, where it was shown, what followed."""
    lesson = agent.lessons.get(number)
    exposures, verdict = agent.lessons.exposures(number), agent.lessons.verdict(number)
    value = {**plain(lesson), "exposures": plain(exposures), "verdict": plain(verdict)}

    def lines() -> Iterator[str]:
        yield lesson.render()
        if "\n" in lesson.correction:
            yield "\n".join(f"    {line}" for line in lesson.correction.split("\n"))
        yield f"tags: {', '.join(lesson.all_tags())}"
        yield (
            f"id: #{lesson.id}  status: {lesson.status}  shown: {lesson.hits}  met: {lesson.met}"
            f"  confidence: {lesson.confidence:.2f}  by: {lesson.author}  from: {lesson.origin}"
        )
        for _, label, words, at in wording.evidence(lesson):
            day = f"{at:%Y-%m-%d}" if at else " (undated)"
            yield f"  {day}  {label}: {one_line(words, _LENGTH)}"
        for fix in lesson.fixes:
            record = f"worked in {plural(fix.worked, 'run')}, failed in {fix.failed}"
            yield f"  fix ({record}): {one_line(fix.text, _LENGTH)}"
        for one in exposures:
            shown = f"shown {wording.DOORS.get(one.door, one.door)}, {plural(one.times, 'time')}"
            yield f"  {one.last:%Y-%m-%d}  {shown}: {one.outcome or 'outcome unknown'}"
        if verdict is not None:
            rates = wording.rates(verdict)
            yield f"  proof: {wording.verdict(verdict)}" + (f"; {rates}" if rates else "")

    return Output(value, lines())


@command.verb("edit", **ONE)
@NUMBER
@option("--situation", "When it applies.")
@option("--mistake", "What went wrong.")
@option("--correction", "What to do instead.")
def edit(agent: Agent, number: int, **texts: str | None) -> Output:
    """Change the words of a lesson."""
    changes: Any = {name: text for name, text in texts.items() if text is not None}
    if not changes:
        raise click.UsageError("name what to change: --situation, --mistake or --correction")
    lesson = agent.lessons.edit(number, **changes)
    return Output(lesson, lesson.render())


@command.verb("add")
@click.argument("situation")
@click.argument("correction")
@option("--mistake", "What went wrong.", default="")
@option("--tag", "A tag; may be repeated.", "tags", multiple=True)
def add(
    agent: Agent, situation: str, correction: str, mistake: str, tags: tuple[str, ...]
) -> Output:
    """Add a lesson: when it applies (SITUATION), and what to do then (CORRECTION)."""
    lesson = agent.lessons.add(situation, correction, mistake=mistake, tags=tags)
    return Output(lesson, confirmation(lesson))


@command.verb("guard", **ONE)
@NUMBER
@option("--call", "Deny this call, * matches anything; default: its own calls.", default="")
@option("--tool", "The tool of that call.", default="bash")
@flag("--off", "Allow the calls again.")
def guard(agent: Agent, number: int, call: str, tool: str, off: bool) -> Output:
    """Deny the exact calls of a lesson, or the call in --call; hooks refuse them."""
    lesson = agent.lessons.guard(number, call=call, tool=tool, on=not off)
    if not lesson.guard:
        return Output(lesson, f"OK: #{lesson.id} no longer guards its calls")
    denied = (f"  {forbidden}".replace("\0", " ") for forbidden in guard_of(lesson).calls)
    head = f"OK: #{lesson.id} guards; only these calls are denied from now on:"
    return Output(lesson, [head, *denied])


@command.verb("history", **ONE)
@NUMBER_OR_ALL
def history(agent: Agent, number: int | None) -> Output:
    """The changes of one lesson or of all, newest first."""
    changes = agent.lessons.history(number)
    return Output(changes, change_lines(changes))


@command.verb("undo", **ONE)
@NUMBER_OR_ALL
def undo(agent: Agent, number: int | None) -> Output:
    """Undo the newest edit, guard or deletion, of one lesson or of all."""
    newest = next(iter(agent.lessons.history(number)), None)
    lesson = agent.lessons.undo(number)
    return Output(lesson, f"OK: undid “{newest.act if newest else 'change'}”: {describe(lesson)}")


@command.verb("delete", **ONE)
@NUMBER
def delete(agent: Agent, number: int) -> Output:
    """Remove a lesson; `undo` brings it back under a new id."""
    lesson = agent.lessons.get(number)
    agent.lessons.delete(number)
    return Output(lesson, f"OK: deleted #{number}")


@command.verb("approve", **ONE)
@NUMBER
def approve(agent: Agent, number: int) -> Output:
    """Release a lesson from quarantine: you have read it, and it is harmless."""
    lesson = agent.lessons.approve(number)
    return Output(lesson, f"OK: #{lesson.id} may be delivered")


@command.verb("revoke")
@option("--origin", "An origin, author, job:<id> or way of learning.", required=True)
def revoke(agent: Agent, origin: str) -> Output:
    """Remove every lesson of an origin, and every lesson merged from one of them."""
    removed = [lesson.id for lesson in agent.lessons.revoke(origin)]
    return Output(removed, f"OK: removed {plural(len(removed), 'lesson')} of {origin}")


@command.command()
@option("--form", "The format of the pack.", choices=["jsonl", "markdown"], default="jsonl")
@option("--output", "A file; else standard output.", type=click.Path(dir_okay=False))
@options.scope
def export(form: str, output: str | None, **place: Any) -> None:
    """Write all active lessons as a pack that can be kept in a repository."""
    with options.open_agent(**place) as agent:
        pack = agent.lessons.export(form=form)
    if output is None:
        click.echo(pack.encode(), nl=False)  # a pack is UTF-8, whatever the locale is
        return
    write(output, pack)
    count = pack.count("\n" if form == "jsonl" else "\n## ")
    say(f"OK: wrote {plural(count, 'lesson')} to {output}")


@command.verb("import")
@click.argument("source")
@flag("--trust", "You vouch for them: use them at once, including guards.")
@option(
    "--from-tenant", "The tenant to read, in a store of several; default: --tenant.", default=""
)
@option(
    "--from-agent",
    "The agent to read; default: --agent; `*`: all, and each keeps its own.",
    default="",
)
@options.verbose
def import_(agent: Agent, source: str, trust: bool, verbose: bool, **origin: str) -> Output:
    """Import the lessons at SOURCE. They wait in quarantine until you approve them.

    A pack (.jsonl, .md), a memory_index.json, a database with a `lessons` table, a folder of
    reflections (NNN.json) or of insights (.insights), or redis:// with `reflection:*` keys.
    """
    with Progress("Importing", kept="nothing was imported") as tell:
        lessons = agent.lessons.import_from(source, trust=trust, **origin, tell=tell)

    def show() -> None:
        _say_rows(lessons if verbose else ())
        repeated = len(lessons) - len({lesson.id for lesson in lessons})
        duplicates = f"; {repeated:,} of them repeat another" * bool(repeated)
        counted = f"{plural(len(lessons), 'lesson')} imported{duplicates}"
        say(counted if lessons else "(nothing to import)")
        if lessons and not trust:
            say("They are not used yet: `hardwon lesson approve ID`, or import again with --trust.")

    return Output(lessons, show)


@command.command()
@options.home
@options.as_json
def embed(home: str | None) -> None:
    """Embed every lesson without a vector; a worker does this by itself.

    The embedder is recall.embedder, or minilm when that is empty.
    """
    with hardwon.open(settings=options.with_meaning(load(home), True)) as hw:
        _, before, active = hw.vectors.counts()
        with Progress("Embedding", kept="{} kept" + AGAIN, of="vector") as tell:
            tell(0, active - before)
            count = hw.vectors.fill(lambda done: tell(done, active - before))
        name, have, active = hw.vectors.counts()
    having = f"{have:,} of {plural(active, 'lesson')} have one"
    value = {"embedder": name, "made": count, "embedded": have, "active": active}
    emit(Output(value, f"OK: {plural(count, 'vector')} made by {name}; {having}"))
