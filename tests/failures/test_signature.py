"""One failure has one name in every run; another failure has another name."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.knowledge.reading.error_line import error_line
from hardwon.knowledge.reading.signature import fold, signature

PYTHON_RUN_1 = """\x1b[31mTraceback (most recent call last):\x1b[0m
  File "/tmp/tmpab12cd34/app.py", line 12, in <module>
    load()
  File "/tmp/tmpab12cd34/lib.py", line 7, in load
    import numpy
ModuleNotFoundError: No module named 'numpy'
"""
PYTHON_RUN_2 = """Traceback (most recent call last):
  File "/home/ann/work/app.py", line 99, in <module>
    import numpy
ModuleNotFoundError: No module named 'numpy'
"""
PYTEST_RUN = """
    def test_total():
>       assert total([1]) == {n}
E       AssertionError: assert 3 == {n}
E        +  where 3 = total([1])

tests/test_{n}.py:{n}: AssertionError
=========================== short test summary info ============================
FAILED tests/test_{n}.py::test_total - AssertionError: assert 3 == {n}
============================== 1 failed in 0.{n}s ==============================
"""
NODE_RUN = """node:internal/modules/cjs/loader:{n}
  throw err;
  ^

Error: Cannot find module '{name}'
Require stack:
- /srv/{n}/index.js
    at Module._resolveFilename (node:internal/modules/cjs/loader:{n}:15) {{
  code: 'MODULE_NOT_FOUND'
}}

Node.js v18.{n}.0
"""
RUST_RUN = """error[E0425]: cannot find value `{name}` in this scope
 --> src/main.rs:{n}:5
  |
{n} |     {name}
  |     ^ not found in this scope

error: could not compile `demo` due to {n} previous errors
"""
GO_PANIC = """panic: runtime error: index out of range [{n}] with length 3

goroutine {n} [running]:
main.main()
\t/tmp/go-build{n}/main.go:{n} +0x{n}
exit status 2
"""

SAME = {
    "python, other directory and colours": (PYTHON_RUN_1, PYTHON_RUN_2),
    "python, object at another address": (
        "TypeError: <Job object at 0x7f01aa> is not callable",
        "TypeError: <Job object at 0x55e9bb1c> is not callable",
    ),
    "python, missing file": (
        "FileNotFoundError: [Errno 2] No such file or directory: '/tmp/a/x.csv'",
        "FileNotFoundError: [Errno 2] No such file or directory: 'data/y.csv'",
    ),
    "pytest, other numbers": (PYTEST_RUN.format(n=4), PYTEST_RUN.format(n=17)),
    "pytest, other file not found": (
        "collected 0 items\n\nERROR: file or directory not found: tests/a.py\n",
        "collected 0 items\n\nERROR: file or directory not found: tests/deep/b.py\n",
    ),
    "node, other version": (NODE_RUN.format(n=1, name="vue"), NODE_RUN.format(n=93, name="vue")),
    "tsc, other position": (
        "src/a.ts(1,2): error TS2304: Cannot find name 'Foo'.",
        "src/deep/b.ts(31,12): error TS2304: Cannot find name 'Foo'.",
    ),
    "npm, other log file": (
        'npm ERR! Missing script: "lint"\nnpm ERR! A complete log: /root/.npm/_logs/1-debug.log',
        'npm ERR! Missing script: "lint"\nnpm ERR! A complete log: /home/a/.npm/2-debug.log',
    ),
    "go, other index": (GO_PANIC.format(n=5), GO_PANIC.format(n=81)),
    "go, other position": ("./main.go:3:2: undefined: foo", "./cmd/x.go:41:9: undefined: foo"),
    "rust, other line": (RUST_RUN.format(n=2, name="x"), RUST_RUN.format(n=77, name="x")),
    "git, other commit": (
        "fatal: bad object 1f3a9bc2d4e5f60718293a4b5c6d7e8f90a1b2c3",
        "fatal: bad object 9c2d4e5f60718293a4b5c6d7e8f90a1b2c31f3ab",
    ),
    "shell, other line": (
        "bash: line 1: jq: command not found",
        "bash: line 8: jq: command not found",
    ),
    "shell, other missing file": (
        "cat: /tmp/a.txt: No such file or directory",
        "cat: notes/b.txt: No such file or directory",
    ),
    "http, other address": (
        "curl: (7) Failed to connect to 10.0.0.1 port 8080 after 3 ms: Connection refused",
        "curl: (7) Failed to connect to 10.9.0.7 port 9090 after 12 ms: Connection refused",
    ),
    "http, other url": (
        "HTTP 404 for https://a.example/x?id=1",
        "HTTP 404 for https://b.example/other",
    ),
    "java, other thread number": (
        'Exception in thread "pool-1" java.lang.NullPointerException: x\n\tat A.b(A.java:3)',
        'Exception in thread "pool-7" java.lang.NullPointerException: x\n\tat A.b(A.java:9)',
    ),
    "sql, other position": (
        'psql:a.sql:3: ERROR:  relation "users" does not exist\nLINE 1: SELECT',
        'psql:b/c.sql:9: ERROR:  relation "users" does not exist\nLINE 4: SELECT',
    ),
    "docker, other container": (
        "Error response from daemon: No such container: 4f5e6d7c8b9a",
        "Error response from daemon: No such container: 1a2b3c4d5e6f",
    ),
    "log line, other time": (
        "2024-01-02T03:04:05.678Z worker 12 lost its lease",
        "2025-11-30T23:59:01Z worker 7 lost its lease",
    ),
    "log line, other uuid": (
        "Error: job 123e4567-e89b-12d3-a456-426614174000 vanished",
        "Error: job 00000000-aaaa-bbbb-cccc-0123456789ab vanished",
    ),
    "windows, other path": (
        r"error: cannot open C:\Users\ann\a.txt",
        r"error: cannot open D:\work\deep\b.txt",
    ),
    "kubernetes, other pod": (
        "Error: pod nginx-7d9c5b6f4-x2k9q is not running",
        "Error: pod nginx-5f6d8c9b7-abcde is not running",
    ),
}


@pytest.mark.parametrize(("one", "other"), SAME.values(), ids=SAME)
def test_the_same_failure_in_another_run_has_the_same_name(one: str, other: str) -> None:
    assert signature("bash", one) == signature("bash", other)


DIFFERENT = {
    "python, other module": (
        "ModuleNotFoundError: No module named 'numpy'",
        "ModuleNotFoundError: No module named 'yaml'",
    ),
    "python, other attribute": (
        "AttributeError: 'list' object has no attribute 'split'",
        "AttributeError: 'list' object has no attribute 'keys'",
    ),
    "pytest, other exception": ("E   ValueError: bad", "E   KeyError: bad"),
    "pytest, other fixture": ("E   fixture 'db' not found", "E   fixture 'mocker' not found"),
    "node, other module": (NODE_RUN.format(n=1, name="vue"), NODE_RUN.format(n=1, name="react")),
    "node, other scoped package": (
        "Error: Cannot find module '@types/node'",
        "Error: Cannot find module '@angular/core'",
    ),
    "tsc, other code": ("a.ts(1,2): error TS2304: No.", "a.ts(1,2): error TS2551: No."),
    "go, other name": ("./main.go:3:2: undefined: foo", "./main.go:3:2: undefined: bar"),
    "go, other package": (
        "main.go:3:2: no required module provides package github.com/pkg/errors",
        "main.go:3:2: no required module provides package github.com/spf13/cobra",
    ),
    "rust, other name": (RUST_RUN.format(n=2, name="x"), RUST_RUN.format(n=2, name="total")),
    "rust, other code": ("error[E0425]: no", "error[E0599]: no"),
    "git, other trouble": ("fatal: not a git repository", "fatal: refusing to merge histories"),
    "shell, other command": ("bash: jq: command not found", "bash: ed: command not found"),
    "shell, other token": (
        "bash: syntax error near unexpected token `('",
        "bash: syntax error near unexpected token `;'",
    ),
    "shell, other trouble": ("cat: /a: Permission denied", "cat: /a: Is a directory"),
    "http, other status": (
        "curl: (22) The requested URL returned error: 404",
        "curl: (22) The requested URL returned error: 503",
    ),
    "java, other class": (
        'Exception in thread "main" java.lang.NullPointerException',
        'Exception in thread "main" java.lang.ClassCastException',
    ),
    "sql, other table": (
        "sqlite3.OperationalError: no such table: users",
        "sqlite3.OperationalError: no such table: orders",
    ),
    "mysql, other code": ("ERROR 1146 (42S02): x", "ERROR 1045 (28000): x"),
    "docker, other trouble": (
        "docker: Error response from daemon: pull access denied.",
        "docker: Error response from daemon: port is already allocated.",
    ),
    "argparse, other flag": (
        "tool: error: unknown option '--colour'",
        "tool: error: unknown option '--quiet'",
    ),
}


@pytest.mark.parametrize(("one", "other"), DIFFERENT.values(), ids=DIFFERENT)
def test_another_failure_has_another_name(one: str, other: str) -> None:
    assert signature("bash", one).digest != signature("bash", other).digest


def test_the_same_words_from_another_tool_are_another_failure() -> None:
    assert signature("bash", "x failed") != signature("edit", "x failed")


def test_a_failure_without_output_has_a_name_too() -> None:
    assert signature("Bash", " \n\t").text == "bash: <no output>"


def test_a_long_error_has_a_name_of_200_characters() -> None:
    assert len(signature("bash", "Error: " + "word " * 100 + "end").text) <= 200


@pytest.mark.parametrize("odd", ["\ud800", "\0", "\x1b", "\x9b"])
def test_a_name_with_odd_characters_can_be_stored(odd: str) -> None:
    text = signature(f"ba{odd}sh", f"Error: a{odd}b").text

    assert text.encode().decode().isprintable()


def test_a_name_can_be_read() -> None:
    assert (
        signature("bash", PYTHON_RUN_1).text == "bash: ModuleNotFoundError: No module named 'numpy'"
    )


FOLDED = [
    ("'numpy'", "'numpy'"),
    ('"--no-color"', "'--no-color'"),
    ("'boto3'", "'boto<n>'"),
    ("'conf.py'", "<path>"),
    ("'/etc/hosts'", "<path>"),
    ("'a whole sentence'", "<str>"),
    ("'" + "x" * 41 + "'", "<str>"),
    ("can't open", "can't open"),
    ("\x1b[1;31mred\x1b[0m", "red"),
    ("a.py:3:4: x", "<path>: x"),
    ("12.5 of 3", "<n> of <n>"),
    ("at 0xdeadBEEF12", "at <hex>"),
    ("mail ann@example.org", "mail <email>"),
    ("on 127.0.0.1:8080", "on <ip>"),
    ("took 1m30.5s", "took <time>"),
    ("after 3 seconds", "after <time>"),
    ("Mon Jan 2 15:04:05 2006 lost", "<time> lost"),
    ("see https://a.example/b?c=1", "see <url>"),
    ("exit code 137", "exit code 137"),
    ("in tmpab_d3f9x", "in <id>"),
]


@pytest.mark.parametrize(("text", "folded"), FOLDED)
def test_what_changes_between_runs_becomes_a_placeholder(text: str, folded: str) -> None:
    assert fold(text) == folded


LINES = [
    (PYTHON_RUN_1, "ModuleNotFoundError: No module named 'numpy'"),
    (PYTEST_RUN.format(n=4), "AssertionError: assert 3 == 4"),
    (GO_PANIC.format(n=5), "panic: runtime error: index out of range [5] with length 3"),
    (RUST_RUN.format(n=2, name="x"), "error[E0425]: cannot find value `x` in this scope"),
    (NODE_RUN.format(n=1, name="vue"), "Error: Cannot find module 'vue'"),
    (
        "thread 'a' (1850) panicked at src/a.rs:2:5:\nboom\nnote: run with `X`\n",
        "thread 'a' (1850) panicked at src/a.rs:2:5: boom",
    ),
    ("a.c:1:2: warning: unused\na.c:3:4: error: no ';'\n", "a.c:3:4: error: no ';'"),
    ("ok\nls: cannot access 'x'\ndone\n", "ls: cannot access 'x'"),
    ("one\ntwo\n\n", "two"),
    ("", ""),
]


@pytest.mark.parametrize(("output", "line"), LINES)
def test_the_line_that_tells_most_is_found(output: str, line: str) -> None:
    assert error_line(output) == line


def test_the_error_is_found_at_the_end_of_a_huge_output() -> None:
    assert error_line("building\n" * 200_000 + PYTHON_RUN_1).startswith("ModuleNotFoundError")


def test_the_error_is_found_at_the_start_of_a_huge_output() -> None:
    assert error_line("fatal: no disk\n" + "noise\n" * 200_000) == "fatal: no disk"


ANY_TEXT = st.text(st.characters(exclude_categories=[]), max_size=300)
PIECES = ["/", "a", "'", '"', "`", "1", ".", ":", "-", "<", ">", "<n>", "\\", " ", "@", "0x", "tmp"]
TRICKY = st.lists(st.sampled_from([*PIECES, "x.py", "error", "\x1b[", "=", "(", "2024-01-02", "s"]))


@given(ANY_TEXT | TRICKY.map("".join))
def test_folding_twice_is_folding_once(text: str) -> None:
    once = fold(text)

    assert fold(once) == once


@given(ANY_TEXT, ANY_TEXT | TRICKY.map("".join))
def test_any_text_gets_a_short_storable_name(tool: str, output: str) -> None:
    name = signature(tool, output)

    assert len(name.text) <= 200
    assert re.fullmatch("[0-9a-f]{16}", name.digest)
    assert name.text.encode().decode() == name.text


NUMBER = st.integers(0, 10**9).map(str)
HEX = st.integers(16**6, 16**12).map(hex)
SEGMENT = st.from_regex(r"[a-z][a-z0-9_]{0,11}", fullmatch=True)
PATH = st.lists(SEGMENT, min_size=1, max_size=5).map(lambda parts: "/tmp/" + "/".join(parts))
TIME = st.datetimes().map(lambda moment: moment.replace(microsecond=0).isoformat())
UUID = st.uuids().map(str)


@given(NUMBER, HEX, PATH, TIME, UUID)
def test_a_name_does_not_depend_on_what_changes_between_runs(
    number: str, address: str, path: str, time: str, uuid: str
) -> None:
    template = "Error: [{}] pid {} at {} cannot read {}:{} for {} of '{}'"
    here = template.format(time, number, address, path, number, uuid, path)
    there = template.format("2024-01-02T03:04:05", "7", "0x7f12ab34", "/a/b", "1", UUID_1, "/a/b")

    assert signature("bash", here) == signature("bash", there)


UUID_1 = "123e4567-e89b-12d3-a456-426614174000"


@given(SEGMENT, NUMBER)
def test_a_traceback_is_named_by_its_exception_only(directory: str, line: str) -> None:
    output = PYTHON_RUN_2.replace("ann", directory).replace("99", line)

    assert signature("bash", output) == signature("bash", PYTHON_RUN_1)


UNITS = [
    "/",
    "a",
    '"',
    "'",
    "`",
    "1",
    "\\'",
    '"\\',
    "\u2018",
    "\u201ca",
    "a.",
    "a@",
    "1:",
    "a/",
    "\x1b[",
]


@pytest.mark.parametrize("unit", [*UNITS, "'a ", "a1-", "1 s", "error: ", "E   x\n", "<", "\0"])
def test_a_huge_monotonous_text_is_folded_in_linear_time(unit: str) -> None:
    text = unit * (200_000 // len(unit))

    assert fold(fold(text)) == fold(text)
    assert len(signature("bash", text).text) <= 200


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("cannot open '/" + "a" * 200 + "'", "cannot open <path>"),
        ("cannot open '/" + "a" * 400 + "'", "cannot open <str>"),
        ("pod x1y2z3 died", "pod x<n>y<n>z<n> died"),
        ("pod x1y2z3w4 died", "pod <id> died"),
        ("job 1234567: lost", "job <n>: lost"),
        ("job 12345ab: lost", "job <hex>: lost"),
    ],
)
def test_what_changes_between_runs_is_folded(text: str, folded: str) -> None:
    assert fold(text) == folded


@pytest.mark.parametrize(
    ("line", "folded"),
    [
        ("it left tmpabcdefgh there", "it left <id> there"),
        ("it met error code 12 there", "it met error code 12 there"),
        ("it met exit code 3 there", "it met exit code 3 there"),
        ("it met status code 404 there", "it met status code 404 there"),
        ("it met room 12 there", "it met room <n> there"),
    ],
)
def test_codes_and_ids_are_seen_among_plain_words(line: str, folded: str) -> None:
    assert fold(line) == folded
