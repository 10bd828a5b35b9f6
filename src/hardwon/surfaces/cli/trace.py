"""`hardwon trace`: learn from traces of agents in any framework."""

from __future__ import annotations

from collections import Counter
from typing import Any

import click

from hardwon.core.text.clean import plural
from hardwon.learn.transcripts.past import LEARNT, Learnt
from hardwon.surfaces.cli import options
from hardwon.surfaces.cli.options import Group
from hardwon.surfaces.cli.output import Progress, complain, dump, say


@click.group("trace", cls=Group)
def command() -> None:
    """Learn from traces that agents send as OpenTelemetry (OTLP).

    \b
    hardwon trace import traces.jsonl    what the collector's file exporter wrote
    hardwon serve                        takes them at POST /v1/traces
    """


@command.command("import")
@click.argument("files", nargs=-1, required=True, type=click.Path())
@options.scope
@options.as_json
def import_(files: tuple[str, ...], as_json: bool, **place: Any) -> None:
    """Record the traces in FILES (OTLP as JSON lines, perhaps gzipped) as runs.

    Exports of Phoenix, LangSmith and Langfuse are read, too.

    A run goes into the project that --project names, else its resource (`hardwon.project`, or
    `service.name`). Importing twice adds nothing.
    """
    skipped: Counter[str] = Counter()
    runs: list[Learnt] = []
    kept = "the runs so far are recorded; run it again for the others"
    with (
        options.Scoped(**place) as agent,
        Progress("Importing", is_quiet=as_json, kept=lambda _: kept) as tell,
    ):
        for number, file in enumerate(files, 1):
            tell(number, len(files))
            runs += agent.traces.import_file(file, skipped)
    recorded = [run for run in runs if run.status == LEARNT]
    steps, failed = sum(run.steps for run in runs), sum(run.failed for run in runs)
    if as_json:
        counts = {"steps": steps, "failures": failed, "skipped": dict(skipped)}
        dump({"runs": recorded, **counts, "without_calls": len(runs) - len(recorded)})
        return
    say(f"{plural(len(recorded), 'run')} recorded: {plural(steps, 'call')}, {failed:,} failed")
    if len(runs) > len(recorded):
        say(f"  {plural(len(runs) - len(recorded), 'trace')} without a new call left out", dim=True)
    for reason, count in skipped.items():
        complain(f"left out {plural(count, 'line')}: {reason}")
