"""A shell text is taken apart once, in one way, and its words stay as typed."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.knowledge.reading.shell import deciding_commands, main_command, parse
from tests.effort import calls_made

CASES: list[tuple[str, dict[str, Any]]] = [
    ("pytest -q tests/a.py::t", {"program": "pytest", "flags": ("-q",), "targets": ("tests/a.py::t",)}),
    ("A=1 B='x y' make -C build all", {"program": "make", "verb": "all", "env": ("A=1", "B='x y'"), "flags": ("-C build",)}),
    ("cd web && cd app && npm test", {"program": "npm", "verb": "test", "cwd": "web/app"}),
    ("cd a; cd /b; ls", {"program": "ls", "cwd": "/b"}),
    ("export A=1\nset -e\nrun x", {"program": "run", "env": ("A=1",), "targets": ("x",)}),
    ("sudo -u me env A=1 timeout -k 5 10s nice -n 5 run", {"program": "run", "env": ("A=1",), "via": ("sudo -u me", "env", "timeout -k 5 10s", "nice -n 5")}),
    ("poetry run python -m pytest x", {"program": "pytest", "via": ("poetry run", "python -m")}),
    ("uv run --with a pytest x", {"program": "pytest", "via": ("uv run --with a",), "targets": ("x",)}),
    ("conda run -n env pytest", {"program": "pytest", "via": ("conda run -n env",)}),
    ("coverage run -m pytest x", {"program": "pytest", "via": ("coverage run -m",)}),
    ("pnpm --dir web exec vitest", {"program": "vitest", "via": ("pnpm --dir web exec",)}),
    ("pnpm --dir web test", {"program": "pnpm", "verb": "test", "flags": ("--dir web",)}),
    ("docker compose -p x -f y.yml up -d web", {"program": "docker", "verb": "compose up", "flags": ("-p x", "-f y.yml", "-d"), "targets": ("web",)}),
    ("git -C /r stash pop", {"program": "git", "verb": "stash pop", "flags": ("-C /r",)}),
    ("git -c a=b commit -m 'x y'", {"verb": "commit", "flags": ("-c a=b", "-m"), "targets": ("'x y'",)}),
    ("kubectl -n p config use-context c", {"verb": "config use-context", "targets": ("c",)}),
    ("go mod tidy", {"program": "go", "verb": "mod tidy"}),
    ("terraform -chdir=x plan", {"verb": "plan", "flags": ("-chdir=x",)}),
    ("npm run build -- --prod", {"verb": "run build", "flags": ("--", "--prod")}),
    ("pip3 install numpy", {"program": "pip3", "verb": "install", "targets": ("numpy",)}),
    ("/usr/bin/python3.11 x.py", {"program": "/usr/bin/python3.11", "name": "python", "targets": ("x.py",)}),
    ("python -c \"import a; b\"", {"program": "python", "flags": ("-c",), "script": "import a; b"}),
    ("python -W error -c 'x'", {"program": "python", "targets": ("error",), "flags": ("-W", "-c"), "script": "x"}),
    ("python - <<'EOF' x\nimport a\nEOF", {"targets": ("-", "x"), "script": "import a\n"}),
    ("bash -lc 'cd /x && A=1 npm test'", {"program": "npm", "verb": "test", "cwd": "/x", "env": ("A=1",)}),
    ('bash -c "run \\"a b\\" > c"', {"program": "run", "targets": ('"a b"',), "writes": ("c",)}),
    ("cd x && A=1 sudo bash -c 'make all'", {"program": "make", "cwd": "x", "env": ("A=1",), "via": ("sudo",)}),
    ("bash run.txt -c 'make'", {"program": "bash", "targets": ("run.txt", "'make'")}),
    ("bash run.sh a", {"program": "run.sh", "via": ("bash",), "targets": ("a",)}),
    ("echo a > out.txt 2>&1", {"program": "echo", "targets": ("a",), "writes": ("out.txt",)}),
    ("run x 2>/dev/null", {"targets": ("x",), "writes": ()}),
    ("for f in a b; do python $f; done", {"program": "python", "targets": ("$f",), "text": "python $f"}),
    ("if ! make; then echo no; fi", {"program": "make", "text": "make"}),
    ("( cd a && make )", {"program": "make", "cwd": "a"}),
    ("diff <(sort a) <(sort b)", {"program": "diff", "targets": ("<(sort a)", "<(sort b)")}),
    ("echo $(git rev-parse $(x)) # why", {"targets": ("$(git rev-parse $(x))",)}),
    ("echo \"a && b\" 'c; d' e\\ f", {"targets": ('"a && b"', "'c; d'", "e\\ f")}),
    ("a \\\n  --b c", {"program": "a", "flags": ("--b",), "targets": ("c",)}),
    ("env", {"program": "env"}),
    ("timeout 5", {"program": "timeout", "targets": ("5",)}),
    ("FOO=1", {"program": ""}),
    ("", {"program": ""}),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), CASES, ids=[text[:30] for text, _ in CASES])
def test_a_command_is_taken_apart(text: str, expected: dict[str, Any]) -> None:
    command = main_command(text)

    assert {name: getattr(command, name) for name in expected} == expected


def test_a_chain_and_a_pipe_give_all_their_commands() -> None:
    commands = parse("a x && b | c || d; e &\nf")

    assert [(each.joint, each.program) for each in commands] == [
        ("", "a"), ("&&", "b"), ("|", "c"), ("||", "d"), (";", "e"), ("\n", "f"),
    ]  # fmt: skip


def test_the_patterns_of_a_case_are_no_commands() -> None:
    text = "case $1 in\n a) go x ;;\n b | c) go y ;;\n *) go z ;;\nesac\n(cd d && make)"

    assert [command.text for command in parse(text)] == ["go x", "go y", "go z", "make"]


def test_each_here_document_belongs_to_the_command_that_reads_it() -> None:
    text = "cat <<A > a.py | tee b\nx = '<<B'\nA\npython a.py <<-'B'\n\ty\n\tB\nls"

    cat, tee, python, ls = parse(text)

    assert (cat.script, cat.writes, cat.text) == ("x = '<<B'\n", ("a.py",), "cat <<A > a.py")
    assert (tee.script, tee.writes) == ("", ("b",))
    assert python.script == "\ty\n"
    assert ls.program == "ls"


def test_what_follows_a_document_without_an_end_is_its_body() -> None:
    (command,) = parse("cat <<EOF > a\nrm -rf x\n")

    assert command.script == "rm -rf x\n"


def test_a_shell_within_a_pipe_stands_where_it_stood() -> None:
    commands = parse("a | bash -c 'b && c'")

    assert [(each.joint, each.program) for each in commands] == [("", "a"), ("|", "b"), ("&&", "c")]


def test_the_last_chain_decides_and_of_a_pipe_its_last_part() -> None:
    chain = deciding_commands(parse("a; b && c | d && e"))

    assert [command.program for command in chain] == ["b", "d", "e"]


def test_the_working_part_is_neither_a_filter_nor_an_announcement() -> None:
    assert main_command("make all 2>&1 | tail -5; echo done").program == "make"


@given(st.text(alphabet="ab -;&|<>'\"\\$()`{}#=\n/", max_size=60))
def test_any_text_can_be_parsed(text: str) -> None:
    for command in parse(text):
        assert command.program
        assert command.text in text or "sh" in text
        assert all(word in text for word in command.targets)


@given(
    st.sampled_from(["pytest", "npm test", "git commit"]),
    st.sampled_from(["", "A=1 ", "sudo ", "cd x && ", "poetry run ", "timeout 9 "]),
    st.sampled_from(["", " | tail", " 2>&1", " > out", "; echo x", " # note"]),
)
def test_circumstances_do_not_change_what_a_call_does(call: str, before: str, after: str) -> None:
    assert main_command(before + call + after).does == call


PIECES = ("$(", "`", "'", '"', "<<a\n", "\\", "a=", "((", "a ", "&&", "x|", "sudo ", "\n", "${", "<(", "#")  # fmt: skip


@pytest.mark.parametrize("piece", PIECES)
def test_twice_the_hostile_text_takes_twice_the_work(piece: str) -> None:
    half, whole = (calls_made(parse, (piece * size)[:size]) for size in (10_000, 20_000))

    assert whole <= 2.5 * half + 100


def test_the_first_forty_commands_of_a_text_are_read() -> None:
    found = parse("\n".join(f"tool{number} x" for number in range(50)))

    assert [command.program for command in found] == [f"tool{number}" for number in range(40)]
