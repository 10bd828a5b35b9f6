"""`hardwon recall`: which lessons would be shown, and why."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from hardwon.core.settings import load
from hardwon.core.text.clean import clip, one_line
from hardwon.core.values.lesson import Lesson
from hardwon.engine.pipeline import inject
from hardwon.surfaces.cli import options
from hardwon.surfaces.cli.output import dump, say, table

if TYPE_CHECKING:
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
        _show(inject.render(_accepted(judged), door=door, budget=_BUDGET), as_json=as_json)


def _accepted(judged: Sequence[Judged]) -> list[Lesson]:
    return [candidate.match.lesson for candidate in judged if not candidate.verdict]


def _show(block: inject.Block, *, as_json: bool) -> None:
    if as_json:
        dump({"text": block.text, "lessons": block.lessons})
    elif block.text:
        say(block.text)
    else:
        say("(nothing fits)\n--explain shows all candidates, and why they are not shown", dim=True)


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
