"""Guided selection over MCP, with a client that can show forms and with one that cannot."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters
from mcp.types import ElicitResult

import hardwon
from hardwon import Agent
from hardwon.surfaces.mcp import server
from tests.learn.transcripts.transcripts import SESSION, Claude
from tests.surfaces.mcp.test_server import connected, environ, served

ERAS = ["auto", "legacy"]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with one session in which something was learnt."""
    folder = tmp_path / "shop"
    folder.mkdir()
    talk = Claude(cwd=str(folder)).says("Add a nightly report")
    talk.run("mkdir out/nightly", "mkdir: cannot create directory 'out/nightly'", failed=True)
    talk.run("mkdir -p out/nightly").agent("The folder is there.")
    talk.says("No, don't use npm here, use pnpm instead.").write(Path(os.environ["HOME"]))
    return folder


def drive(
    project: Path, era: str, script: Callable[[Client, Agent], Awaitable[None]], **more: Any
) -> None:
    """Run a script with a client that is connected in process."""

    async def main() -> None:
        with hardwon.open(project.parent / "hw") as hw:
            agent = hw.agent("coder", project=str(project))
            async with Client(server.build(hw, agent), mode=era, **more) as client:
                await script(client, agent)

    asyncio.run(main())


async def person(ctx: Any, asked: Any) -> ElicitResult:
    """Somebody who keeps what is about pnpm and takes the defaults otherwise."""
    fields = asked.requested_schema["properties"]
    chosen: dict[str, Any] = {name: field.get("default") for name, field in fields.items()}
    if "Q2" in fields:
        chosen["Q2"] = [one for one in fields["Q2"]["items"]["enum"] if "pnpm" in one]
    return ElicitResult(action="accept", content=chosen)


@pytest.mark.parametrize("era", ERAS)
def test_a_person_chooses_in_two_forms(era: str, project: Path) -> None:
    shown: list[Any] = []

    async def watched(ctx: Any, asked: Any) -> ElicitResult:
        shown.append(sorted(asked.requested_schema["properties"]))
        return await person(ctx, asked)

    async def script(client: Client, agent: Agent) -> None:
        result = await client.call_tool("select_insights", {"session": SESSION})
        assert not result.is_error, result.content
        assert result.structured_content is not None
        assert result.structured_content["status"] == "saved"
        (lesson,) = agent.lessons.list()
        assert "pnpm" in lesson.correction

    drive(project, era, script, elicitation_callback=watched)

    assert len(shown) == 2
    assert "Q2" in shown[0]
    assert all(name.startswith("Q5") for name in shown[1])


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("way", ["streams", "http"])
def test_forms_are_shown_to_a_client_of_another_process(way: str, era: str, project: Path) -> None:
    home, told = project.parent / "hw", ("--project", str(project))
    forms: dict[str, Any] = {"elicitation_callback": person}

    async def script(client: Client) -> None:
        result = await client.call_tool("select_insights", {"session": SESSION})
        assert result.structured_content is not None, result.content
        assert result.structured_content["status"] == "saved"

    async def by_streams() -> None:
        target = StdioServerParameters(
            command=sys.executable,
            args=["-m", "hardwon", "mcp", "--agent", "coder", *told],
            env=environ(home),
            cwd=project,
        )
        async with Client(target, mode=era, **forms) as client:
            await script(client)

    async def by_http(url: str, token: str) -> None:
        async with connected(url, token, era, **forms) as client:
            await script(client)

    if way == "streams":
        asyncio.run(by_streams())
    else:
        with served(home, *told, cwd=project) as (url, token):
            asyncio.run(by_http(url, token))

    with hardwon.open(home) as hw:
        (lesson,) = hw.agent("coder", project=str(project)).lessons.list()
    assert "pnpm" in lesson.correction


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("answer", ["decline", "cancel"])
def test_a_person_who_declines_keeps_nothing(era: str, answer: Any, project: Path) -> None:
    async def person(ctx: Any, asked: Any) -> ElicitResult:
        return ElicitResult(action=answer)

    async def script(client: Client, agent: Agent) -> None:
        result = await client.call_tool("select_insights", {"session": SESSION})
        assert result.structured_content is not None
        assert result.structured_content["status"] == "declined"
        assert not agent.lessons.list()

    drive(project, era, script, elicitation_callback=person)


@pytest.mark.parametrize("era", ERAS)
def test_a_client_without_forms_asks_the_questions_itself(era: str, project: Path) -> None:
    async def script(client: Client, agent: Agent) -> None:
        asked = (await client.call_tool("select_insights", {"session": SESSION})).structured_content
        assert asked is not None
        assert asked["status"] == "questions"
        (q2,) = [one for one in asked["questions"] if one["id"] == "Q2"]
        wanted = [o["value"] for o in q2["options"] if "pnpm" in o["label"]]

        given = {"session": SESSION, "run": asked["run"], "answers": {"Q2": wanted}}
        done = (await client.call_tool("select_insights", given)).structured_content

        assert done is not None
        assert done["status"] == "saved"
        assert "pnpm" in agent.lessons.list()[0].correction

    drive(project, era, script)


def test_paths_and_unknown_sessions_are_refused(project: Path) -> None:
    async def script(client: Client, agent: Agent) -> None:
        for session in ("/etc/passwd", "../../x.jsonl", "no-such-session"):
            assert (await client.call_tool("select_insights", {"session": session})).is_error
        wrong = {"run": "no-such-run", "answers": {"Q2": ["1"]}}
        assert (await client.call_tool("select_insights", wrong)).is_error

    drive(project, "auto", script)
