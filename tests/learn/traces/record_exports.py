"""Make exports with the packages of observability: `python record_exports.py NAME OUTPUT.jsonl.gz`.

Run it with PYTHONPATH=src:. in an environment of its own, with the packages that a function names.
What is exported are the calls of `record.py`. A file of Langfuse comes from its typed model: its
server is no package.
"""

# mypy: ignore-errors
from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
import time
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.request import Request, urlopen

from hardwon.learn.traces.conventions import read_request
from tests.learn.traces import record
from tests.learn.traces.sent import recorded


def phoenix() -> list[str]:
    """arize-phoenix arize-phoenix-client: the real server takes the recording of LangGraph"""
    url = "http://127.0.0.1:16006"
    own = {"PHOENIX_PORT": "16006", "PHOENIX_GRPC_PORT": "14317", "PHOENIX_HOST": "127.0.0.1"}
    own |= {"PHOENIX_WORKING_DIR": os.environ["TMPDIR"], "PHOENIX_TELEMETRY_ENABLED": "false"}
    program = Path(sys.executable).with_name("phoenix")
    server = subprocess.Popen([program, "serve"], env={**os.environ, **own})
    try:
        headers = {"Content-Type": "application/x-protobuf"}
        time.sleep(30)
        for body in recorded("langgraph"):
            urlopen(Request(f"{url}/v1/traces", body, headers))
        time.sleep(5)
        from phoenix.client import Client

        spans = Client(base_url=url).spans.get_spans(project_identifier="default", limit=1000)
        return [json.dumps(span) for span in spans]
    finally:
        server.terminate()


def langsmith() -> list[str]:
    """langsmith: what its client sends, read as the `Run` of its schemas"""
    runs: dict[str, dict[str, Any]] = {}

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            limits = {"size_limit": 100, "size_limit_bytes": 20 << 20, "scale_up_nthreads_limit": 1}
            limits |= {"scale_up_qsize_trigger": 1000, "scale_down_nempty_trigger": 4}
            batch = {**limits, "use_multipart_endpoint": False}
            self._answer(json.dumps({"version": "0.12.0", "batch_ingest_config": batch}).encode())

        def do_POST(self) -> None:
            sent = json.loads(self.rfile.read(int(self.headers["content-length"])))
            for run in (*sent.get("post", ()), *sent.get("patch", ())):
                known = {name: value for name, value in run.items() if value is not None}
                runs.setdefault(run["id"], {}).update(known)
            self._answer(b"{}")

        def _answer(self, body: bytes) -> None:
            self.send_response(200)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}"
    os.environ.update(LANGSMITH_TRACING="true", LANGSMITH_API_KEY="none", LANGSMITH_ENDPOINT=url)
    from langsmith import schemas, traceable
    from langsmith.run_trees import get_cached_client

    call = traceable(run_type="tool")(record.kiosk)

    @traceable(run_type="chain")
    def agent(messages: Any) -> str:
        for command in record.CALLS:
            with suppress(RuntimeError):
                call(command)
        return "There are 12 pears."

    agent([{"role": "user", "content": record.TASK}])
    get_cached_client().flush()
    time.sleep(2)
    made = (schemas.Run(**run) for run in runs.values())
    return [run.model_dump_json(exclude_none=True, exclude={"extra"}) for run in made]


def langfuse() -> list[str]:
    """langfuse: its recorded spans as `ObservationV2`, the type of its API"""
    from langfuse.api import ObservationV2

    made = []
    for span in (
        one
        for body in recorded("langfuse")
        for one in read_request(body, is_json=False, is_logs=False)
    ):
        given = {name.rpartition(".")[2]: value for name, value in span.attributes.items()}
        observation = ObservationV2(
            id=span.id,
            trace_id=span.trace,
            parent_observation_id=span.parent or None,
            project_id="kiosk",
            start_time=span.begun / 1e9,
            end_time=span.ended / 1e9,
            name=span.name,
            type=given["type"].upper(),
            level=given.get("level", "DEFAULT"),
            status_message=given.get("status_message"),
            input=json.loads(given["input"]),
            output=given.get("output"),
        )
        made.append(observation.json(by_alias=True, exclude_none=True))
    return made


if __name__ == "__main__":
    exported = {made.__name__: made for made in (phoenix, langsmith, langfuse)}[sys.argv[1]]()
    text = "".join(f"{line}\n" for line in exported)
    for folder in (Path(__file__).parents[3], Path(sys.prefix)):  # in tracebacks
        text = text.replace(str(folder), "/home/me/work")
    with gzip.open(sys.argv[2], "wt", encoding="utf-8") as file:
        file.write(text)
