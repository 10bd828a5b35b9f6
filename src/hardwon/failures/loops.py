"""Loops in a run: the same call with the same result, whatever happened in between."""

from __future__ import annotations

from hardwon.failures.signature import fold
from hardwon.text.clean import clip, one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import NamedTuple

    from hardwon.values.step import Step
else:
    from hardwon._cold.namedtuple import NamedTuple

WINDOW = 40  # steps looked back
_WARN, _INSIST, _STOP = 2, 3, 5
_SHOWN = 200  # characters of a call
_TRIED = 6  # other calls listed
_COMPARED = 300  # lines of a result, from its end: what is timed or counted changes its length
_LONGEST = 20_000  # characters of them


class Loop(NamedTuple):
    """A call that was made `times` in a row with one and the same result."""

    step: Step
    times: int
    tried: tuple[str, ...] = ()  # what else was called since it began

    @property
    def should_stop(self) -> bool:
        """Whether a hook that can deny the call should do so."""
        return self.times >= _STOP


def find(steps: Sequence[Step], *, exempt: frozenset[str] = frozenset()) -> Loop | None:
    """The loop that the last step closes, if it does; never when its result has changed."""
    if not steps or is_exempt(steps[-1], exempt):
        return None
    last, seen = steps[-1], steps[-WINDOW:]
    same = list(_same_results(seen))
    if len(same) < _WARN:
        return None
    between = [step for step in seen[same[-1] : -1] if call(step) != call(last)]
    if not last.failed and len(same) == _WARN and _is_news(between, seen[: same[-1]]):
        return None
    return Loop(last, len(same), _listed(between))


def is_exempt(step: Step, exempt: frozenset[str]) -> bool:
    """Whether repeating is what the tool is for, as with polling."""
    program = step.args.split(maxsplit=1)[0].lower() if step.args.strip() else ""
    return step.tool.lower() in exempt or program in exempt


def render(loop: Loop) -> str:
    """The block for the model: the published words first, stronger ones from the third time on."""
    lines = _insisting(loop) if loop.times >= _INSIST else _warning(loop)
    return "\n".join(("[LOOP DETECTED]", *lines, "[END LOOP DETECTED]"))


def call(step: Step) -> tuple[str, str]:
    """The call whatever its white space."""
    return step.tool.lower(), " ".join(step.args.split())


def _warning(loop: Loop) -> tuple[str, ...]:
    what = (
        "have ERR'd twice in a row — repeating them won't change the result."
        if loop.step.failed
        else "gave the same result twice — repeating them won't change the result."
    )
    return (
        f"The following tool calls {what}",
        "Change argument, change tool, ask for help, or stop trying:",
        f"  {_shown(loop.step)}",
    )


def _insisting(loop: Loop) -> tuple[str, ...]:
    what = "failed the same way" if loop.step.failed else "gave the same result"
    tried = ("Tried in between, without effect on it:", *(f"  {one}" for one in loop.tried))
    return (
        f"This call {what} {loop.times} times. Do not make it again as it stands:",
        f"  {_shown(loop.step)}",
        *(tried if loop.tried else ()),
        "Do something different now: read the error, question the assumption behind the call,",
        "take another tool, or stop and report what blocks you.",
    )


def _same_results(seen: Sequence[Step]) -> Iterator[int]:
    """Places of the last call's latest repeats, newest first, up to one with another result."""
    last = seen[-1]
    wanted, result = call(last), ""
    yield len(seen) - 1
    for place in range(len(seen) - 2, -1, -1):
        step = seen[place]
        if call(step) != wanted:
            continue
        if step.failed != last.failed:
            return
        if step.output != last.output:
            result = result or _result(last)  # folding is the dear part: only when it is needed
            if _result(step) != result:
                return
        yield place


def _result(step: Step) -> str:
    last = "\n".join(step.output.splitlines()[-_COMPARED:])
    return f"={fold(last[-_LONGEST:])}"


def _is_news(between: Sequence[Step], before: Sequence[Step]) -> bool:
    """Whether something was done in between that had not been done before."""
    known = {call(step) for step in before}
    return any(call(step) not in known for step in between)


def _listed(between: Sequence[Step]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_shown(step) for step in between))[-_TRIED:]


def _shown(step: Step) -> str:
    return clip(one_line(f"{step.tool} {step.args}"), _SHOWN)
