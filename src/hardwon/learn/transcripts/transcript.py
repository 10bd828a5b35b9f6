"""A transcript in common terms: what was said and done, in order."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from hardwon.failures.call_keys import canonical
from hardwon.text.clean import clip_middle
from hardwon.values.step import Step

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

USER, AGENT = "user", "agent"
OUTPUT_LIMIT = 8 * 1024  # of a failure; a success tells less
QUIET_LIMIT = 2 * 1024
_WAITING_LIMIT = 1_000  # calls without a result


class Said(NamedTuple):
    """Words of the user or of the agent."""

    line: int
    who: str
    text: str


class ToolCall(NamedTuple):
    """A tool call as it was made; its result comes later, joined by id."""

    line: int
    id: str
    tool: str
    args: Any


class Result(NamedTuple):
    """What came of the call with that id."""

    line: int
    id: str
    output: str
    failed: bool


class Acted(NamedTuple):
    """A call with its result. `line` is where the call stands, `ended` where the result does."""

    line: int
    ended: int
    step: Step
    args: Any  # as they were given, for rules that look at single values


class About(NamedTuple):
    """What the transcript says about its session, or a part of that."""

    id: str = ""
    cwd: str = ""
    at: str = ""  # ISO time of a line


Event = Said | ToolCall | Result | About
Moment = Said | Acted


class Parser(Protocol):
    """Turns the records of one agent's transcript into events. One is made for each transcript."""

    def take(self, record: Any, line: int) -> Iterable[Event] | None:
        """The events of a record; None for a record of an unknown kind."""


class Reading:
    """One pass over a transcript; its counters are complete when the moments are used up."""

    def __init__(
        self, parser: Parser, records: Iterable[tuple[int, Any]], skipped: Counter[str]
    ) -> None:
        self._parser = parser
        self._records = records
        self._waiting: dict[str, ToolCall] = {}
        self.skipped = skipped  # lines and events that were left out, by reason
        self.about = About()
        self.lines = 0

    def moments(self) -> Iterator[Moment]:
        """What was said and done, in order; calls appear when their result does."""
        take = self._parser.take
        for number, record in self._records:
            self.lines = number
            for event in self._taken(take, record):
                if isinstance(event, Result):
                    yield from self._joined(event)
                elif isinstance(event, ToolCall):
                    self._hold(event)
                elif isinstance(event, Said):
                    yield event
                else:
                    self._learn(event)

    def _taken(self, take: Any, record: Any) -> Iterable[Event]:
        """The events of a record; a record of another shape than we know is skipped and counted."""
        try:
            events: Iterable[Event] | None = take(record, self.lines)
        except (AttributeError, KeyError, TypeError, ValueError, IndexError):
            self.skipped["odd"] += 1
            return ()
        if events is None:
            self.skipped["unknown"] += 1
            return ()
        return events

    def _hold(self, call: ToolCall) -> None:
        if len(self._waiting) >= _WAITING_LIMIT:
            self._waiting.pop(next(iter(self._waiting)))
            self.skipped["unanswered"] += 1
        self._waiting[call.id] = call

    def _joined(self, result: Result) -> Iterator[Acted]:
        call = self._waiting.pop(result.id, None)
        if call is None:
            self.skipped["unasked"] += 1
            return
        limit = OUTPUT_LIMIT if result.failed else QUIET_LIMIT
        output = clip_middle(result.output, limit)
        step = Step(call.tool, canonical(call.args), output, result.failed)
        yield Acted(call.line, result.line, step, call.args)

    def _learn(self, more: About) -> None:
        known = self.about
        self.about = About(known.id or more.id, known.cwd or more.cwd, more.at or known.at)


def text_of(content: Any) -> str:
    """The words of a message: a text, or the text parts of a list of parts."""
    if isinstance(content, str):
        return content
    if isinstance(content, dict):
        content = [content]
    if not isinstance(content, list):
        return ""
    parts = (part if isinstance(part, str) else part.get("text") for part in content)
    return "\n".join(part for part in parts if isinstance(part, str))
