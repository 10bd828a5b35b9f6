"""The description of the API as the tests read it."""

from __future__ import annotations

import json
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode

from hardwon.surfaces.serve.api import document
from tests.surfaces.serve.seeded import AGENT, PROJECT, Seeds

DOCUMENT: dict[str, Any] = document()


class Operation(NamedTuple):
    """One operation of the description."""

    method: str
    path: str
    told: dict[str, Any]

    def __str__(self) -> str:
        return f"{self.method} {self.path}"

    @property
    def success(self) -> int:
        return next(int(code) for code in self.told["responses"] if code < "300")

    @property
    def parameters(self) -> dict[str, Any]:
        """By name, without headers."""
        every = (_resolved(one) for one in self.told.get("parameters", ()))
        return {one["name"]: one for one in every if one["in"] != "header"}

    @property
    def media(self) -> str:
        """The kind of its body; "" when it has none."""
        return next(iter(self.told.get("requestBody", {}).get("content", {})), "")

    @property
    def has_fields(self) -> bool:
        """Whether its body is an object with fields of ours."""
        content = self.told.get("requestBody", {}).get("content", {})
        return "properties" in content.get("application/json", {}).get("schema", {})

    def body(self) -> bytes | None:
        """The example of its body."""
        if not self.media:
            return None
        example = self.told["requestBody"]["content"][self.media]["example"]
        return example.encode() if isinstance(example, str) else json.dumps(example).encode()

    def url(self, seeds: Seeds, **others: object) -> str:
        """Its address with the examples of its parameters, or with others."""
        values = {name: one.get("example") for name, one in self.parameters.items()}
        values |= {"id": _identity(self.path, seeds), **others}
        path = self.path.replace("{id}", quote(str(values.pop("id")), safe=""))
        asked = {name: _text(value) for name, value in values.items() if value is not None}
        return f"{path}?{urlencode(asked)}" if asked else path


def _identity(path: str, seeds: Seeds) -> object:
    known = {
        "lessons": seeds.lesson,
        "playbook": seeds.lesson,
        "failures": seeds.failure,
        "dead": seeds.job,
        "dreams": seeds.dream,
        "loops": seeds.loop,
        "keys": seeds.key,
        "deliveries": seeds.delivery,
        "runs": seeds.run,
    }
    return known.get(path.split("/")[2]) if path.count("/") > 1 else None


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _resolved(one: dict[str, Any]) -> dict[str, Any]:
    name = one.get("$ref", "").rpartition("/")[2]
    found: dict[str, Any] = DOCUMENT["components"]["parameters"][name] if name else one
    return found


WAKE = "/v1/queue/wake"  # starts a process
OPERATIONS = [
    Operation(method.upper(), path, told)
    for path, methods in DOCUMENT["paths"].items()
    for method, told in methods.items()
]
PLACE = {"agent": AGENT, "project": PROJECT}
