"""The description of the API in OpenAPI 3.1, derived from the table of operations."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from hardwon.api.codec import Schemas
from hardwon.api.operations import JSON, KINDS, OPERATIONS, Argument, Operation

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
