"""The HTTP API: a route for each operation in the table, with its rights and its time limit."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from hardwon.api import codec
from hardwon.api.operations import JSON, KINDS, OPERATIONS, Argument, Operation
from hardwon.core.errors import InvalidInput
from hardwon.core.settings import span
from hardwon.core.values.delivery import NOTHING
from hardwon.storage.service import Kept
from hardwon.surfaces.serve.handlers import HANDLERS
from hardwon.surfaces.serve.requests import Call, Problem, admit, cursor_of, place_of

_REPLAYED = {"Idempotent-Replayed": "true"}
_FLAGS = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False, "": False}


def routes() -> list[Route]:
    """A route for each operation; lessons and items have numbers, other things names."""
    made = []
    for one in OPERATIONS.values():
        has_number = one.path.startswith(("/v1/lessons/", "/v1/playbook/"))
        path = one.path.replace("{id}", "{id:int}") if has_number else one.path
        made.append(Route(path, _endpoint(one), methods=[one.method]))
    return made


def _endpoint(operation: Operation) -> Callable[[Request], Any]:
    async def endpoint(request: Request) -> Response:
        limits = request.app.state.limits
        most = limits.pack if operation.takes_bytes or operation.is_large else limits.body
        body = await admit(request, *operation.rights, most=most)
        arguments = {
            **_query_arguments(operation, request),
            **_body_arguments(operation, request, body),
        }
        call = Call(request, body)
        name = request.headers.get("idempotency-key")
        if name and operation.method != "GET" and not operation.is_secret:
            return await _once(operation, call, arguments, name)
        return await _run(operation, call, arguments)

    return endpoint


def _query_arguments(operation: Operation, request: Request) -> dict[str, Any]:
    """The parameters of the query, except those that say what it is about."""
    values: dict[str, Any] = {}
    for name, argument in operation.query.items():
        text = request.query_params.get(name, argument.default)
        if argument.is_required and text is None:
            raise InvalidInput(f"the parameter {name!r} is missing")
        is_needless = not text and argument.default is None and not argument.is_required
        if text is None or is_needless or name in {"agent", "project", "run"}:
            continue
        value = _parameter(name, argument, text)
        if name != "view":
            values[argument.parameter] = value
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
    return _read(name, argument, text)


def _read(name: str, argument: Argument, value: Any) -> Any:
    """What a text stands for: a span of time, a place in a list, numbers."""
    if argument.kind == "duration":
        return span(value, name)
    if argument.kind == "cursor":
        return place_of(value)
    if argument.kind == "numbers":
        texts = value.split(",")
        if not all(text.isascii() and text.isdecimal() and len(text) < 17 for text in texts):
            raise InvalidInput(f"the parameter {name!r} has numbers of lessons, with commas")
        return [int(text) for text in texts]
    return value


def _body_arguments(operation: Operation, request: Request, body: bytes) -> dict[str, Any]:
    """The fields of the body; InvalidInput names one that is wrong."""
    if not operation.body or operation.takes_bytes:
        return {}
    media = request.headers.get("content-type", JSON).partition(";")[0].strip().lower()
    if body and media != JSON:
        raise Problem(415, f"send the body as {JSON}")
    try:
        fields = json.loads(body or b"{}")
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"the body is not JSON: {error}") from error
    if not isinstance(fields, dict):
        raise InvalidInput("the body must be a JSON object")
    unknown = fields.keys() - operation.body.keys()
    if unknown:
        allowed = ", ".join(operation.body)
        raise InvalidInput(f"unknown field {sorted(unknown)[0]!r}; this takes {allowed}")
    values: dict[str, Any] = {}
    for name, argument in operation.body.items():
        if fields.get(name) is not None or argument.is_required:
            values[argument.parameter] = _check_field(name, argument, fields.get(name))
        elif argument.default is not None:
            values[argument.parameter] = argument.default
    return values


def _check_field(name: str, argument: Argument, value: Any) -> Any:
    _, kind, word = KINDS[argument.kind]
    is_number_as_flag = isinstance(value, bool) and argument.kind in {"integer", "number"}
    is_fitting = isinstance(value, kind) and not is_number_as_flag
    if is_fitting and argument.kind == "texts":
        is_fitting = all(isinstance(one, str) for one in value)
    if not is_fitting:
        raise InvalidInput(f"the field {name!r} must be {word}")
    if argument.most and not 1 <= value <= argument.most:
        raise InvalidInput(f"the field {name!r} must be from 1 to {argument.most}")
    return _read(name, argument, value)


async def _run(operation: Operation, call: Call, arguments: dict[str, Any]) -> Response:
    """The answer of the operation, computed in a thread within its time limit."""
    state, is_door = call.state, operation.is_door
    pool = state.door_threads if is_door else state.threads
    patience = state.limits.door if is_door else state.limits.answer
    try:
        async with asyncio.timeout(patience):
            answer: Response = await pool.run(
                lambda: _response(operation, HANDLERS[operation.name](call, **arguments))
            )
            return answer
    except TimeoutError:
        if is_door:
            return _response(operation, NOTHING)
        raise Problem(503, f"no answer within {patience:g} s; ask for less, or later") from None


async def _once(operation: Operation, call: Call, arguments: dict[str, Any], name: str) -> Response:
    """The stored answer to a repeated request, or the first answer."""
    state, tenant, url = call.state, call.principal.tenant, call.request.url
    head = f"{call.principal.key} {operation.method} {url.path}?{url.query}\n"
    request_bytes = head.encode() + call.body
    async with state.locks(f"{tenant}\n{name}"):
        stored = await state.threads.run(state.replies.find, tenant, name, request_bytes)
        if stored is not None:
            return Response(stored.body, stored.status, _REPLAYED, media_type=operation.media)
        answer = await _run(operation, call, arguments)
        reply = Kept(answer.status_code, bytes(answer.body))
        await state.threads.run(state.replies.keep, tenant, name, request_bytes, reply)
    return answer


def _response(operation: Operation, value: Any) -> Response:
    if isinstance(value, Response):
        return value
    if operation.status == 204:
        return Response(status_code=204)
    kind = operation.gives
    if operation.shape == "page":
        value = {"items": value.rows, "next": cursor_of(value.next)}
    elif operation.shape == "list":
        value = {"items": value}
    elif hasattr(kind, "_fields") and not isinstance(value, kind):  # of the parts of the answer
        value = kind(value) if len(kind._fields) == 1 else kind(*value)
    body = json.dumps(codec.encode(value), ensure_ascii=False, separators=(",", ":"))
    return Response(body.encode("utf-8", "replace"), operation.status, media_type=operation.media)
