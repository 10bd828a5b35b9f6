"""`hardwon lesson`: list, search, show, change, export and import lessons."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import click

import hardwon
from hardwon import Lesson, Scope
from hardwon.api.lessons import MOST, MOST_FOUND, Lessons
from hardwon.core.errors import NotFound
from hardwon.core.settings import load
from hardwon.core.text.clean import one_line, plural
from hardwon.core.values import plain
from hardwon.core.values.lesson import Evidence, Kind, Status, confirmation, evidence_of, statuses
from hardwon.core.values.report import Exposure, LessonVerdict
from hardwon.knowledge.reading.guards import guard_of
from hardwon.surfaces.cli import options
from hardwon.surfaces.cli.options import Group
from hardwon.surfaces.cli.output import Progress, dump, fit_rows, say, say_folded, width
from hardwon.surfaces.presentation import wording


class LessonLookup(options.Scoped):
    """Opens the store for a lesson; prints the project, or where else a missing lesson is."""

    def __init__(self, *, as_json: bool, **place: Any) -> None:
        super().__init__(**place)
        self._is_quiet = as_json

    def __enter__(self) -> hardwon.Agent:
        self._agent = super().__enter__()
        return self._agent

    def __exit__(self, *raised: object) -> None:
        try:
            error = raised[1]
            if isinstance(error, NotFound) and error.kind == "lesson":
                self._point_elsewhere(error.name)
            elif error is None and not self._is_quiet:
                options.say_where(self._agent.scope)
        finally:
            super().__exit__()

    def _point_elsewhere(self, number: Any) -> None:
        scope = self._agent.lessons.place_of(number)
        if scope is None:
            raise NotFound("lesson", number, hint="; `hardwon lesson list` names those here")
        where = f"hardwon lesson show {number} {options.scope_options(scope)}"
        raise NotFound("lesson", number, hint=f" here; it is elsewhere: {where}")


def lesson_id(text: str) -> int:
    """`7` or `#7`."""
    digits = text.removeprefix("#")
    if not (digits.isascii() and digits.isdigit() and len(digits) < 19):
        raise click.UsageError(f"lesson id {text!r} is not a number")
    return int(digits)


_SEEN = "When you see "  # how most lessons begin; a table has better use for the room


def first_lessons(lessons: Lessons, limit: int, status: str) -> Sequence[Lesson]:
    """The first lessons, and one more if there are more."""
    return lessons.list(limit=_with_one_more(limit, MOST), status=status)


def found_lessons(lessons: Lessons, text: str, limit: int) -> Sequence[Lesson]:
    """The lessons that a text finds, and one more if there are more."""
    return lessons.search(text, limit=_with_one_more(limit, MOST_FOUND))


def _with_one_more(limit: int, most: int) -> int:
    """One more than the limit, to see whether there are more; never above `most`."""
    return limit + 1 if 1 <= limit < most else limit


def show_lessons(
    lessons: Sequence[Lesson],
    as_json: bool,
    *,
    limit: int,
    none: str,
    head: tuple[str, ...],
    scope: Scope,
) -> None:
    """Print the first lessons as a table under a heading, or as JSON; say that there are more."""
    first = lessons[:limit]
    if as_json:
        dump(first)
        return
    counted = plural(len(first), *head)
    more = ", and more: --limit shows them" if len(lessons) > limit else ":"
    nothing = f"({none}{options.where(scope, joined='or')})"
    say(f"{counted}{options.where(scope)}{more}" if first else nothing)
    show_rows(first)


def show_rows(lessons: Sequence[Lesson]) -> None:
    """Columns: number, state, how often it was shown, when it applies, and what to do."""
    rows = fit_rows([_cells(lesson) for lesson in lessons], room=width() - 2)
    for lesson, row in zip(lessons, rows, strict=True):
        say(f"  {row}")
        reasons = evidence_of(lesson, Kind.QUARANTINED)
        for reason in reasons if lesson.status == Status.QUARANTINED else ():
            say(f"      held back: {reason}", dim=True)


def row(lesson: Lesson) -> str:
    """A lesson on one line: its number, when it applies, and what to do."""
    return f"#{lesson.id} [{one_line(lesson.headline())}] {one_line(lesson.correction)}"


def _cells(lesson: Lesson) -> tuple[str, ...]:
    hits = f"shown {lesson.hits:,}" if lesson.hits else ""
    label = f"[{one_line(lesson.headline()).removeprefix(_SEEN)}]"
    return f"#{lesson.id}", lesson.status, hits, label, one_line(lesson.correction)


_LABELS = {
    Kind.MET: "met",
    Kind.TRIED: "tried without effect",
    Kind.SESSION: "read in",
    Kind.JOB: "reflected on in job",
    Kind.PARENT: "made of lesson",
    Kind.APPROVED: "approved by",
    Kind.QUARANTINED: "held back",
    Kind.RETIRED: "retired, shown to few runs from now on",
    Kind.SHOWN_BY: "shown by the steps of run",
    Kind.CONFIRMED: "worked in run",
    Kind.WEAKENED: "failed in run",
    Kind.WITHDRAWN: "withdrawn",
    Kind.DIFFERS: "contradicts lesson",
    Kind.NOTE: "note",
}
_LENGTH = 200  # characters of a piece of evidence


def history_lines(
    lesson: Lesson, exposures: Sequence[Exposure], verdict: LessonVerdict | None
) -> Iterator[str]:
    """The history of a lesson, one event per line; empty when nothing is known."""
    for piece in lesson.evidence:
        if piece.kind in _LABELS:
            yield f"  {_when(piece)}  {_LABELS[piece.kind]}: {one_line(_value(piece), _LENGTH)}"
    for fix in lesson.fixes:
        record = f"worked in {plural(fix.worked, 'run')}, failed in {fix.failed}"
        yield f"  fix ({record}): {one_line(fix.text, _LENGTH)}"
    for exposure in exposures:
        followed = exposure.outcome or "outcome unknown"
        times = plural(exposure.times, "time")
        shown = f"shown {wording.DOORS.get(exposure.door, exposure.door)}"
        yield f"  {exposure.last:%Y-%m-%d}  {shown}, {times}: {followed}"
    if verdict is not None:
        rates = wording.rates(verdict)
        yield f"  proof: {wording.verdict(verdict)}" + (f"; {rates}" if rates else "")


def _value(piece: Evidence) -> str:
    """The text of a piece of evidence; for a retirement without the digest of the wording."""
    return piece.value.partition(": ")[2] if piece.kind == Kind.RETIRED else piece.value


def _when(piece: Evidence) -> str:
    return f"{datetime.fromtimestamp(piece.at, UTC):%Y-%m-%d}" if piece.at > 0 else " (undated)"


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
    for line in history_lines(lesson, exposures, verdict):
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


@command.command()
@click.option(
    "--form",
    type=options.Choice(["jsonl", "markdown"]),
    default="jsonl",
    show_default=True,
    help="The format of the pack.",
)
@click.option("--output", type=click.Path(dir_okay=False), help="A file; else standard output.")
@options.scope
def export(form: str, output: str | None, **place: Any) -> None:
    """Write all active lessons as a pack that can be kept in a repository."""
    with options.Scoped(**place) as agent:
        pack = agent.lessons.export(form=form)
    if output is None:
        click.echo(pack.encode(), nl=False)  # a pack is UTF-8, whatever the locale is
        return
    with open(output, "w", encoding="utf-8") as file:
        file.write(pack)
    count = pack.count("\n" if form == "jsonl" else "\n## ")
    say(f"OK: wrote {plural(count, 'lesson')} to {output}")


@command.command("import")
@click.argument("source")
@click.option(
    "--trust", is_flag=True, help="You vouch for them: use them at once, including guards."
)
@click.option(
    "--from-tenant",
    default="",
    help="The tenant to read, in a store of several; default: --tenant.",
)
@click.option(
    "--from-agent",
    default="",
    help="The agent to read; default: --agent; `*`: all, and each keeps its own.",
)
@options.verbose
@options.scope
@options.as_json
def import_(
    source: str,
    trust: bool,
    from_tenant: str,
    from_agent: str,
    verbose: bool,
    as_json: bool,
    **place: Any,
) -> None:
    """Import the lessons at SOURCE. They wait in quarantine until you approve them.

    A pack (.jsonl, .md), a memory_index.json, a database with a `lessons` table, a folder of
    reflections (NNN.json) or of insights (.insights), or redis:// with `reflection:*` keys.
    """
    origin = {"from_tenant": from_tenant, "from_agent": from_agent}
    progress = Progress("Importing", is_quiet=as_json, kept=lambda _: "nothing was imported")
    with options.Scoped(**place) as agent, progress as tell:
        lessons = agent.lessons.import_from(source, trust=trust, **origin, tell=tell)
    if as_json:
        dump(lessons)
        return
    show_rows(lessons if verbose else ())
    say(_import_summary(lessons))
    if lessons and not trust:
        say("They are not used yet: `hardwon lesson approve ID`, or import again with --trust.")


@command.command()
@options.home
@options.as_json
def embed(home: str | None, as_json: bool) -> None:
    """Embed every lesson without a vector; a worker does this by itself.

    The embedder is recall.embedder, or minilm when that is empty.
    """
    with hardwon.open(settings=options.with_meaning(load(home), True)) as hw:
        _, before, active = hw.vectors.counts()
        with Progress("Embedding", is_quiet=as_json, kept=_vectors_kept) as tell:
            tell(0, active - before)
            count = hw.vectors.fill(lambda done: tell(done, active - before))
        name, have, active = hw.vectors.counts()
    if as_json:
        dump({"embedder": name, "made": count, "embedded": have, "active": active})
        return
    having = f"{have:,} of {plural(active, 'lesson')} have one"
    say(f"OK: {plural(count, 'vector')} made by {name}; {having}")


def _vectors_kept(done: int) -> str:
    return f"{plural(done, 'vector')} kept; run it again for the others"


def _import_summary(lessons: Sequence[Lesson]) -> str:
    """The summary of an import."""
    if not lessons:
        return "(nothing to import)"
    distinct = len({lesson.id for lesson in lessons})
    duplicates = f"; {len(lessons) - distinct:,} of them repeat another" * (distinct < len(lessons))
    return f"{plural(len(lessons), 'lesson')} imported{duplicates}"
