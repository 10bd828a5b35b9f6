"""The request to the reader: the playbook, the task and the steps of one run, within a budget."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from hardwon.core.text.clean import clip_middle
from hardwon.core.values.lesson import Lesson
from hardwon.core.values.run import Step
from hardwon.engine.pipeline.inject import advice
from hardwon.knowledge.reading.authored import is_shell
from hardwon.storage.ports import Request

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
        f"[{number}] {_call_line(step, most)}\n({'failed' if step.failed else 'worked'})\n"
        for number, step in enumerate(steps, start=1)
    ]


def _call_line(step: Step, most: int) -> str:
    call = short_call(step.args, most)
    return f"$ {call}" if is_shell(step) else f"{step.tool} {call}"


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
    kept = _fitting(lines, order, most)
    return _join_lines(lines, sorted(kept)) if kept else _best_line(output, most)


def _fitting(lines: Sequence[str], order: Sequence[int], most: int) -> set[int]:
    """As many lines as fit, in this order of importance."""
    kept, room = set[int](), most
    for at in dict.fromkeys(order):
        cost = len(lines[at]) + len(_CUT) + 2 if 0 <= at < len(lines) else most + 1
        if cost <= room:
            kept.add(at)
            room -= cost
    return kept


def _join_lines(lines: Sequence[str], kept: Sequence[int]) -> str:
    parts: list[str] = []
    for before, at in zip([-1, *kept], kept, strict=False):
        parts += [_CUT] * (before != at - 1)
        parts.append(lines[at])
    return "\n".join([*parts, *([_CUT] if kept[-1] != len(lines) - 1 else [])])


def _best_line(output: str, most: int) -> str:
    """The line that tells most, cut to fit; "" if there is no room for one."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    telling = [line for line in lines if re.search(_TELLING, line)]
    best = (telling or lines or [""])[-1]
    return best[: max(0, most - 1)] if most > 1 else ""
