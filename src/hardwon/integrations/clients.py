"""Plain loops over a provider's client: `client = hardwon.wrap(openai.OpenAI())`.

All that is needed stands in the requests: the calls a model made and the results it was given. The
start of the run goes behind the system message, notes go behind results, and a call that failed
here last is answered before the caller sees it. A request without tools is left alone.
"""

from __future__ import annotations

import atexit
import logging
from collections.abc import Callable
from typing import Any, TypeVar, cast

from hardwon import Agent
from hardwon.core.errors import InvalidInput, NotTried
from hardwon.integrations.recorder import Recorder
from hardwon.integrations.wires import WIRES, Call, Request, Wire
from hardwon.storage.ports import Request as Question

C = TypeVar("C")
T = TypeVar("T")
_ANSWERS = 3  # how often a response may be answered here instead of by the caller
_OPTIONS = ("api_key", "base_url", "timeout", "max_retries")  # of a client of the same kind
_LOG = logging.getLogger(__name__)


def wrap(
    client: C, agent: Agent | str = "default", *, project: str | None = None, read: bool = False
) -> C:
    """The same client, which learns from the tool calls in its requests. One run at a time.

    With the name of an agent the default home is opened. With `read` this client also reads ended
    runs into the playbook: in the background, within the limits of the settings in `budget`.
    """
    library = type(client).__module__.partition(".")[0]
    if library not in WIRES:
        raise InvalidInput(f"{type(client).__name__} is not a client of {' or '.join(WIRES)}")
    if read and not isinstance(agent, str):
        raise InvalidInput("read=True needs the name of an agent: its store gets this client")
    wires = {wire.path: wire() for wire in WIRES[library]}
    run = _Run()
    if isinstance(agent, str):
        from hardwon import open

        path, wire = next(iter(wires.items()))
        home = open(model=_reader(client, path, wire, run) if read else None, work=read)
        atexit.register(home.close)
        agent = home.agent(agent, project=project)
        atexit.register(run.end)  # called before `close`
    run.recorder = Recorder(agent)
    return cast("C", _Proxy(client, (), wires, run))


def _reader(client: Any, path: tuple[str, ...], wire: Wire, run: _Run) -> Callable[..., Any]:
    """The function that answers hardwon's questions with the client and its latest model."""

    def request(question: Question) -> Any:
        if not run.model:
            raise NotTried("the client has made no request yet, so its model is unknown")
        limit = max(question.max_tokens, 1)
        return wire.question(run.model, question.system, question.prompt, max_tokens=limit)

    def read(question: Question) -> str:
        return wire.answer(_part(client, path).create(**request(question)))[0]

    async def aread(question: Question) -> str:
        # Not the client itself: its connections belong to the event loop of the caller.
        options = {name: getattr(client, name) for name in _OPTIONS}
        async with type(client)(**options) as twin:
            return wire.answer(await _part(twin, path).create(**request(question)))[0]

    return aread if _is_async(client) else read


class _Run:
    """The run that goes through a client: what it recorded, and what stands beside results."""

    recorder: Recorder

    def __init__(self) -> None:
        self.model = ""
        self._task: str | None = None  # None: no run
        self._calls: dict[str, Call] = {}
        self._notes: dict[str, str] = {}  # by id of the call; "" for results without one

    def prepare(self, wire: Wire, request: Request) -> Request:
        """The request with what is known; its new results are recorded."""
        if not request.get("tools"):
            return request
        self.model = str(request.get("model", ""))
        self._calls.update((call.id, call) for call in wire.calls(request))
        new = [result for result in wire.results(request) if result.id not in self._notes]
        task = wire.task(request)
        if self._task is None or (not new and task != self._task):
            self.end()
            self._task = task
            self.recorder.start(task)
            self._notes |= {result.id: "" for result in new}  # of an earlier run
            new = []
        for result in new:
            call = self._calls.get(result.id)
            record = self.recorder.failed if result.failed else self.recorder.worked
            self._notes[result.id] = record(call.tool, call.args, result.output) if call else ""
        request = wire.with_notes(request, self._notes)
        return wire.with_start(request, self.recorder.context) if self.recorder.context else request

    def answers(self, wire: Wire, response: Any) -> dict[str, str]:
        """Answers to calls that failed here last, by id; a response without calls ends the run."""
        text, calls = wire.answer(response)
        self._calls.update((call.id, call) for call in calls)
        if not calls:
            self.end(text)
        denials = ((call.id, self.recorder.denial(call.tool, call.args)) for call in calls)
        return {name: denial for name, denial in denials if denial}

    def end(self, text: str = "") -> None:
        """End the run, if there is one."""
        if self._task is not None:
            self._task = None
            self.recorder.end(text)


class _Proxy:
    """A client, or a part of one, whose requests go through the run."""

    def __init__(self, part: Any, path: tuple[str, ...], wires: Any, run: _Run) -> None:
        self._part, self._path, self._wires, self._run = part, path, wires, run

    def __getattr__(self, name: str) -> Any:
        value, path = getattr(self._part, name), (*self._path, name)
        if self._path in self._wires and name in ("create", "parse", "stream"):
            is_async = _is_async(self._part) and name != "stream"
            return self._acall(value) if is_async else self._call(value, is_whole=name != "stream")
        is_on_the_way = any(known[: len(path)] == path for known in self._wires)
        return _Proxy(value, path, self._wires, self._run) if is_on_the_way else value

    def _call(self, create: Any, *, is_whole: bool) -> Any:
        def call(**given: Any) -> Any:
            request = self._prepare(given)
            response = create(**request)
            for _ in range(_ANSWERS if is_whole else 0):
                if not (answers := self._answers(given, response)):
                    break
                request = self._wire.with_results(request, response, answers)
                response = create(**request)
            return response

        return call

    def _acall(self, create: Any) -> Any:
        async def call(**given: Any) -> Any:
            request = self._prepare(given)
            response = await create(**request)
            for _ in range(_ANSWERS):
                if not (answers := self._answers(given, response)):
                    break
                request = self._wire.with_results(request, response, answers)
                response = await create(**request)
            return response

        return call

    @property
    def _wire(self) -> Wire:
        return cast("Wire", self._wires[self._path])

    def _prepare(self, request: Request) -> Request:
        return _attempt(lambda: self._run.prepare(self._wire, request), request)

    def _answers(self, request: Request, response: Any) -> dict[str, str]:
        if request.get("stream") or not request.get("tools"):
            return {}
        return _attempt(lambda: self._run.answers(self._wire, response), {})


def _attempt(call: Callable[[], T], otherwise: T) -> T:
    """The result of a call; nothing that goes wrong here may reach the caller's request."""
    try:
        return call()
    except Exception:  # noqa: BLE001 - the edge between two programs
        _LOG.warning("hardwon could not read a request", exc_info=True)
        return otherwise


def _part(client: Any, path: tuple[str, ...]) -> Any:
    for name in path:
        client = getattr(client, name)
    return client


def _is_async(part: object) -> bool:
    return type(part).__name__.startswith("Async")
