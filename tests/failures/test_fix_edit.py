"""Files that the run's own edit broke."""

from __future__ import annotations

from typing import Any

from tests.failures.fix_cases import applied_in, case, shown_by, tool


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
