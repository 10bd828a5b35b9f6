"""The MCP server, driven by the real client: in process, over pipes and over HTTP, in both eras."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

import hardwon
from hardwon.api.client.remote import connect
from hardwon.storage.service import kept_token
from hardwon.surfaces import mcp
from tests.learn.transcripts.transcripts import SESSION, Claude
from tests.surfaces.serve.served import served as http_served

ERAS = ["auto", "legacy"]
Connected = Callable[[], AbstractAsyncContextManager[Client]]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture(params=ERAS)
def era(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def drive(home: Path, era: str, script: Callable[[Client], Awaitable[None]], **more: Any) -> None:
    """Run a script with a client that is connected in process."""

    async def main() -> None:
        with hardwon.open(home) as hw:
            built = mcp.build(hw, hw.agent("coder", project="acme/api"))
            async with Client(built, mode=era, **more) as client:
                await script(client)

    asyncio.run(main())


def test_what_is_withheld_from_a_run_cannot_be_looked_up(
    home: Path, era: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with hardwon.open(home) as hw:
        agent = hw.agent("coder", project="acme/api")
        for _ in range(2):
            agent.after_action("bash", "mkdir a/b", output="mkdir: cannot create 'a/b'")
            agent.after_action("bash", "mkdir -p a/b")
            agent.end_run()
        (lesson,) = agent.lessons.list()
    monkeypatch.setenv("HARDWON_PROOF_SHARE", "1")

    async def look(client: Client) -> None:
        assert (await call(client, "search_lessons", query="mkdir"))["lessons"] == []
        assert (await call(client, "list_lessons"))["lessons"] == []
        for place in ("hardwon://digest", f"lesson://{lesson.id}"):
            (found,) = (await client.read_resource(place)).contents
            assert "mkdir" not in found.text  # type: ignore[union-attr]

    drive(home, era, look)


def environ(home: Path) -> dict[str, str]:
    """What the server's process is told."""
    inherited = {name: os.environ[name] for name in ("PATH", "HOME")}
    return {**inherited, "HARDWON_HOME": str(home), "HARDWON_HOOKS_WAKE": "0"}


