"""The dashboard: a real Prometheus that scrapes a real server answers each of its queries."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import URLError
from urllib.parse import quote
from urllib.request import urlopen

import pytest

from tests.programs import needs
from tests.redis_server import free_port
from tests.surfaces.serve.served import Served, served

pytestmark = pytest.mark.adapters

DASHBOARD = Path(__file__).parents[1] / "deploy" / "grafana.json"
PATIENCE = 120  # seconds for scrapes
SCRAPE = """
scrape_configs:
  - job_name: hardwon
    scrape_interval: 1s
    authorization: {{credentials: {key}}}
    static_configs: [{{targets: ["127.0.0.1:{port}"]}}]
"""
MKDIR = {"tool": "bash", "args": {"command": "mkdir out/a"}}
ERROR = "mkdir: cannot create directory 'out/a': No such file or directory"


@contextmanager
def prometheus(folder: Path, server: Served) -> Iterator[str]:
    """The address of a Prometheus that scrapes the server every second."""
    program = needs("prometheus", package="prometheus", is_service=True)
    config, address = folder / "prometheus.yml", f"127.0.0.1:{free_port()}"
    config.write_text(SCRAPE.format(key=server.key("viewer"), port=server.service.port))
    command = [program, f"--config.file={config}", f"--web.listen-address={address}"]
    with subprocess.Popen(
        [*command, f"--storage.tsdb.path={folder / 'data'}"], stderr=subprocess.DEVNULL
    ) as process:
        try:
            yield f"http://{address}"
        finally:
            process.terminate()


def queries() -> list[str]:
    panels = json.loads(DASHBOARD.read_text())["panels"]
    return [target["expr"] for panel in panels for target in panel["targets"]]


def numbers(url: str, query: str) -> list[float]:
    """The values that Prometheus answers; an error of the query is raised."""
    query = query.replace("$__rate_interval", "1m")
    try:
        with urlopen(f"{url}/api/v1/query?query={quote(query)}") as answer:
            rows = json.load(answer)["data"]["result"]
    except (ConnectionError, URLError) as error:
        if getattr(error, "code", 503) != 503:  # not yet ready
            raise AssertionError(query) from error
        return []
    return [float(row["value"][1]) for row in rows]


def work(server: Served, number: int) -> None:
    """A run that is told at its start, before a call and at an error; odd ones fail again."""
    key, place = server.key("agent"), f"?agent=coder&project=shop&run=r{number}"
    server.ask("POST", f"/v1/start{place}", {}, key=key)
    server.ask("POST", f"/v1/before_action{place}", MKDIR, key=key)
    if number % 2:
        failed = {**MKDIR, "output": ERROR, "failed": True}
        server.ask("POST", f"/v1/after_action{place}", failed, key=key)
    better = {"tool": "bash", "args": {"command": "mkdir -p out/a"}, "output": ""}
    server.ask("POST", f"/v1/after_action{place}", better, key=key)
    server.ask("POST", f"/v1/end_run{place}", {}, key=key)


def test_prometheus_answers_every_query_of_the_dashboard(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HARDWON_HOOKS_WAKE", "false")
    waiting, number, end = set(queries()), 0, time.monotonic() + PATIENCE
    with served(tmp_path / "home") as server, prometheus(tmp_path, server) as url:
        while waiting and time.monotonic() < end:
            number += 1
            work(server, number)
            time.sleep(1)
            waiting = {query for query in waiting if not is_answered(url, query)}

    assert waiting == set()


def is_answered(url: str, query: str) -> bool:
    """Whether there are values, and what the runs of this test count is over 0."""
    values = numbers(url, query)
    is_idle = "lessonq" in query or "model" in query  # no job, no model
    return bool(values) and (is_idle or any(value > 0 for value in values))
