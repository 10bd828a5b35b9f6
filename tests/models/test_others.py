"""Commands, functions, scripts and names as models."""

from __future__ import annotations

import asyncio
import sys
from datetime import timedelta
from pathlib import Path

import pytest

from hardwon.errors import InvalidInput, PermanentError, SetupError, TransientError
from hardwon.models import open_model
from hardwon.models.function import Function, as_model
from hardwon.ports import Model, Reply, Request
from tests.waiting import are_gone

ASKED = Request("the rules", "the question")
LIMIT = timedelta(seconds=20)


def opened(name: str, timeout: timedelta = LIMIT, **keys: str) -> Model:
    return open_model(name, keys=keys, timeout=timeout)


def ask(model: Model) -> Reply:
    return asyncio.run(model.complete(ASKED))


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


def test_a_function_may_be_plain_or_async_and_give_text_or_a_reply() -> None:
    async def later(request: Request) -> Reply:
        return Reply(request.prompt, "mine")

    assert ask(Function(lambda request: request.prompt)).text == "the question"
    assert ask(as_model(later)).model == "mine"


def test_a_function_is_found_by_its_name() -> None:
    assert ask(opened("python:tests.models.test_others:answer")).text == "42"
    with pytest.raises(InvalidInput):
        opened("python:tests.models.test_others:no_such")


def answer(request: Request) -> str:
    return "42"


def test_a_script_answers_in_order(tmp_path: Path) -> None:
    script = tmp_path / "answers.txt"
    script.write_text("one\n---\ntwo")
    model = opened(f"scripted:{script}")

    assert [ask(model).text, ask(model).text] == ["one", "two"]
    with pytest.raises(PermanentError):
        ask(model)


def test_without_a_name_the_first_key_given_to_us_decides_else_rules() -> None:
    def by_default(*preferred: str) -> str:
        return open_model("", keys={"openai": "k"}, preferred=preferred, timeout=LIMIT).name

    assert by_default() == "rules"
    assert by_default("openai", "anthropic").startswith("anthropic:")
    assert by_default("openai").startswith("openai:")


def test_litellm_is_asked_for_by_name_only() -> None:
    with pytest.raises(SetupError, match="pip install litellm"):
        opened("litellm:x/y")
