"""`hardwon lesson`: many lessons at once: `export`, `import`, `embed`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

import hardwon
from hardwon.core.settings import load
from hardwon.core.text.clean import plural
from hardwon.surfaces.cli import options
from hardwon.surfaces.cli.lesson_list import show_rows
from hardwon.surfaces.cli.output import dump, say
from hardwon.surfaces.cli.progress import Progress

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hardwon import Lesson


@click.command()
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


@click.command("import")
@click.argument("source")
@click.option(
    "--trust", is_flag=True, help="You vouch for them: use them at once, including guards."
)
@click.option(
    "--from-tenant",
    default="",
    help="The tenant to read, in a store of several; default: --tenant.",
)
@click.option("--from-agent", default="", help="The agent to read; default: --agent; `*`: all.")
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
    say(_imported(lessons))
    if lessons and not trust:
        say("They are not used yet: `hardwon lesson approve ID`, or import again with --trust.")


@click.command()
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


def _imported(lessons: Sequence[Lesson]) -> str:
    """The summary of an import."""
    if not lessons:
        return "(nothing to import)"
    distinct = len({lesson.id for lesson in lessons})
    duplicates = f"; {len(lessons) - distinct:,} of them repeat another" * (distinct < len(lessons))
    return f"{plural(len(lessons), 'lesson')} imported{duplicates}"
