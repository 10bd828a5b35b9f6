"""Guided selection over MCP, with a client that can show forms and with one that cannot."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.types import ElicitResult

import hardwon
from hardwon import Agent
from hardwon.surfaces.mcp import server
from tests.learn.sessions.transcripts import SESSION, Claude

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


@pytest.mark.parametrize("era", ERAS)
def test_a_person_chooses_in_two_forms(era: str, project: Path) -> None:
    shown: list[Any] = []

    async def person(ctx: Any, asked: Any) -> ElicitResult:
        fields = asked.requested_schema["properties"]
        shown.append(sorted(fields))
        chosen: dict[str, Any] = {name: field.get("default") for name, field in fields.items()}
        if "Q2" in fields:
            options = fields["Q2"]["items"]["enum"]
            chosen["Q2"] = [one for one in options if "pnpm" in one]
        return ElicitResult(action="accept", content=chosen)

    async def script(client: Client, agent: Agent) -> None:
        result = await client.call_tool("select_insights", {"session": SESSION})
        assert not result.is_error, result.content
        assert result.structured_content is not None
        assert result.structured_content["status"] == "saved"
        (lesson,) = agent.lessons.list()
        assert "pnpm" in lesson.correction

    drive(project, era, script, elicitation_callback=person)

    assert len(shown) == 2
    assert "Q2" in shown[0]
    assert all(name.startswith("Q5") for name in shown[1])


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
