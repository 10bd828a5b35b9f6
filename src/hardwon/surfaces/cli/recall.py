"""`hardwon recall`: which lessons would be shown, and why; `how` and `fix`: what worked."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import click

from hardwon import Agent
from hardwon.core.settings import load
from hardwon.core.text.clean import clip, one_line, plural
from hardwon.core.values.report import Answer
from hardwon.engine.pipeline import inject
from hardwon.engine.runtime import utc_now
from hardwon.knowledge.ranking.scores import Judged
from hardwon.surfaces.cli import options
from hardwon.surfaces.cli.options import flag, option
from hardwon.surfaces.cli.output import Output, age, emit, is_json, say, table

_BUDGET = 10_000  # tokens: more than an agent gets
_LIMIT = options.limit(default=5)


@click.command("recall")
@click.argument("text")
@option("--tool", "TEXT is a pending call of this tool, not a prompt.")
@flag("--error", "TEXT is an error that was just met, not a prompt.")
@flag("--explain", "Show every candidate, its score and the verdict.")
@option(
    "--meaning/--no-meaning",
    "Find lessons by meaning, too (default: as recall.embedder says; else minilm).",
    default=None,
)
@flag("--hyde", "Let the model imagine a lesson and search with it.")
@options.scope_here
@options.as_json
def command(
    text: str,
    tool: str | None,
    error: bool,
    explain: bool,
    meaning: bool | None,
    hyde: bool,
    **place: Any,
) -> None:
    """Show what the agent would get for the prompt, pending call or error TEXT."""
    door = "error" if error else "action" if tool else "turn"
    settings = options.with_meaning(load(place["home"]), meaning)
    with options.open_agent(**place, settings=settings) as agent:
        judged = agent.explain(door, text, tool=tool or "bash", hyde=hyde or None)
    if not is_json():
        options.say_where(agent.scope)
    if explain:
        emit(_explanation(judged))
        return
    lessons = [candidate.match.lesson for candidate in judged if not candidate.verdict]
    block = inject.render(lessons, door=door, budget=_BUDGET)
    nothing = "(nothing fits)\n--explain shows all candidates, and why they are not shown"
    value = {"text": block.text, "lessons": block.lessons}
    emit(Output(value, lambda: say(block.text) if block.text else say(nothing, dim=True)))


def _explanation(judged: Sequence[Judged]) -> Output:
    rows = [("score", "lesson", "made of", "shown?")]
    values = []
    for candidate in judged:
        match, lesson = candidate.match, candidate.match.lesson
        parts = " ".join(f"{name} {value:.2f}" for name, value in candidate.parts)
        label = f"#{lesson.id} {clip(one_line(lesson.headline()), 48)}"
        rows.append((f"{candidate.score:.3f}", label, parts, candidate.verdict or "yes"))
        value = {
            "lesson": lesson.id,
            "score": round(candidate.score, 4),
            "parts": {name: round(value, 4) for name, value in candidate.parts},
            "shared_words": match.shared,
            "cosine": round(match.cosine, 4),
            "same_failure": match.is_same_failure,
            "calls": [key for key, _ in match.calls],
            "verdict": candidate.verdict or "shown",
        }
        values.append(value)
    nothing = "(no candidate shares anything with it)"
    return Output(values, lambda: table(rows) if judged else say(nothing, dim=True))


@options.verb("how", place=options.scope_here)
@click.argument("words", nargs=-1, required=True)
@_LIMIT
def how_command(agent: Agent, words: Sequence[str], limit: int) -> Output:
    """Show the calls that worked for WORDS: here first, then in the agent's other projects."""
    return _answers(agent, agent.how(" ".join(words), limit=limit, is_for_person=True))


@options.verb("fix", place=options.scope_here)
@click.argument("error")
@_LIMIT
def fix_command(agent: Agent, error: str, limit: int) -> Output:
    """Show what got past ERROR (`-` reads it): here first, then in the agent's other projects."""
    return _answers(agent, agent.fix(sys.stdin.read() if error == "-" else error, limit=limit))


def _answers(agent: Agent, answers: Sequence[Answer]) -> Output:
    """What worked, each with the command that shows its run."""
    name = agent.scope.agent

    def show() -> None:
        if not answers:
            others = sorted({place.agent for place in agent.lessons.elsewhere()} - {name})
            hint = f"; other agents: {', '.join(f'--agent {one}' for one in others)}"
            say(
                f"(nothing that worked is known to the agent {name}{hint * bool(others)})", dim=True
            )
        for answer in answers:
            say(answer.text)
            failed = f", failed {answer.failed}" if answer.failed else ""
            facts = [f"worked {plural(answer.worked, 'time')}{failed}"]
            facts += [answer.project or "everywhere"]
            facts += [f"{age(answer.at, utc_now())} ago"] if answer.at else []
            place = f" --project {answer.project}" if answer.project else ""
            facts += [f"hardwon run show {answer.run} --agent {name}{place}"] if answer.run else []
            say(f"  {'; '.join(facts)}", dim=True)
            if about := answer.about or answer.task:
                say(f"  {clip(one_line(about), 96)}", dim=True)

    return Output(answers, show)
