"""What stands before a program, and its sub-command, are read as its users write them."""

from __future__ import annotations

import re

import pytest

from hardwon.knowledge.reading.shell import (
    SHELL,
    SHELLS,
    Starter,
    interpreter,
    is_message_of,
    starter,
    sub_command,
    unquote,
)


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("A=1 make", Starter(("A=1",), (), ["make"])),
        ("sudo make", Starter((), ("sudo",), ["make"])),
        ("sudo -u kim make", Starter((), ("sudo -u kim",), ["make"])),
        ("sudo -- make", Starter((), ("sudo --",), ["make"])),
        ("env A=1 make", None),
        ("env -u A make", Starter((), ("env -u A",), ["make"])),
        ("timeout 5 make", Starter((), ("timeout 5",), ["make"])),
        ("timeout -s KILL 5 make", Starter((), ("timeout -s KILL 5",), ["make"])),
        ("time", None),
        ("poetry run pytest", Starter((), ("poetry run",), ["pytest"])),
        ("poetry -C a run pytest", Starter((), ("poetry -C a run",), ["pytest"])),
        ("poetry install", None),
        ("uv run --with x pytest", Starter((), ("uv run --with x",), ["pytest"])),
        ("coverage run -m pytest", Starter((), ("coverage run -m",), ["pytest"])),
        ("coverage run -p -m pytest", Starter((), ("coverage run -p -m",), ["pytest"])),
        ("coverage run a.py", Starter((), ("coverage run",), ["a.py"])),
        ("python -m pytest a", Starter((), ("python -m",), ["pytest", "a"])),
        ("python -m", None),
        ("python a.py", None),
        ("bash run.sh a", Starter((), ("bash",), ["run.sh", "a"])),
        ("zsh run.zsh", Starter((), ("zsh",), ["run.zsh"])),
        ("bash", None),
        ("bash -c x", None),
        ("make", None),
    ],
)
def test_what_starts_a_program(line: str, found: Starter | None) -> None:
    words = line.split()
    if line.startswith("env A=1"):
        found = Starter((), ("env",), ["A=1", "make"])

    assert starter(words, words[0]) == found


@pytest.mark.parametrize(
    ("line", "verb", "options", "rest"),
    [
        ("git commit -m x", "commit", (), ["-m", "x"]),
        ("git -C a commit", "commit", ("-C a",), []),
        ("git --no-pager log", "log", ("--no-pager",), []),
        ("git stash pop", "stash pop", (), []),
        ("git stash", "stash", (), []),
        ("git stash -u", "stash", (), ["-u"]),
        ("make test all", "test", (), ["all"]),
        ("docker compose -f a.yml up -d", "compose up", ("-f a.yml",), ["-d"]),
        ("kubectl -n prod get pods", "get pods", ("-n prod",), []),
        ("git", "", (), []),
        ("git -C a", "", (), ["-C", "a"]),
        ("ls -l", "", (), ["-l"]),
        ("./dev.sh test a.py", "test", (), ["a.py"]),
        ("bin/app migrate", "migrate", (), []),
        ("./run.py model_fields", "", (), ["model_fields"]),
        ("/usr/bin/env test", "", (), ["test"]),
    ],
)
def test_the_sub_command_and_the_options_before_it(
    line: str, verb: str, options: tuple[str, ...], rest: list[str]
) -> None:
    name, *words = line.split()

    assert sub_command(name, words) == (verb, options, rest)


@pytest.mark.parametrize(
    ("line", "at"),
    [
        ("python -c x", 1),
        ("python -W error -c x", 3),
        ("python -u -c x", 2),
        ("python -Bc x", 1),
        ("python --check x", 0),
        ("python -c", 0),
        ("python a.py -c x", 0),
        ("node -e x", 1),
        ("node -c x", 0),
        ("ls -c x", 0),
    ],
)
def test_where_the_code_of_an_interpreter_stands(line: str, at: int) -> None:
    name, *words = line.split()

    assert interpreter(name, words) == at


@pytest.mark.parametrize(
    ("word", "plain"),
    [("'a'", "a"), ('"a"', "a"), ("'a\"", "'a\""), ("'", "'"), ("''", ""), ("a", "a")],
)
def test_quotes_around_a_word_are_no_part_of_it(word: str, plain: str) -> None:
    assert unquote(word) == plain


def test_the_pattern_of_a_shell_is_the_name_of_every_shell_and_of_nothing_else() -> None:
    assert all(re.fullmatch(SHELL, name) for name in SHELLS)
    assert not re.fullmatch(SHELL, "fish")


@pytest.mark.parametrize(
    ("text", "is_own"),
    [
        ("rm: cannot remove a", True),
        ("bash: rm: not found", True),
        ("rm3.11: no such option", True),
        ("some other line\n/bin/rm: cannot remove a", True),
        ("rm is named, then rm: cannot remove", True),
        ("cat: src/rm: no such file", False),
        ("farm: broken", False),
        ("a_rm: broken", False),
        ("a.rm: broken", False),
        ("the rm failed", False),
        ("rm:broken", False),
    ],
)
def test_a_message_begins_with_the_name_of_its_program(text: str, is_own: bool) -> None:
    assert is_message_of("rm", text) is is_own
