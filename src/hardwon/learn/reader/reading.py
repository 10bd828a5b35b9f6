"""Change the playbook by what a run shows: as a model reads it, or as the agent itself writes.

Either is asked once, only about a run with something new, and checked alike.
"""

from __future__ import annotations

import hashlib
import logging
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime

from hardwon.core.errors import InvalidInput, NotFound, PermanentError, SetupError
from hardwon.core.settings import Settings
from hardwon.core.text.clean import one_line
from hardwon.core.text.grounding import QUOTED, fold_text, missing
from hardwon.core.values.job import SKIPPED, Job
from hardwon.core.values.lesson import Kind, Lesson, Status, values_of
from hardwon.core.values.report import Window
from hardwon.core.values.run import Episode, RunSoFar, Step, run_id
from hardwon.core.values.scope import Scope
from hardwon.engine.pipeline import playbook
from hardwon.engine.pipeline.ending import prompts_of
from hardwon.engine.runtime import Runtime, prompt_text
from hardwon.knowledge.evidence.advice import programs
from hardwon.learn.reader.answer import SCHEMA, Answer, Item, parse
from hardwon.learn.reader.changes import Outcome, Reading, apply
from hardwon.learn.reader.request import item_line, request
from hardwon.models import ask
from hardwon.storage.ports import Request, Store

log = logging.getLogger("hardwon")

AGENT = "agent"  # the author of an item that the agent itself wrote
_CITED = 3  # steps that an item is found to be shown by
_HEADLINES, _HEADLINE = 40, 110  # known items in a request, and characters of each
_WORD = re.compile(r"[^\W\d_]{5,}")
_RUNS = 50  # earlier runs whose calls are known
_LISTED = 12_000  # characters of the playbook in a request
_WORDS = 0.55  # words of an item for each token that it takes: commands have long words
_LOOKED_AT = 500  # latest lessons among which the work of a job is looked for


async def process(engine: Runtime, job: Job) -> str | None:
    """Let the model read a queued run, and change the playbook; SKIPPED if nothing is new."""
    if not _has_model(engine) or _is_applied(engine, job):
        return SKIPPED
    episode, store = job.episode, engine.store
    items = playbook.items(episode.scope, store.lessons, engine.clock())
    earlier = earlier_programs(engine, episode.scope, but=episode.signal("run"))
    said = len(prompts_of(episode))
    if not playbook.news(episode.steps, items, prompts=said, error=episode.error, earlier=earlier):
        return SKIPPED
    known = dict(enumerate(items, start=1))
    firsts = playbook.first_calls(episode.steps, items, earlier)
    asked = _request(episode, known, firsts, settings=engine.settings)
    answer, author = await ask(engine.model, asked, parse)
    engine.note_reading()
    run = episode.signal("run") or job.id
    task, steps, now = episode.task, episode.steps, engine.clock()
    with store.together():
        reading = Reading(episode.scope, job.id, run, author, task, steps, now)
        outcome = apply(answer, _present(known, store), by=reading, store=store)
    for item, why in outcome.refused:
        log.info("the reader's item “%s” is not kept: %s", item.when, why)
    return None if outcome else SKIPPED


def _present(known: Mapping[int, Lesson], store: Store) -> dict[int, Lesson]:
    """The items as they are now; those that were removed while the model read are left out."""
    present: dict[int, Lesson] = {}
    for number, item in known.items():
        with suppress(NotFound):
            lesson = store.lessons.get(item.scope, item.id)
            present |= {number: lesson} if lesson.status == Status.PROVEN else {}
    return present


def _request(
    episode: Episode, known: Mapping[int, Lesson], firsts: Sequence[int], *, settings: Settings
) -> Request:
    """The request about a run; items that the run makes doubtful are marked."""
    words = round(settings.recall.start_tokens * _WORDS, -1)
    verdicts = playbook.verdicts(list(known.values()), episode.steps)
    failed = {verdict.item.id: verdict.step for verdict in verdicts if not verdict.holds}
    lines, room = list[str](), _LISTED
    for number, item in known.items():
        line = item_line(number, item, playbook.sort_of(item), _doubt(item, failed.get(item.id)))
        room -= len(line) + 1
        lines += [line] if room >= 0 else []
    return request(
        system=prompt_text("run").replace("{words}", f"{words:.0f}"),
        playbook=lines,
        prompts=prompts_of(episode),
        ending=(episode.attempt, episode.error),
        steps=episode.steps,
        firsts=firsts,
        schema=SCHEMA,
        tokens=settings.reader.tokens,
    )._replace(episode=episode)


def _doubt(item: Lesson, step: int | None) -> str:
    """Why an item is doubtful; "" if it is not."""
    if step is not None:
        return f"doubtful: step {step} followed it and failed"
    return "doubtful: an earlier run followed it and failed" if playbook.is_doubtful(item) else ""


def _has_model(engine: Runtime) -> bool:
    try:
        return engine.has_model
    except (InvalidInput, SetupError) as error:
        raise PermanentError(f"no model: {error}") from error


def _is_applied(engine: Runtime, job: Job) -> bool:
    """Whether an earlier attempt at this job has changed the playbook and died before its end."""
    scope, lessons = job.episode.scope, engine.store.lessons
    latest = lessons.recent(scope, status=Status.ALL, limit=_LOOKED_AT)
    return any(job.id in values_of(lesson.evidence, Kind.JOB) for lesson in latest)


def earlier_programs(engine: Runtime, scope: Scope, *, but: str) -> set[str]:
    """The programs and tools that the kept runs of the project called, except the run `but`."""
    for _ in engine.collect_runs():
        continue
    window = Window(scope, engine.clock() - engine.settings.runs.keep)
    latest = engine.store.ended_runs.latest(window, limit=_RUNS)
    earlier = (run for run in latest if run.id != but)
    return {program for run in earlier for program in programs(run.steps)}


def agent_request(engine: Runtime, scope: Scope, name: str, past: RunSoFar, *, command: str) -> str:
    """The words that ask the agent for its items; "" if its run holds nothing new.

    `command` is what the agent runs to write them down.
    """
    items = playbook.items(scope, engine.store.lessons, engine.clock())
    prompts = len(past.prompts)
    if not playbook.news(past.steps, items, prompts=prompts):
        return ""  # cheap, as it needs no earlier runs
    earlier = earlier_programs(engine, scope, but=_id(name, past))
    if not playbook.news(past.steps, items, prompts=prompts, earlier=earlier):
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
    texts = [fold_text(f"{step.args}\n{step.output}") for step in steps]
    scores = dict.fromkeys(range(len(steps)), 0.0)
    for part in QUOTED.findall(said) or set(_WORD.findall(said)):
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
