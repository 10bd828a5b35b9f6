"""Loops in a run: a call that fails again although nothing has changed since."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from hardwon.core.text.clean import clip, one_line
from hardwon.knowledge.evidence.calls import LOOKING, calls_of, only_asks
from hardwon.knowledge.reading import signature

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hardwon.core.values.run import Step

WINDOW = 40  # steps looked back
_WARN, _INSIST, _STOP = 2, 3, 5
_SHOWN = 200  # characters of a call
_TRIED = 6  # other calls listed
_WORD = r"[A-Z]?[a-z]++|[A-Z]++"
_LOOKERS = "browse check fetch find glob ls open query read think"  # beside what commands say
_LOOKING = LOOKING | {*_LOOKERS.split()}
_COMPARED = 300  # lines at the end of a result that are compared
_LONGEST = 20_000  # characters that are compared


class Loop(NamedTuple):
    """A call that failed `times` times with the same result."""

    step: Step
    times: int
    tried: tuple[str, ...] = ()  # the other calls since it began

    @property
    def should_stop(self) -> bool:
        """Whether a hook that can deny the call should do so."""
        return self.times >= _STOP


def find(steps: Sequence[Step], *, exempt: frozenset[str] = frozenset()) -> Loop | None:
    """The loop that the last step completes; None if there is none.

    None if that step worked, if its result is new, or if the run changed something in between.
    """
    if not steps or not steps[-1].failed or is_exempt(steps[-1], exempt):
        return None
    recent = steps[-WINDOW:]
    places = _repeats(recent)
    if len(places) < _WARN:
        return None
    between = [step for step in recent[places[-1] : -1] if call(step) != call(recent[-1])]
    return Loop(recent[-1], len(places), _list_calls(between))


def is_exempt(step: Step, exempt: frozenset[str]) -> bool:
    """Whether the tool or program is one that may be repeated, as for polling."""
    program = step.args.split(maxsplit=1)[0].lower() if step.args.strip() else ""
    tool = step.tool.lower()  # `sched.poll` is the action `poll` of `sched`
    return not exempt.isdisjoint((tool, tool.rpartition(".")[0], program))


def render(loop: Loop) -> str:
    """The block for the model: the published text, stronger from the third time on."""
    lines = _insisting(loop) if loop.times >= _INSIST else _warning(loop)
    return "\n".join(("[LOOP DETECTED]", *lines, "[END LOOP DETECTED]"))


def call(step: Step) -> tuple[str, str]:
    """The call with white space normalised, so that equal calls compare equal."""
    return step.tool.lower(), " ".join(step.args.split())


def _warning(loop: Loop) -> tuple[str, ...]:
    return (
        "The following tool calls have ERR'd twice in a row"
        " — repeating them won't change the result.",
        "Change argument, change tool, ask for help, or stop trying:",
        f"  {_show(loop.step)}",
    )


def _insisting(loop: Loop) -> tuple[str, ...]:
    tried = ("Tried in between, without effect on it:", *(f"  {attempt}" for attempt in loop.tried))
    return (
        f"This call failed the same way {loop.times} times. Do not make it again as it stands:",
        f"  {_show(loop.step)}",
        *(tried if loop.tried else ()),
        "Do something different now: read the error, question the assumption behind the call,",
        "take another tool, or stop and report what blocks you.",
    )


def _repeats(recent: Sequence[Step]) -> list[int]:
    """The indexes of the last call's repeats, newest first, as far back as nothing changed."""
    last, places = recent[-1], [len(recent) - 1]
    for place in range(len(recent) - 2, -1, -1):
        if call(recent[place]) != call(last):
            continue
        if not _is_same_result(recent[place], last):
            break
        if _has_changed(recent[place + 1 : places[-1]], recent[:place]):
            break
        places.append(place)
    return places


def _is_same_result(step: Step, last: Step) -> bool:
    if not step.failed:
        return False
    return step.output == last.output or _result(step) == _result(last)


def _result(step: Step) -> str:
    end = "\n".join(step.output.splitlines()[-_COMPARED:])
    return f"={signature.fold(end[-_LONGEST:])}"


def _has_changed(between: Sequence[Step], before: Sequence[Step]) -> bool:
    """Whether a call in between may have changed something and had not been made before."""
    earlier_calls = {call(step) for step in before}
    return any(may_change(step) and call(step) not in earlier_calls for step in between)


def may_change(step: Step) -> bool:
    """Whether a step may have changed something; False if it only read, or failed."""
    if step.args.startswith("{"):
        words = re.findall(_WORD, _doing(step))
        return not step.failed and not any(word.lower() in _LOOKING for word in words)
    calls = calls_of(step)
    if any(call.writes for call in calls):
        return True
    return not step.failed and not all(only_asks(call) for call in calls)


def _doing(step: Step) -> str:
    """The name of a tool; for a file tool with several commands, the command."""
    action = re.search(r'"command": "(\w{1,30})"', step.args) if '"path"' in step.args else None
    return action[1] if action else step.tool


def _list_calls(between: Sequence[Step]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_show(step) for step in between))[-_TRIED:]


def _show(step: Step) -> str:
    return clip(one_line(f"{step.tool} {step.args}"), _SHOWN)
