"""The HTTP API: a route for each operation in the table, with its rights and its time limit."""

from __future__ import annotations

import asyncio
import base64
import json
import re
from functools import cached_property
from typing import TYPE_CHECKING, Any

from starlette.responses import Response
from starlette.routing import Route

from hardwon.api import codec
from hardwon.api.operations import JSON, OPERATIONS
from hardwon.core.errors import InvalidInput, NotFound
from hardwon.core.values.delivery import NOTHING
from hardwon.core.values.report import mark
from hardwon.storage.service import Kept
from hardwon.surfaces.serve import handlers
from hardwon.surfaces.serve.requests import (
    Problem,
    admit,
    agent_of_query,
    allowed_place,
    author,
    cursor_of,
    lessons_of,
    limits_of,
    principal,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from starlette.requests import Request

    from hardwon import Agent, Hardwon
    from hardwon.api.lessons import Lessons
    from hardwon.api.operations import Argument, Operation
    from hardwon.api.tenants import Tenant
    from hardwon.core.values.report import Mark
    from hardwon.core.values.run import Author
    from hardwon.core.values.scope import Scope
    from hardwon.surfaces.serve.access import Principal

_REPLAYED = {"Idempotent-Replayed": "true"}
_FLAGS = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False, "": False}
_KINDS: dict[str, tuple[Any, str]] = {
    "text": (str, "a text"),
    "flag": (bool, "true or false"),
    "integer": (int, "a whole number"),
    "number": ((int, float), "a number"),
    "texts": (list, "a list of texts"),
    "list": (list, "a list"),
    "object": (dict, "an object"),
    "any": (object, "anything"),
}
_LARGEST = 2**53  # JSON keeps no larger number exactly


def routes() -> list[Route]:
    """A route for each operation."""
    return [
        Route(_path(operation), _endpoint(operation), methods=[operation.method])
        for operation in OPERATIONS.values()
    ]


def _path(operation: Operation) -> str:
    """Its path for the router; lessons and items have numbers, other things names."""
    has_number = operation.path.startswith(("/v1/lessons/", "/v1/playbook/"))
    return operation.path.replace("{id}", "{id:int}") if has_number else operation.path


class Call:
    """One call of an operation: who makes it, about what, and with which arguments."""

    def __init__(self, request: Request, arguments: Mapping[str, Any], body: bytes) -> None:
        self._request = request
        self.arguments: dict[str, Any] = dict(arguments)
        self.body = body

    @property
    def state(self) -> Any:
        """The state of the application."""
        return self._request.app.state

    @property
    def hw(self) -> Hardwon:
        """The opened hardwon."""
        hw: Hardwon = self.state.hw
        return hw

    @cached_property
    def principal(self) -> Principal:
        """Who makes it."""
        return principal(self._request)

    @cached_property
    def agent(self) -> Agent:
        """The agent that the query names, within the limits of the key."""
        return agent_of_query(self._request)

    @cached_property
    def tenant(self) -> Tenant:
        """The tenant of the key, or the agent and project that the query names."""
        agent, project = allowed_place(self._request)
        return self.hw.tenant(self.principal.tenant, agent=agent, project=project)

    @property
    def author(self) -> Author:
        """Whose runs it is about."""
        return author(self._request)

    @property
    def copied(self) -> Scope:
        """The scope whose lessons are copied; without a project, those that hold everywhere."""
        project = self._request.query_params.get("project") or None
        return self.agent.scope._replace(project=project)

    @property
    def lessons(self) -> Lessons:
        """The lessons of that agent; those beyond the limits of the key cannot be changed."""
        return self.lessons_of(self.agent.scope)

    def lessons_of(self, scope: Scope) -> Lessons:
        """The same for another scope."""
        return lessons_of(self._request, scope)

    @property
    def headers(self) -> Mapping[str, str]:
        """The header fields of the request."""
        return self._request.headers

    @property
    def id(self) -> str:
        """What the path names."""
        return str(self._request.path_params["id"])

    @property
    def number(self) -> int:
        """The lesson that the path names."""
        number: int = self._request.path_params["id"]
        if number > _LARGEST:
            raise NotFound("lesson", number)
        return number

    @property
    def cursor(self) -> Mark | None:
        """Where the last page ended."""
        text = self.arguments.get("cursor") or ""
        if not text:
            return None
        try:
            raw = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
            place, name = json.loads(raw)
        except (ValueError, TypeError, RecursionError) as error:
            raise InvalidInput("unknown cursor; use the `next` of a page, or none") from error
        return mark(place, name)


def _endpoint(operation: Operation) -> Callable[[Request], Any]:
    async def endpoint(request: Request) -> Response:
        limits = limits_of(request)
        most = limits.pack if operation.takes_bytes or operation.is_large else limits.body
        body = await admit(request, *operation.rights, most=most)
        arguments = {
            **_query_arguments(operation, request),
            **_body_arguments(operation, request, body),
        }
        call = Call(request, arguments, body)
        name = request.headers.get("idempotency-key")
        if name and operation.method != "GET" and not operation.is_secret:
            return await _once(operation, call, name, request)
        return await _run(operation, call)

    return endpoint


