"""The route behind a request: a tool that takes a method and a path is several tools.

    request {"method": "POST", "path": "/orders/o-17/release"}    POST:/orders/<id>/release

Failures and arguments are counted by tool, since much holds for all routes of a service. Only
what comes first, and where a value comes from, depends on the route.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from hardwon.knowledge.reading.authored import fields

if TYPE_CHECKING:
    from hardwon.core.values.run import Step
    from hardwon.knowledge.reading.fix_case import Case

_ADDRESSES = ("path", "url", "uri", "endpoint", "route")
_METHOD = r"(?i:get|head|post|put|patch|delete)"
_PARAMETER = r"[?&]([A-Za-z][\w.-]{0,40})=([^&#]{0,200})"


def route(address: str) -> str:
    """The path of an address, without host and query, with ids as `<id>`."""
    return "/".join("<id>" if _is_id(part) else part for part in _path(address).split("/"))


def _is_id(part: str) -> bool:
    """Whether a part of a path names one thing; `v3` and `oauth2` are kinds."""
    is_joined = "_" in part or "-" in part
    return bool(re.search(r"\d\d", part) or (is_joined and re.search(r"\d", part)))


def is_route(tool: str) -> bool:
    """Whether a tool is named as `routed` names it."""
    return ":/" in tool


def routed(step: Step) -> Step:
    """The step with its route as the tool, and its ids and body as arguments; else as it is."""
    arguments = fields(step.args) if '"method": "' in step.args else {}
    address = _address(arguments)
    if not address or not re.fullmatch(_METHOD, str(arguments["method"])):
        return step
    ids = [part for part in _path(address).split("/") if _is_id(part)]
    others = {"id": ids, "body": arguments.get("body")}
    given = {key: value for key, value in others.items() if value}
    args = json.dumps(given, ensure_ascii=False, sort_keys=True)
    return step._replace(tool=f"{arguments['method'].upper()}:{route(address)}", args=args)


def routed_case(case: Case) -> Case:
    """The case with the routes of its steps as tools."""
    return case._replace(steps=tuple(map(routed, case.steps)))


def parameters(arguments: dict[str, Any]) -> dict[str, str]:
    """The parameters in the address of a request: `from` and `to` of `/readings?from=1&to=2`."""
    return dict(re.findall(_PARAMETER, _address(arguments)))


def _address(arguments: dict[str, Any]) -> str:
    addresses = (arguments.get(key) for key in _ADDRESSES if "method" in arguments)
    return next((address for address in addresses if isinstance(address, str)), "")


def _path(address: str) -> str:
    return re.sub(r"^https?://[^/]*|[?#].*$", "", address)
