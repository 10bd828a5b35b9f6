"""Items that an agent writes about its own run before it ends: asked for once, checked like all."""

from __future__ import annotations

import hashlib
import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from hardwon.core.text.clean import one_line
from hardwon.core.values.run import RunSoFar, Step, run_id
from hardwon.engine.pipeline import news, playbook
from hardwon.engine.runtime import prompt_text
from hardwon.knowledge.evidence.advice import programs
from hardwon.learn.reader.answer import Answer
from hardwon.learn.reader.changes import Outcome, Reading, apply
from hardwon.learn.reader.checks import folded, missing, quotes
from hardwon.learn.reader.reading import earlier_programs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hardwon.core.values.scope import Scope
    from hardwon.engine.runtime import Runtime
    from hardwon.learn.reader.answer import Item

AGENT = "agent"  # the author of an item that the agent itself wrote
_CITED = 3  # steps that an item is found to be shown by
_HEADLINES, _HEADLINE = 40, 110  # known items in a request, and characters of each
_WORD = re.compile(r"[^\W\d_]{5,}")


def request(engine: Runtime, scope: Scope, name: str, past: RunSoFar, *, command: str) -> str:
    """The words that ask the agent for its items; "" if its run holds nothing new.

    `command` is what the agent runs to write them down.
    """
    items = playbook.items(scope, engine.store.lessons, engine.clock())
    prompts = len(past.prompts)
    if not news.news(past.steps, items, prompts=prompts):
        return ""  # cheap, as it needs no earlier runs
    earlier = earlier_programs(engine, scope, but=_id(name, past))
    if not news.news(past.steps, items, prompts=prompts, earlier=earlier):
        return ""
    lines = (f"- {one_line(item.situation, _HEADLINE)}" for item in items[:_HEADLINES])
    known = "\n".join(("Known already, so do not repeat it:", *lines)) if items else ""
    text = prompt_text("ask").replace("{known}\n", f"{known}\n" if known else "")
    return text.replace("{command}", command).rstrip("\n")


def write_down(
    engine: Runtime, scope: Scope, items: Sequence[Item], *, name: str, past: RunSoFar
) -> Outcome:
    """Add the items to the playbook, as far as the steps of the run support them."""
    store, now = engine.store, engine.clock()
    known = dict(enumerate(playbook.items(scope, store.lessons, now), start=1))
    task = "\n".join(text for _, text in past.prompts) or past.task
    run, steps = _id(name, past), past.steps
    content = repr((run, [(item.when, item.do) for item in items]))
    job = f"ask-{hashlib.sha256(content.encode()).hexdigest()[:16]}"  # the same call counts once
    answer = Answer(add=tuple(item._replace(steps=shown_by(item, steps)) for item in items))
    with store.together():
        by = Reading(scope, job, run, AGENT, task, steps, now)
        outcome = apply(answer, known, by=by, store=store)
    engine.note_reading()
    return outcome


def shown_by(item: Item, steps: Sequence[Step]) -> tuple[int, ...]:
    """The numbers of the steps that show an item: that hold most of what it quotes, or its words.

    What stands in few steps counts more. An item about a failure also cites the failing call
    before the one that worked.
    """
    said = f"{item.when}\n{item.wrong}\n{item.do}"
    texts = [folded(f"{step.args}\n{step.output}") for step in steps]
    scores = dict.fromkeys(range(len(steps)), 0.0)
    for part in quotes(said) or set(_WORD.findall(said)):
        places = [at for at, text in enumerate(texts) if not missing(f"`{part}`", text)]
        scores |= {at: scores[at] + 1 / len(places) for at in places}
    holding = (at for at, score in scores.items() if score)
    best = sorted(holding, key=lambda at: (-scores[at], at))[:_CITED]
    failing = _failing_before(best, steps) if item.wrong else []
    return tuple(sorted(at + 1 for at in {*best, *failing}))


def _failing_before(cited: Sequence[int], steps: Sequence[Step]) -> list[int]:
    """The last failing step before the cited ones that calls a program of theirs."""
    if not cited or any(steps[at].failed for at in cited):
        return []
    called = programs(steps[at] for at in cited)
    earlier = range(min(cited) - 1, -1, -1)
    return [at for at in earlier if steps[at].failed and programs([steps[at]]) & called][:1]


def _id(name: str, past: RunSoFar) -> str:
    return run_id(name, datetime.fromtimestamp(past.begun, UTC))
