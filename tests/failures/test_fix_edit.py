"""Files that the run's own edit broke."""

from __future__ import annotations

from typing import Any

import pytest

from hardwon.failures.fix_case import case_of
from hardwon.failures.fix_edit import edit_fix, looks_at
from tests.failures.fix_cases import applied_in, case, shown_by, step_of, tool


def edit(old: str, **args: Any) -> tuple[str, str]:
    return tool("Edit", file_path="/w/cart.py", new_string="total = 0", old_string=old, **args)


CASES = (
    case(
        "an edit by line number that broke the indentation",
        ("sed -i '40i\\        check()' lib/app.py", ""),
        (
            "python run.py",
            '!  File "/srv/lib/app.py", line 41\nIndentationError: unexpected indent',
        ),
        ("sed -n '35,45p' lib/app.py", "    def go(self):"),
        ("sed -i '40s/        //' lib/app.py", ""),
        ("python run.py", "fine"),
        sort="lines",
        says=("Print the lines", "match the indentation"),
        never=("app.py",),
    ),
    case(
        "the same quotes twice",
        ('sed -i \'9a\\    print(f"{a["b"]}")\' lib/app.py', ""),
        (
            "python run.py",
            '!  File "/srv/lib/app.py", line 10\n    print(f"{a["b"]}")\n            ^\n'
            "SyntaxError: invalid syntax",
        ),
        ("sed -i '10d' lib/app.py", ""),
        ("python run.py", "fine"),
        sort="lines",
        says=("quotes inside its braces",),
    ),
    case(
        "a script that does not come as far as before",
        ("cat <<'EOF' > go.py\nimport db\n\ndb.query('rows')\nEOF\n", ""),
        (
            "python go.py",
            '!  File "go.py", line 3, in <module>\n    db.query()\nRuntimeError: rows need a pool',
        ),
        ("cat <<'EOF' > go.py\nimport db\ndb.connect()\ndb.pool()\ndb.query('rows')\nEOF\n", ""),
        (
            "python go.py",
            '!  File "go.py", line 2, in <module>\n    db.connect()\nOSError: connection refused',
        ),
        sort=None,
    ),
)

test_a_run_shows_its_fix_or_none = shown_by(CASES)
test_the_run_that_shows_a_fix_applies_it = applied_in(CASES)


BROKEN = "IndentationError: unexpected indent"
PLACE = '!  File "lib/a.py", line 3\n    x = 1\n'


def told(error: str, *between: str, before: str = "sed -i s/a/b/ lib/a.py") -> str:
    steps = [
        step_of(before),
        step_of("make", PLACE + error),
        *map(step_of, between),
        step_of("make", "ok"),
    ]
    fix = edit_fix(case_of(steps, 1))
    return fix.key if fix else ""


@pytest.mark.parametrize(
    ("error", "between", "key"),
    [
        (
            BROKEN,
            ["sed -n 1,9p lib/a.py", "sed -i s/b/c/ lib/a.py"],
            "lines indentation of an edit",
        ),
        (BROKEN, ["sed -i s/b/c/ lib/a.py"], ""),
        (BROKEN, ["cat lib/b.py", "sed -i s/b/c/ lib/a.py"], ""),
        (BROKEN, ["cat lib/a.py"], ""),
        (BROKEN, ["cat lib/a.py", "sed -i s/b/c/ lib/b.py"], ""),
        ("KeyError: 1", ["cat lib/a.py", "sed -i s/b/c/ lib/a.py"], ""),
    ],
)
def test_a_file_that_an_edit_broke_is_mended_after_a_look(
    error: str, between: list[str], key: str
) -> None:
    assert told(error, *between) == key


def test_a_file_that_the_run_did_not_edit_was_broken_before() -> None:
    assert told(BROKEN, "cat lib/a.py", "sed -i s/b/c/ lib/a.py", before="ls") == ""
    assert told(BROKEN, "sed -i s/b/c/ lib/a.py", "cat lib/a.py", before="ls") == ""


@pytest.mark.parametrize(
    ("call", "name", "is_look"),
    [
        ("cat lib/a.py", "a.py", True),
        ("cat lib/b.py", "a.py", False),
        ("cat lib/b.py", "", True),
        ("sed -n 1,9p a.py", "a.py", True),
        ("sed -i s/a/b/ a.py", "a.py", False),
        ("ls a.py", "a.py", False),
        (tool("read_file", path="lib/a.py"), "a.py", True),
        (tool("read_file", path="lib/b.py"), "a.py", False),
        (tool("write_file", path="lib/a.py"), "a.py", False),
    ],
)
def test_a_step_prints_a_file(call: object, name: str, is_look: bool) -> None:
    assert looks_at(step_of(call), name) is is_look