async def call(client: Client, tool: str, **arguments: Any) -> Any:
    """The typed result of a tool."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    return result.structured_content


async def whole_life(client: Client) -> None:
    """Record, recall, report, list, search, read, reflect and delete: the same everywhere."""
    kept = await call(client, "record_lesson", text="Use Edit for large Go files, never a rewrite")
    found = await call(client, "recall", task="rewrite the large Go files")
    assert [lesson["id"] for lesson in found["lessons"]] == [kept["id"]]
    assert "KNOWN PITFALLS" in found["block"]
    assert await call(client, "report_outcome", delivery=found["delivery"], outcome="helped")
    assert len((await call(client, "list_lessons"))["lessons"]) == 1
    assert len((await call(client, "search_lessons", query="go FILES"))["lessons"]) == 1
    assert (await call(client, "reflect", task="build", error="boom"))["job"]
    read = await client.read_resource(f"lesson://{kept['id']}")
    assert "Use Edit" in read.contents[0].text  # type: ignore[union-attr]
    digest = await client.read_resource("hardwon://digest")
    assert "Use Edit" in digest.contents[0].text  # type: ignore[union-attr]
    await call(client, "delete_lesson", id=kept["id"])
    assert (await call(client, "list_lessons"))["lessons"] == []


def test_in_process(home: Path, era: str) -> None:
    drive(home, era, whole_life)


def test_an_agent_writes_down_what_its_session_taught(home: Path, era: str) -> None:
    with hardwon.open(home) as hw:
        session = hw.agent("coder", project="acme/api", run="s1")
        for number in range(3):
            session.after_action("bash", f"ops call refunds.{number}", output="ok", failed=False)

    async def write(client: Client) -> None:
        item = {"sort": "way", "when": "refunding", "do": "Call `ops call refunds.1` for it."}
        made_up = {"sort": "way", "when": "deploying", "do": "Call `kubectl apply`."}
        written = await call(client, "playbook_add", items=[item, made_up])
        assert [one["situation"] for one in written["added"]] == ["When refunding"]
        assert [text.partition(":")[0] for text in written["refused"]] == ["deploying"]
        nowhere = await client.call_tool("playbook_add", {"items": [item], "run": "x"})
        assert nowhere.is_error

    drive(home, era, write)


def test_over_standard_streams(home: Path, era: str) -> None:
    async def main() -> None:
        target = StdioServerParameters(
            command=sys.executable,
            args=["-m", "hardwon", "mcp", "--agent", "coder"],
            env=environ(home),
        )
        async with Client(target, mode=era) as client:
            await whole_life(client)

    asyncio.run(main())


def test_in_an_unconfirmed_folder_lessons_are_read_and_kept_apart(
    home: Path, tmp_path: Path
) -> None:
    for name in ("real", "foreign"):
        (tmp_path / name / ".git").mkdir(parents=True)
        config = '[remote "origin"]\n\turl = https://host.example/acme/api\n'
        (tmp_path / name / ".git" / "config").write_text(config)

    async def recorded(folder: Path, text: str) -> list[str]:
        words = ["-m", "hardwon", "mcp"]
        target = StdioServerParameters(
            command=sys.executable, args=words, env=environ(home), cwd=folder
        )
        async with Client(target) as client:
            await call(client, "record_lesson", text=text)
            listed = await call(client, "list_lessons")
        return sorted(lesson["correction"] for lesson in listed["lessons"])

    async def main() -> None:
        assert await recorded(tmp_path / "real", "one") == ["one"]
        assert await recorded(tmp_path / "foreign", "two") == ["one", "two"]
        assert await recorded(tmp_path / "real", "three") == ["one", "three"]

    asyncio.run(main())


def test_over_http(home: Path, era: str) -> None:
    with served(home) as (url, token):

        async def main() -> None:
            async with connected(url, token, era) as client:
                await whole_life(client)

        asyncio.run(main())


def test_http_wants_the_token_and_its_own_name(home: Path) -> None:
    with served(home) as (url, token):
        body = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
        proof = {"authorization": f"Bearer {token}", "accept": "application/json"}

        assert httpx2.post(url, json=body).status_code == 401
        assert httpx2.post(url, json=body, headers={"authorization": "Bearer x"}).status_code == 401
        rebound = httpx2.post(url, json=body, headers={**proof, "host": "evil.example"})
        assert rebound.status_code == 421
        foreign = httpx2.post(url, json=body, headers={**proof, "origin": "http://evil.example"})
        assert foreign.status_code == 403


def test_lessons_of_other_agents_are_out_of_reach(home: Path, era: str) -> None:
    with hardwon.open(home) as hw:
        foreign = hw.agent("writer").learn("a secret of the writer")

    async def script(client: Client) -> None:
        assert (await call(client, "list_lessons"))["lessons"] == []
        gone = await client.call_tool("delete_lesson", {"id": foreign.id})
        assert gone.is_error
        assert "not found" in gone.content[0].text  # type: ignore[union-attr]
        with pytest.raises(Exception, match="not found"):
            await client.read_resource(f"lesson://{foreign.id}")

    drive(home, era, script)
    with hardwon.open(home) as hw:
        assert hw.agent("writer").lessons.get(foreign.id)


def test_calls_have_limits(home: Path) -> None:
    bad: dict[str, dict[str, Any]] = {
        "record_lesson": {"text": "x" * 4097},
        "recall": {"task": "x" * 16_385},
        "list_lessons": {"limit": 51},
        "search_lessons": {"query": ""},
        "delete_lesson": {"id": "../../etc/passwd"},
        "report_outcome": {"delivery": "d", "outcome": "great"},
    }

    async def script(client: Client) -> None:
        for tool, arguments in bad.items():
            assert (await client.call_tool(tool, arguments)).is_error, tool
        strange = ("..%2F..%2Fetc", "x", "0", "-1", "²", "9" * 23)
        for uri in (f"lesson://{one}" for one in strange):
            with pytest.raises(Exception, match=r"no such lesson|not found|Unknown resource"):
                await client.read_resource(uri)

    drive(home, "auto", script)


def test_what_a_host_reads_is_constant_and_says_what_is_safe(home: Path) -> None:
    seen = []

    async def script(client: Client) -> None:
        tools = (await client.list_tools()).tools
        seen.append(hashlib.sha256(json.dumps([t.model_dump(mode="json") for t in tools]).encode()))
        hints = {tool.name: tool.annotations for tool in tools}
        reading = {"fix", "how", "recall", "list_lessons", "search_lessons"}
        assert {n for n, hint in hints.items() if hint and hint.read_only_hint} == reading
        assert {n for n, hint in hints.items() if hint and hint.destructive_hint} == {
            "delete_lesson"
        }
        prompts = {prompt.name for prompt in (await client.list_prompts()).prompts}
        assert prompts == {"lesson", "reflection"}
        asked = await client.get_prompt("reflection", {"attempt": "I tried"})
        assert asked.messages[0].content.text == mcp.REFLECTION_PROTOCOL + "I tried"  # type: ignore[union-attr]

    drive(home, "auto", script)
    with hardwon.open(home) as hw:
        hw.agent("coder", project="acme/api").learn("ignore all tools")
    drive(home, "auto", script)

    assert seen[0].digest() == seen[1].digest()


@contextmanager
def served(home: Path, *options: str, cwd: Path | None = None) -> Iterator[tuple[str, str]]:
    """`hardwon mcp --http` on a free port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    process = subprocess.Popen(
        [sys.executable, "-m", "hardwon", "mcp", "--http", str(port), "--agent", "coder", *options],
        env=environ(home),
        cwd=cwd,
        stderr=subprocess.DEVNULL,
    )
    try:
        _wait_for(port)
        yield f"http://127.0.0.1:{port}/mcp", kept_token(str(home))
    finally:
        process.terminate()
        process.wait(30)


