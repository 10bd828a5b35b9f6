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
from hardwon.api.operations import JSON, OPERATIONS, Argument, Operation
from hardwon.core.errors import InvalidInput
from hardwon.core.values.delivery import NOTHING
from hardwon.storage.service import Kept
from hardwon.surfaces.serve import handlers
from hardwon.surfaces.serve.requests import Call, Problem, admit, cursor_of, limits_of

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
    values: dict[str, Any] = {
        name: one.default for name, one in operation.body.items() if one.default is not None
    }
    for name, argument in operation.body.items():
        if fields.get(name) is not None or argument.is_required:
            values[name] = _check_field(name, argument, fields.get(name))
    return values


def _check_field(name: str, argument: Argument, value: Any) -> Any:
    kind, word = _KINDS[argument.kind]
    is_number_as_flag = isinstance(value, bool) and argument.kind in {"integer", "number"}
    is_fitting = isinstance(value, kind) and not is_number_as_flag
    if is_fitting and argument.kind == "texts":
        is_fitting = all(isinstance(one, str) for one in value)
    if not is_fitting:
        raise InvalidInput(f"the field {name!r} must be {word}")
    if argument.most and not 1 <= value <= argument.most:
        raise InvalidInput(f"the field {name!r} must be from 1 to {argument.most}")
    return value


async def _run(operation: Operation, call: Call) -> Response:
    """The answer of the operation, computed in a thread within its time limit."""
    state, is_door = call.state, operation.is_door
    pool = state.door_threads if is_door else state.threads
    patience = state.limits.door if is_door else state.limits.answer
    try:
        async with asyncio.timeout(patience):
            answer: Response = await pool.run(
                lambda: _response(operation, handlers.HANDLERS[operation.name](call))
            )
            return answer
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
