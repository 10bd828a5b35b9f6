"""Change the playbook by what a run shows: as a model reads it, or as the agent itself writes.

Either is asked once, only about a run with something new, and checked alike.
"""

from __future__ import annotations

import hashlib
import logging
import re
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime

from hardwon.core.errors import InvalidInput, NotFound, PermanentError, SetupError
from hardwon.core.settings import Settings
from hardwon.core.text.clean import clip_middle, one_line
from hardwon.core.text.grounding import QUOTED, fold_text, missing
from hardwon.core.values.job import SKIPPED, Job
from hardwon.core.values.lesson import Kind, Lesson, Status, evidence_of
from hardwon.core.values.report import Window
from hardwon.core.values.run import Episode, RunSoFar, Step, run_id
from hardwon.core.values.scope import Scope
from hardwon.engine.pipeline import confirm, playbook
from hardwon.engine.pipeline.ending import prompts_of
from hardwon.engine.pipeline.inject import advice
from hardwon.engine.runtime import Runtime, prompt_text
from hardwon.knowledge.evidence.advice import parts, programs
from hardwon.knowledge.evidence.calls import acting_calls
from hardwon.knowledge.reading.authored import is_shell
from hardwon.learn.reader.answer import SCHEMA, Answer, Item, parse
from hardwon.learn.reader.changes import Outcome, Reading, apply
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
    earlier = earlier_parts(engine, episode.scope, but=episode.signal("run"))
    said = len(prompts_of(episode))
    if not confirm.news(episode.steps, items, prompts=said, error=episode.error, earlier=earlier):
        return SKIPPED
    known = dict(enumerate(items, start=1))
    firsts = confirm.first_calls(episode.steps, items, earlier)
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
    verdicts = confirm.verdicts(list(known.values()), episode.steps)
    failed = {verdict.item.id: verdict.step for verdict in verdicts if not verdict.holds}
    lines, room = list[str](), _LISTED
    for number, item in known.items():
        doubt = ""
        if item.id in failed:
            doubt = f"doubtful: step {failed[item.id]} followed it and failed"
        elif playbook.is_doubtful(item):
            doubt = "doubtful: an earlier run followed it and failed"
        line = item_line(number, item, playbook.sort_of(item), doubt)
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


def _has_model(engine: Runtime) -> bool:
    try:
        return engine.has_model
    except (InvalidInput, SetupError) as error:
        raise PermanentError(f"no model: {error}") from error


def _is_applied(engine: Runtime, job: Job) -> bool:
    """Whether an earlier attempt at this job has changed the playbook and died before its end."""
    scope, lessons = job.episode.scope, engine.store.lessons
    latest = lessons.recent(scope, status=Status.ALL, limit=_LOOKED_AT)
    return any(job.id in evidence_of(lesson, Kind.JOB) for lesson in latest)


def earlier_parts(engine: Runtime, scope: Scope, *, but: str) -> set[str]:
    """The tools and parts of programs that the kept runs of a project called; not the run `but`."""
    engine.collect_runs()
    window = Window(scope, engine.clock() - engine.settings.runs.keep)
    latest = engine.store.ended_runs.latest(window, limit=_RUNS)
    earlier = (run for run in latest if run.id != but)
    return parts(call for run in earlier for step in run.steps for call in acting_calls(step))


def agent_request(engine: Runtime, scope: Scope, name: str, past: RunSoFar, *, command: str) -> str:
    """The words that ask the agent for its items; "" if its run holds nothing new.

    `command` is what the agent runs to write them down.
    """
    items = playbook.items(scope, engine.store.lessons, engine.clock())
    prompts = len(past.prompts)
    if not confirm.news(past.steps, items, prompts=prompts):
        return ""  # cheap, as it needs no earlier runs
    earlier = earlier_parts(engine, scope, but=_id(name, past))
    if not confirm.news(past.steps, items, prompts=prompts, earlier=earlier):
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


ANSWER_TOKENS = 4_000
_CHARS = 4  # characters of a token
_TASK, _SAID = 4_000, 1_000  # characters of the task, and of what the person said then
_CALL, _LEAST_CALL = 1_500, 160  # characters of a call
_LEAST = 120  # characters of an output, when there is little room
_HEAD, _TAIL, _LINE = 10, 8, 300  # first lines, telling lines, and characters of a line
_CUT = "[…]"
# What a failing step weighs against an ordinary one when the room is shared, then a first call.
_FAILED, _FIRST, _USUAL = 4.0, 2.0, 1.0
_TELLING = (
    r"(?i)\berr(?:or)?\b|\b[A-Z]{1,6}[-_]?\d{2,5}\b|denied|fail|not found|invalid|refus|reject"
    r"|unknown|missing|cannot|can't|no such|must|usage|expected|required|warning|forbidden"
)