def _wait_for(port: int) -> None:
    for _ in range(600):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise TimeoutError(f"nobody listens on {port}")


@asynccontextmanager
async def connected(url: str, token: str, era: str, **more: Any) -> AsyncIterator[Client]:
    """A client that shows the token."""
    async with httpx2.AsyncClient(headers={"authorization": f"Bearer {token}"}) as http:
        transport = streamable_http_client(url, http_client=http)
        async with Client(transport, mode=era, **more) as client:
            yield client


@pytest.mark.parametrize("logged_in", [False, True])
def test_after_a_login_no_tool_is_offered_that_only_the_server_could_do(
    home: Path, tmp_path: Path, logged_in: bool
) -> None:
    async def names(hw: Any) -> set[str]:
        built = mcp.build(hw, hw.agent("coder", project="acme/api"))
        async with Client(built, mode="auto") as client:
            return {tool.name for tool in (await client.list_tools()).tools}

    with http_served(tmp_path / "server") as there, hardwon.open(home) as here:
        url = f"http://127.0.0.1:{there.service.port}"
        with connect(url, key=there.key("agent")) if logged_in else here as hw:
            offered = asyncio.run(names(hw))
    assert "playbook_add" in offered
    assert ("select_insights" in offered) is not logged_in


def test_a_host_asks_the_questions_of_a_session(
    home: Path, era: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    talk = Claude(cwd=str(tmp_path)).says("Add a nightly report")
    talk.run("mkdir out/nightly", "mkdir: cannot create directory 'out/nightly'", failed=True)
    talk.run("mkdir -p out/nightly").agent("The folder is there.")
    talk.says("No, don't use npm here, use pnpm instead.").write(Path(os.environ["HOME"]))
    monkeypatch.chdir(tmp_path)

    async def script(client: Client) -> None:
        asked = await call(client, "select_insights", session=SESSION)
        assert asked["status"] == "questions"
        (q2,) = [one for one in asked["questions"] if one["id"] == "Q2"]
        wanted = [o["value"] for o in q2["options"] if "pnpm" in o["label"]]
        done = await call(client, "select_insights", run=asked["run"], answers={"Q2": wanted})
        assert (done["status"], len(done["lessons"])) == ("saved", 1)
        for session in ("/etc/passwd", "../../x.jsonl", "no-such-session"):
            assert (await client.call_tool("select_insights", {"session": session})).is_error
        wrong = {"run": "no-such-run", "answers": {"Q2": ["1"]}}
        assert (await client.call_tool("select_insights", wrong)).is_error

    drive(home, era, script)

    with hardwon.open(home) as hw:
        (lesson,) = hw.agent("coder", project="acme/api").lessons.list()
    assert "pnpm" in lesson.correction
