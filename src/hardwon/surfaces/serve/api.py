"""The HTTP API: a route for each operation in the table, and its description in OpenAPI 3.1."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from hardwon.api import codec
from hardwon.api.codec import Schemas
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
                lambda: _response(operation, _HANDLERS[operation.name](call, **arguments))
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


_ABOUT = (
    "The key decides whose data a request is about; no request names the tenant. The doors"
    " (`start`, `before_turn`, `before_action`, `after_action` and the contexts) answer 200 with an"
    " empty text when something is wrong on the server's side. Besides what is listed, every"
    " operation may answer 403 to a foreign origin, 408 to a body that does not arrive, 413 to one"
    " that is too large, 421 to a foreign host name, 429 with `Retry-After`, 500, 503 and 507; all"
    " as `application/problem+json`."
)
_PROBLEMS = {
    400: "Something in the request can never work; `detail` names it.",
    401: "No valid key.",
    403: "The role of the key does not allow it, or it is for another agent or project.",
    404: "Nothing with this name is visible to the key.",
    415: "The body is not JSON.",
}
_ONCE = {
    "name": "Idempotency-Key",
    "in": "header",
    "description": "The same request with the same key is done once, and answered alike for a day.",
    "schema": {"type": "string", "maxLength": 200},
    "example": "9f1c",
}
_PUBLIC = {
    "/healthz": ("text/plain; charset=utf-8", "Whether the server is running"),
    "/readyz": (JSON, "Whether the database and the queue can be read"),
}


@lru_cache(maxsize=1)
def document() -> dict[str, Any]:
    """The whole description."""
    schemas = Schemas()
    paths: dict[str, Any] = {}
    for operation in OPERATIONS.values():
        described = _describe(operation, schemas)
        paths.setdefault(operation.path, {})[operation.method.lower()] = described
    for path, (media, summary) in _PUBLIC.items():
        described = {
            "operationId": path[1:],
            "tags": ["operations"],
            "summary": summary,
            "security": [],
            "responses": {"200": {"description": "Done.", "content": {media: {"schema": {}}}}},
        }
        paths[path] = {"get": described}
    schemas.found["Problem"] = _object(
        {"title": {"type": "string"}, "status": {"type": "integer"}, "detail": {"type": "string"}}
    )
    problem = {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
    subjects = dict.fromkeys(name.partition(".")[0] for name in OPERATIONS)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "hardwon",
            "version": "1",
            "summary": "Lessons for agents, over HTTP.",
            "description": _ABOUT,
        },
        "servers": [{"url": "/"}],
        "security": [{"key": []}],
        "tags": [{"name": subject} for subject in subjects],
        "paths": paths,
        "components": {
            "securitySchemes": {"key": {"type": "http", "scheme": "bearer"}},
            "parameters": {"idempotency": _ONCE},
            "responses": {
                f"Problem{code}": {"description": text, "content": problem}
                for code, text in _PROBLEMS.items()
            },
            "schemas": schemas.found,
        },
    }


def _describe(operation: Operation, schemas: Schemas) -> dict[str, Any]:
    parameters: list[dict[str, Any]] = []
    for name, one in operation.query.items():
        parameter: dict[str, Any] = {"name": name, "in": "query", "schema": _schema(one)}
        parameter |= {"required": True} if one.is_required else {}
        parameters.append(parameter | ({} if one.example is None else {"example": one.example}))
    if "{id}" in operation.path:
        has_number = operation.path.startswith(("/v1/lessons/", "/v1/playbook/"))
        schema = {"type": "integer" if has_number else "string"}
        parameters.insert(0, {"name": "id", "in": "path", "required": True, "schema": schema})
    if operation.method != "GET" and operation.is_repeatable:
        parameters.append({"$ref": "#/components/parameters/idempotency"})
    refusals = {
        400: bool(operation.query or operation.body),
        401: True,
        403: True,
        404: operation.can_miss,
        415: bool(operation.body) and not operation.takes_bytes,
    }
    described = {
        "operationId": operation.name,
        "tags": [operation.name.partition(".")[0]],
        "summary": operation.summary,
        "parameters": parameters,
        "responses": {
            str(operation.status): _answer(operation, schemas),
            **{
                str(code): {"$ref": f"#/components/responses/Problem{code}"}
                for code, can_be in refusals.items()
                if can_be
            },
        },
    }
    return {**described, **({"requestBody": _body(operation)} if operation.body else {})}


def _schema(argument: Argument) -> dict[str, Any]:
    schema = dict(KINDS[argument.kind].schema)
    if argument.choices:
        schema["enum"] = list(argument.choices)
    if argument.most:
        schema |= {"minimum": 1, "maximum": argument.most}
    if argument.default:
        is_number = argument.kind == "integer"
        schema["default"] = int(argument.default) if is_number else argument.default
    return schema | ({"description": argument.note} if argument.note else {})


def _body(operation: Operation) -> dict[str, Any]:
    fields = operation.body
    schema: dict[str, Any] = {"type": "string"}
    if not operation.takes_bytes:
        properties = {name: _schema(one) for name, one in fields.items()}
        needed = [name for name, one in fields.items() if one.is_required]
        schema = {**_object(properties), "required": needed, "additionalProperties": False}
    return {
        "required": any(one.is_required for one in fields.values()),
        "content": {operation.takes: {"schema": schema, "example": operation.example}},
    }


def _answer(operation: Operation, schemas: Schemas) -> dict[str, Any]:
    if operation.gives is None:
        return {"description": "Done."}
    schema = schemas.of(operation.gives)
    if operation.shape:
        properties = {"items": {"type": "array", "items": schema}}
        if operation.shape == "page":
            cursor = "Give it as `cursor` to get the next page; null at the end."
            properties["next"] = {"type": ["string", "null"], "description": cursor}
        schema = _object(properties)
    return {"description": "Done.", "content": {operation.media: {"schema": schema}}}


def _object(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": dict(properties), "required": list(properties)}


_HANDLERS = {**HANDLERS, "operations.openapi": lambda call: document()}
