"""Make routes of verbs: rights, body, thread, time limit, answer."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any, NamedTuple

from starlette.responses import Response
from starlette.routing import Route

from hardwon.core.errors import InvalidInput
from hardwon.core.values import plain
from hardwon.storage.service.replies import Kept
from hardwon.surfaces.serve.api.request import ApiRequest, cursor_of
from hardwon.surfaces.serve.problems import Problem
from hardwon.surfaces.serve.requests import admitted, limits_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from starlette.requests import Request

    from hardwon.core.values.report import Page
    from hardwon.surfaces.serve.thread_pool import ThreadPool

JSON = "application/json"
_REPLAYED = {"Idempotent-Replayed": "true"}


class Verb(NamedTuple):
    """One operation of the API."""

    method: str
    path: str
    rights: tuple[str, ...]  # one of them is needed
    call: Callable[[ApiRequest], Any]
    takes: tuple[str, ...] = ()  # the fields of its body
    status: int = 200
    otherwise: Any = None  # a door's answer after an error or timeout; None: report the error
    media: str = JSON
    is_secret: bool = False  # its answer holds a secret and is never stored
    takes_pack: bool = False  # its body may be large


def routes(verbs: Iterable[Verb]) -> list[Route]:
    """The routes of these verbs."""
    return [Route(verb.path, _endpoint(verb), methods=[verb.method]) for verb in verbs]


def _endpoint(verb: Verb) -> Callable[[Request], Any]:
    async def endpoint(request: Request) -> Response:
        limits = limits_of(request)
        most = limits.pack if verb.takes_pack else limits.body
        body = await admitted(request, *verb.rights, most=most)
        api_request = ApiRequest(request, _fields(verb, request, body), body)
        name = request.headers.get("idempotency-key")
        if name and verb.method != "GET" and not verb.is_secret:
            return await _once(verb, api_request, name, request)
        return await _called(verb, api_request)

    return endpoint


def _fields(verb: Verb, request: Request, body: bytes) -> dict[str, Any]:
    """The body as an object; InvalidInput names a field that the verb does not take."""
    if not verb.takes or not body:
        return {}
    if request.headers.get("content-type", JSON).partition(";")[0].strip().lower() != JSON:
        raise Problem(415, f"send the body as {JSON}")
    try:
        fields = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"the body is not JSON: {error}") from error
    if not isinstance(fields, dict):
        raise InvalidInput("the body must be a JSON object")
    unknown = fields.keys() - set(verb.takes)
    if unknown:
        allowed = ", ".join(verb.takes)
        raise InvalidInput(f"unknown field {sorted(unknown)[0]!r}; this takes {allowed}")
    return fields


async def _called(verb: Verb, api_request: ApiRequest) -> Response:
    """The answer of the verb, computed in a thread within its time limit."""
    state, is_door = api_request.state, verb.otherwise is not None
    pool: ThreadPool = state.door_threads if is_door else state.threads
    patience = state.limits.door if is_door else state.limits.answer
    try:
        async with asyncio.timeout(patience):
            return await pool.run(_answer, verb, api_request)
    except TimeoutError:
        if is_door:
            return _response(verb, verb.otherwise)
        raise Problem(503, f"no answer within {patience:g} s; ask for less, or later") from None


async def _once(verb: Verb, api_request: ApiRequest, name: str, request: Request) -> Response:
    """The stored answer to a repeated request, or the first answer."""
    state, tenant = api_request.state, api_request.principal.tenant
    key, url = api_request.principal.key, request.url
    request_bytes = f"{key} {verb.method} {url.path}?{url.query}\n".encode() + api_request.body
    async with state.locks(f"{tenant}\n{name}"):
        stored = await state.threads.run(state.replies.find, tenant, name, request_bytes)
        if stored is not None:
            return Response(stored.body, stored.status, _REPLAYED, media_type=verb.media)
        answer = await _called(verb, api_request)
        reply = Kept(answer.status_code, bytes(answer.body))
        await state.threads.run(state.replies.keep, tenant, name, request_bytes, reply)
    return answer


def _answer(verb: Verb, api_request: ApiRequest) -> Response:
    return _response(verb, verb.call(api_request))


def _response(verb: Verb, value: Any) -> Response:
    if isinstance(value, Response):
        return value
    if verb.status == 204:
        return Response(status_code=204)
    body = json.dumps(plain(value), ensure_ascii=False, separators=(",", ":"))
    return Response(body.encode("utf-8", "replace"), verb.status, media_type=verb.media)


def listed(page: Page[Any], view: Callable[[Any], Any] = plain) -> dict[str, Any]:
    """One page of a list, and the cursor of the next."""
    return {"items": [view(row) for row in page.rows], "next": cursor_of(page.next)}