def _query_arguments(operation: Operation, request: Request) -> dict[str, Any]:
    """The parameters of the query, except those that say what it is about."""
    values: dict[str, Any] = {}
    for name, argument in operation.query.items():
        text = request.query_params.get(name, argument.default)
        if text is None and argument.is_required:
            raise InvalidInput(f"the parameter {name!r} is missing")
        if name in {"agent", "project", "run"} or text is None:
            continue
        values[name] = _parameter(name, argument, text)
    return values


def _parameter(name: str, argument: Argument, text: str) -> Any:
    if argument.kind == "flag":
        if text.lower() not in _FLAGS:
            raise InvalidInput(f"the parameter {name!r} is true or false, not {text!r}")
        return _FLAGS[text.lower()]
    if argument.kind == "integer":
        is_number = re.fullmatch("[0-9]{1,9}", text) and 1 <= int(text) <= argument.most
        if not is_number:
            most = argument.most
            raise InvalidInput(f"the parameter {name!r} is a number in 1 … {most}, not {text!r}")
        return int(text)
    if argument.choices and text not in argument.choices:
        choices = ", ".join(argument.choices)
        raise InvalidInput(f"the parameter {name!r} is one of {choices}, not {text!r}")
    return text


def _body_arguments(operation: Operation, request: Request, body: bytes) -> dict[str, Any]:
    """The fields of the body; InvalidInput names one that is wrong."""
    if not operation.body or operation.takes_bytes:
        return {}
    fields = _parse_body(request, body) if body else {}
    unknown = fields.keys() - operation.body.keys()
    if unknown:
        allowed = ", ".join(operation.body)
        raise InvalidInput(f"unknown field {sorted(unknown)[0]!r}; this takes {allowed}")
    values: dict[str, Any] = {
        name: one.default for name, one in operation.body.items() if one.default is not None
    }
    for name, argument in operation.body.items():
        value: Any = fields.get(name)
        kind, word = _KINDS[argument.kind]
        is_number_as_flag = isinstance(value, bool) and argument.kind in {"integer", "number"}
        is_fitting = isinstance(value, kind) and not is_number_as_flag
        if value is None and not argument.is_required:
            continue
        if not is_fitting or (argument.kind == "texts" and not _are_texts(value)):
            raise InvalidInput(f"the field {name!r} must be {word}")
        if argument.most and not 1 <= value <= argument.most:
            raise InvalidInput(f"the field {name!r} must be from 1 to {argument.most}")
        values[name] = value
    return values


def _are_texts(values: list[Any]) -> bool:
    return all(isinstance(value, str) for value in values)


def _parse_body(request: Request, body: bytes) -> dict[str, Any]:
    if request.headers.get("content-type", JSON).partition(";")[0].strip().lower() != JSON:
        raise Problem(415, f"send the body as {JSON}")
    try:
        fields = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"the body is not JSON: {error}") from error
    if not isinstance(fields, dict):
        raise InvalidInput("the body must be a JSON object")
    return fields


async def _run(operation: Operation, call: Call) -> Response:
    """The answer of the operation, computed in a thread within its time limit."""
    state, is_door = call.state, operation.is_door
    pool = state.door_threads if is_door else state.threads
    patience = state.limits.door if is_door else state.limits.answer
    try:
        async with asyncio.timeout(patience):
            response: Response = await pool.run(_answer, operation, call)
            return response
    except TimeoutError:
        if is_door:
            return _response(operation, NOTHING)
        raise Problem(503, f"no answer within {patience:g} s; ask for less, or later") from None


async def _once(operation: Operation, call: Call, name: str, request: Request) -> Response:
    """The stored answer to a repeated request, or the first answer."""
    state, tenant, url = call.state, call.principal.tenant, request.url
    head = f"{call.principal.key} {operation.method} {url.path}?{url.query}\n"
    request_bytes = head.encode() + call.body
    async with state.locks(f"{tenant}\n{name}"):
        stored = await state.threads.run(state.replies.find, tenant, name, request_bytes)
        if stored is not None:
            return Response(stored.body, stored.status, _REPLAYED, media_type=operation.media)
        answer = await _run(operation, call)
        reply = Kept(answer.status_code, bytes(answer.body))
        await state.threads.run(state.replies.keep, tenant, name, request_bytes, reply)
    return answer


def _answer(operation: Operation, call: Call) -> Response:
    return _response(operation, handlers.HANDLERS[operation.name](call))


def _response(operation: Operation, value: Any) -> Response:
    if isinstance(value, Response):
        return value
    if operation.status == 204:
        return Response(status_code=204)
    if operation.shape == "page":
        value = {"items": value.rows, "next": cursor_of(value.next)}
    elif operation.shape == "list":
        value = {"items": value}
    body = json.dumps(codec.encode(value), ensure_ascii=False, separators=(",", ":"))
    return Response(body.encode("utf-8", "replace"), operation.status, media_type=operation.media)
