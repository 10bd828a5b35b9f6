"""`hardwon recall`: which lessons would be shown, and why; `how` and `fix`: what worked."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from hardwon.core.settings import load
from hardwon.core.text.clean import clip, one_line, plural
from hardwon.engine.pipeline import inject
from hardwon.engine.runtime import utc_now
from hardwon.surfaces.cli import options
from hardwon.surfaces.cli.output import age, dump, say, table

if TYPE_CHECKING:
    from hardwon.core.values.report import Answer
    from hardwon.knowledge.ranking.scores import Judged

_BUDGET = 10_000  # tokens: more than an agent gets


@click.command("recall")
@click.argument("text")
@click.option("--tool", help="TEXT is a pending call of this tool, not a prompt.")
@click.option("--error", is_flag=True, help="TEXT is an error that was just met, not a prompt.")
@click.option("--explain", is_flag=True, help="Show every candidate, its score and the verdict.")
@click.option(
    "--meaning/--no-meaning",
    default=None,
    help="Find lessons by meaning, too (default: as recall.embedder says; else minilm).",
)
@click.option("--hyde", is_flag=True, help="Let the model imagine a lesson and search with it.")
@options.scope_here
@options.as_json
def command(
    text: str,
    tool: str | None,
    error: bool,
    explain: bool,
    meaning: bool | None,
    hyde: bool,
    as_json: bool,
    **place: Any,
) -> None:
    """Show what the agent would get for the prompt, pending call or error TEXT."""
    door = "error" if error else "action" if tool else "turn"
    settings = options.with_meaning(load(place["home"]), meaning)
    with options.Scoped(**place, settings=settings) as agent:
        judged = agent.explain(door, text, tool=tool or "bash", hyde=hyde or None)
    if not as_json:
        options.say_where(agent.scope)
    if explain:
        dump([_plain(candidate) for candidate in judged]) if as_json else _explain(judged)
    else:
        lessons = [candidate.match.lesson for candidate in judged if not candidate.verdict]
        block = inject.render(lessons, door=door, budget=_BUDGET)
        if as_json:
            dump({"text": block.text, "lessons": block.lessons})
        elif block.text:
            say(block.text)
        else:
            hint = "--explain shows all candidates, and why they are not shown"
            say(f"(nothing fits)\n{hint}", dim=True)


def _explain(judged: Sequence[Judged]) -> None:
    if not judged:
        say("(no candidate shares anything with it)", dim=True)
        return
    rows = [("score", "lesson", "made of", "shown?")]
    for candidate in judged:
        parts = " ".join(f"{name} {value:.2f}" for name, value in candidate.parts)
        lesson = candidate.match.lesson
        label = f"#{lesson.id} {clip(one_line(lesson.headline()), 48)}"
        rows.append((f"{candidate.score:.3f}", label, parts, candidate.verdict or "yes"))
    table(rows)


def _plain(candidate: Judged) -> dict[str, Any]:
    return {
        "lesson": candidate.match.lesson.id,
        "score": round(candidate.score, 4),
        "parts": {name: round(value, 4) for name, value in candidate.parts},
        "shared_words": candidate.match.shared,
        "cosine": round(candidate.match.cosine, 4),
        "same_failure": candidate.match.is_same_failure,
        "calls": [key for key, _ in candidate.match.calls],
        "verdict": candidate.verdict or "shown",
    }


_LIMIT = click.option("--limit", default=5, show_default=True, help="At most this many.")


@click.command("how")
@click.argument("words", nargs=-1, required=True)
@_LIMIT
@options.scope_here
@options.as_json
def how_command(words: Sequence[str], limit: int, as_json: bool, **place: Any) -> None:
    """Show the calls that worked for WORDS: in this project first, then in others."""
    with options.Scoped(**place) as agent:
        answers = agent.how(" ".join(words), limit=limit, is_for_person=True)
        _print_answers(answers, as_json=as_json)


@click.command("fix")
@click.argument("error")
@_LIMIT
@options.scope_here
@options.as_json
def fix_command(error: str, limit: int, as_json: bool, **place: Any) -> None:
    """Show what got past ERROR (`-` reads it): in this project first, then in others."""
    text = sys.stdin.read() if error == "-" else error
    with options.Scoped(**place) as agent:
        _print_answers(agent.fix(text, limit=limit), as_json=as_json)


def _print_answers(answers: Sequence[Answer], *, as_json: bool) -> None:
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
