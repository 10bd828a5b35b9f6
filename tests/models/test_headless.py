"""Coding agents as models, by their headless mode."""

from __future__ import annotations

import asyncio
import os
from datetime import timedelta
from pathlib import Path

import pytest

from hardwon.core.errors import InvalidInput
from hardwon.models import command, open_model
from hardwon.storage.ports import Request

_PROGRAM = """#!/bin/sh
echo "in $(ls -A | wc -l) files"
echo "hooks $HARDWON_HOOKS_ENABLED"
echo "given $*"
cat
"""


@pytest.fixture
def claude(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program of the agent's name that tells how it was run."""
    program = tmp_path / "bin" / "claude"
    program.parent.mkdir()
    program.write_text(_PROGRAM)
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    return program


def _answer() -> str:
    model = open_model("agent:claude-code", keys={}, timeout=timedelta(seconds=20))
    return asyncio.run(model.complete(Request("the rules", "the question"))).text


@pytest.mark.usefixtures("claude")
def test_an_agent_answers_without_tools_hooks_or_a_project() -> None:
    answer = _answer()

    assert "in 0 files" in answer
    assert "hooks false" in answer
    assert "--tools  --strict-mcp-config" in answer
    assert answer.endswith("the rules\n\nthe question\n")


@pytest.mark.usefixtures("claude")
def test_the_model_has_the_name_of_its_agent() -> None:
    assert (
        open_model("agent:claude-code", keys={}, timeout=timedelta(1)).name == "agent:claude-code"
    )


def test_an_unknown_agent_is_refused_with_those_that_are_known() -> None:
    with pytest.raises(InvalidInput, match="claude-code, codex, gemini"):
        open_model("agent:emacs", keys={}, timeout=timedelta(1))


def test_an_agent_is_there_when_its_program_is(
    claude: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert command.has_agent("claude-code")
    assert not command.has_agent("cursor")

    monkeypatch.setenv("PATH", str(claude.parent / "none"))

    assert not command.has_agent("claude-code")