def request(
    *,
    system: str,
    playbook: Sequence[str],
    prompts: Sequence[tuple[int, str]],
    ending: tuple[str, str] = ("", ""),
    steps: Sequence[Step],
    firsts: Collection[int] = (),
    schema: dict[str, object],
    tokens: int,
) -> Request:
    """The request about one run, within a number of tokens.

    `prompts`: what the person said, each with the number of steps before it; the first is the task.
    `ending`: the last words of the agent, and the error that the run ended with.
    `firsts`: the places of the steps that make a call for the first time. Each step gets a share of
    the room by what it may teach; failing ones get most.
    """
    items = "\n".join(playbook) or "(empty)"
    (_, task), *later = prompts
    said = {made: f"THE PERSON SAID: {clip_middle(text, _SAID)}" for made, text in later}
    size = f" ({sum(len(line.split()) for line in playbook)} words)" if playbook else ""
    head = f"=== PLAYBOOK{size} ===\n{items}\n\n=== RUN ===\nTASK: {clip_middle(task, _TASK)}"
    last = _ending(*ending, steps)
    frame = [head, *said.values(), *last]
    room = tokens * _CHARS - len(system) - sum(len(text) + 2 for text in frame)
    parts = [head]
    for made, told in enumerate(_step_texts(steps, set(firsts), room)):
        parts += [said.pop(made), told] if made in said else [told]
    prompt = "\n\n".join((*parts, *said.values(), *last))
    return Request(system, prompt, max_tokens=ANSWER_TOKENS, schema=schema)


def _ending(words: str, error: str, steps: Sequence[Step]) -> list[str]:
    """The last words of the agent, and what the run ended with unless a step shows it."""
    last = (
        [f"THE AGENT SAID AT THE END: {clip_middle(words.strip(), _SAID)}"] if words.strip() else []
    )
    is_shown = not error.strip() or any(error.strip() in step.output for step in steps)
    return last if is_shown else [*last, f"THE RUN ENDED WITH: {clip_middle(error.strip(), _SAID)}"]


def item_line(number: int, lesson: Lesson, sort: str, note: str = "") -> str:
    """One item of the playbook as the reader sees it."""
    marks = ", ".join(part for part in (sort, note) if part)
    return f"#{number} ({marks}) {advice(lesson)}"


def _step_texts(steps: Sequence[Step], firsts: set[int], room: int) -> list[str]:
    """The steps as text, each within its share of the room."""
    heads = _heads(steps, _CALL)
    left = room - sum(map(len, heads))
    if left < _LEAST * len(steps):
        heads = _heads(steps, max(_LEAST_CALL, room // (2 * max(1, len(steps)))))
        left = max(0, room - sum(map(len, heads)))
    weights = [
        _FAILED if step.failure or step.failed else _FIRST if at in firsts else _USUAL
        for at, step in enumerate(steps)
    ]
    wanted = [len(step.output.strip()) for step in steps]
    shares = _shares(left - 2 * len(steps), wanted, weights)
    return [
        head + shorten(step.output.strip(), share)
        for head, step, share in zip(heads, steps, shares, strict=True)
    ]


def _heads(steps: Sequence[Step], most: int) -> list[str]:
    """The call of each step with its number, and whether it failed."""
    return [
        f"[{number}] {'$' if is_shell(step) else step.tool} {short_call(step.args, most)}\n"
        f"({'failed' if step.failed else 'worked'})\n"
        for number, step in enumerate(steps, start=1)
    ]


def _shares(room: int, wanted: Sequence[int], weights: Sequence[float]) -> list[int]:
    """How many characters each output gets: what it wants, or its share of what is left."""
    shares, open_places = [0] * len(wanted), set(range(len(wanted)))
    while open_places:
        unit = room / sum(weights[at] for at in open_places)
        modest = {at for at in open_places if wanted[at] <= unit * weights[at]}
        for at in modest or open_places:
            shares[at] = wanted[at] if modest else max(0, int(unit * weights[at]))
        if not modest:
            break
        room -= sum(wanted[at] for at in modest)
        open_places -= modest
    return shares


def short_call(call: str, most: int) -> str:
    """A call in at most about `most` characters; its middle is cut out, as its ends say more."""
    call = call.strip()
    if len(call) <= most:
        return call
    half = (most - len(_CUT) - 2) // 2
    return f"{call[:half]}\n{_CUT}\n{call[-half:]}"


def shorten(output: str, most: int) -> str:
    """An output in at most `most` characters: its head, its tail and the lines that tell most."""
    if len(output) <= most:
        return output
    if most < _LEAST:
        return _best_line(output, most)
    lines = [line[:_LINE] for line in output.splitlines()]
    last = len(lines) - 1
    telling = [at for at, line in enumerate(lines) if re.search(_TELLING, line)]
    ends = [*zip(range(_HEAD), range(last, last - _HEAD, -1), strict=True)]
    order = [*telling[-_TAIL:], *(at for pair in ends for at in pair), *telling, *range(last)]
    return _join_fitting(lines, order, most) or _best_line(output, most)


def _join_fitting(lines: Sequence[str], order: Sequence[int], most: int) -> str:
    """As many lines as fit, chosen in this order, and marks where others were; "" if none fits."""
    kept, room = list[int](), most
    for at in dict.fromkeys(order):
        cost = len(lines[at]) + len(_CUT) + 2 if 0 <= at < len(lines) else most + 1
        if cost <= room:
            kept.append(at)
            room -= cost
    kept.sort()
    parts: list[str] = []
    for before, at in zip([-1, *kept], kept, strict=False):
        parts += [_CUT] * (before != at - 1)
        parts.append(lines[at])
    return "\n".join([*parts, *([_CUT] if kept and kept[-1] != len(lines) - 1 else [])])


def _best_line(output: str, most: int) -> str:
    """The line that tells most, cut to fit; "" if there is no room for one."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    telling = [line for line in lines if re.search(_TELLING, line)]
    best = (telling or lines or [""])[-1]
    return best[: max(0, most - 1)] if most > 1 else ""
