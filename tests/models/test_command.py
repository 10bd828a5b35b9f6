"""Programs as models, and the headless modes of agents."""

from __future__ import annotations

import os
import sys
from datetime import timedelta
from pathlib import Path

import pytest

from hardwon.core.errors import InvalidInput, PermanentError, TransientError
from hardwon.models import command
from tests.models.asking import ask, opened
from tests.waiting import are_gone


def python(code: str) -> str:
    return f'command:{sys.executable} -c "{code}"'


def test_a_command_reads_the_question_and_prints_the_answer() -> None:
    reply = ask(opened(python("import sys; print(sys.stdin.read().upper())")))

    assert reply.text.strip() == "THE RULES\n\nTHE QUESTION"
    assert reply.tokens_in > 0


def test_a_command_that_does_not_read_may_answer_all_the_same() -> None:
    assert ask(opened("command:echo hello")).text == "hello\n"


def test_no_shell_sees_a_command() -> None:
    assert ask(opened("command:echo $HOME; ls")).text == "$HOME; ls\n"


def test_what_a_command_learns_while_it_words_a_lesson_is_not_captured() -> None:
    reply = ask(opened(python("import os; print(os.environ['HARDWON_REFLEXION_ENABLED'])")))

    assert reply.text == "false\n"


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("command:no-such-program-here", PermanentError),
        (python("raise SystemExit(3)"), TransientError),
        (python("raise SystemExit(127)"), PermanentError),
        (python("import os; os.kill(os.getpid(), 9)"), TransientError),
        (python("print('x' * 3_000_000)"), PermanentError),
    ],
)
def test_a_command_that_fails_is_classed(name: str, kind: type[Exception]) -> None:
    with pytest.raises(kind):
        ask(opened(name))


def test_a_command_that_hangs_ends_with_its_children(tmp_path: Path) -> None:
    number = tmp_path / "pid"
    code = (
        "import subprocess, sys, time;"
        " child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)']);"
        f" open('{number}', 'w').write(str(child.pid)); time.sleep(600)"
    )

    with pytest.raises(TransientError, match="longer"):
        ask(opened(python(code), timedelta(seconds=1)))

    assert are_gone(number.read_text() if number.exists() else "")


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


@pytest.mark.usefixtures("claude")
def test_an_agent_answers_without_tools_hooks_or_a_project() -> None:
    model = opened("agent:claude-code")
    answer = ask(model).text

    assert model.name == "agent:claude-code"
    assert "in 0 files" in answer
    assert "hooks false" in answer
    assert "--tools  --strict-mcp-config" in answer
    assert answer.endswith("the rules\n\nthe question\n")


def test_an_unknown_agent_is_refused_with_those_that_are_known() -> None:
    with pytest.raises(InvalidInput, match="claude-code, codex, gemini"):
        opened("agent:emacs")


def test_an_agent_is_there_when_its_program_is(
    claude: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert command.has_agent("claude-code")
    assert not command.has_agent("cursor")

    monkeypatch.setenv("PATH", str(claude.parent / "none"))

    assert not command.has_agent("claude-code")
