"""What a server has answered: a log of requests, and metrics by route and status."""

from __future__ import annotations

import json
import sys
import threading
from collections import Counter
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from hardwon.surfaces.serve.access import own_path

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from starlette.types import Scope

TEXT, AS_JSON = "text", "json"
_BUCKETS = (0.005, 0.025, 0.1, 0.5, 1.0, 5.0)  # seconds


class Traffic:
    """Counts requests; with `form` each is also one line of a log, on standard error."""

    def __init__(self, form: str = "") -> None:
        self._form = form
        self._lock = threading.Lock()
        self._answers: Counter[tuple[str, str, str, int]] = Counter()
        self._times: Counter[tuple[str, str, float]] = Counter()
        self._seconds: Counter[tuple[str, str]] = Counter()

    def note(self, scope: Scope, status: int, seconds: float) -> None:
        """Count a request that was answered, and log it."""
        principal = scope["state"]["principal"]
        tenant, route = principal.tenant if principal else "", route_of(scope)
        with self._lock:
            self._answers[tenant, scope["method"], route, status] += 1
            self._seconds[tenant, route] += seconds  # type: ignore[assignment]
            self._times.update((tenant, route, limit) for limit in _BUCKETS if seconds <= limit)
        if self._form:
            self._log(scope, status, seconds, key=principal.key if principal else None)

    def exposition(self, tenant: str) -> bytes:
        """The counts of a tenant in the format of Prometheus."""
        with self._lock:
            lines = [*self._counts(tenant), *self._latencies(tenant)]
        return "".join(f"{line}\n" for line in lines).encode()

    def _counts(self, tenant: str) -> Iterator[str]:
        yield "# TYPE hardwon_http_requests_total counter"
        for (owner, method, route, status), count in sorted(self._answers.items()):
            if owner == tenant:
                labels = f'method="{method}",route="{route}",status="{status}"'
                yield f"hardwon_http_requests_total{{{labels}}} {count}"

    def _latencies(self, tenant: str) -> Iterator[str]:
        name = "hardwon_http_request_seconds"
        yield f"# TYPE {name} histogram"
        for (owner, route), seconds in sorted(self._seconds.items()):
            if owner != tenant:
                continue
            total = sum(
                count
                for (whose, _, where, _), count in self._answers.items()
                if (whose, where) == (tenant, route)
            )
            for limit in _BUCKETS:
                count = self._times[tenant, route, limit]
                yield f'{name}_bucket{{route="{route}",le="{limit}"}} {count}'
            yield f'{name}_bucket{{route="{route}",le="+Inf"}} {total}'
            yield f'{name}_sum{{route="{route}"}} {seconds:.6f}'
            yield f'{name}_count{{route="{route}"}} {total}'

    def _log(self, scope: Scope, status: int, seconds: float, *, key: str | None) -> None:
        fields: Mapping[str, object] = {
            "at": datetime.now(UTC).isoformat(timespec="milliseconds"),
            "from": (scope.get("client") or ("-",))[0],
            "key": "-" if key is None else key or "owner",
            "method": scope["method"],
            "path": own_path(scope),
            "status": status,
            "ms": round(1000 * seconds, 1),
        }
        if self._form == AS_JSON:
            line = json.dumps(fields)
        else:
            line = " ".join(ascii(str(value))[1:-1] for value in fields.values())
        sys.stderr.write(f"{line}\n")
        sys.stderr.flush()


def route_of(scope: Scope) -> str:
    """The path of the route; the values in it would make a metric for each lesson."""
    if "endpoint" not in scope:
        return "other"
    path = own_path(scope)
    if path.startswith("/static/"):
        return "/static"
    for name, value in (scope.get("path_params") or {}).items():
        path = path.replace(f"/{value}", f"/{{{name}}}", 1)
    return path
