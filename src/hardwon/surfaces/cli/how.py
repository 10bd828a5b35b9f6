"""`hardwon how` and `hardwon fix`: what worked, for people."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from hardwon.core.text.clean import clip, one_line, plural
from hardwon.engine.runtime import utc_now
from hardwon.surfaces.cli import options
from hardwon.surfaces.cli.output import age, dump, say

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hardwon.api.lookup import Answer

_LIMIT = click.option("--limit", default=5, show_default=True, help="At most this many.")


@click.command("how")
@click.argument("words", nargs=-1, required=True)
@_LIMIT
@options.scope_here
@options.as_json
def command(words: Sequence[str], limit: int, as_json: bool, **place: Any) -> None:
    """Show the calls that worked for WORDS: in this project first, then in others."""
    with options.Scoped(**place) as agent:
        _print(agent.how(" ".join(words), limit=limit), as_json=as_json)


@click.command("fix")
@click.argument("error")
@_LIMIT
@options.scope_here
@options.as_json
def fix(error: str, limit: int, as_json: bool, **place: Any) -> None:
    """Show what got past ERROR (`-` reads it): in this project first, then in others."""
    text = sys.stdin.read() if error == "-" else error
    with options.Scoped(**place) as agent:
        _print(agent.fix(text, limit=limit), as_json=as_json)


def _print(answers: Sequence[Answer], *, as_json: bool) -> None:
    if as_json:
        dump(answers)
        return
    if not answers:
        say("(nothing that worked is known)", dim=True)
    for answer in answers:
        say(answer.text)
        failed = f", failed {answer.failed}" if answer.failed else ""
        facts = [f"worked {plural(answer.worked, 'time')}{failed}", answer.project or "everywhere"]
        facts += [f"{age(answer.at, utc_now())} ago"] if answer.at else []
        facts += [f"hardwon run show {answer.run}"] if answer.run else []
        say(f"  {'; '.join(facts)}", dim=True)
        if about := answer.about or answer.task:
            say(f"  {clip(one_line(about), 96)}", dim=True)
