"""Tracebacks of Python in any output."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import hardwon
from hardwon.learn.trials.tools import tool_of

TRACEBACK = """\
checking
Traceback (most recent call last):
  File "/repo/check.py", line 3, in <module>
    main()
  File "/repo/shop/cart.py", line 12, in average
    json.loads(text)
  File "/usr/lib/python3.12/json/__init__.py", line 346, in loads
    return _default_decoder.decode(s)
shop.errors.BadCart: expected a price
"""


@pytest.mark.parametrize(
    ("output", "place", "message", "kind"),
    [
        (TRACEBACK, ("/repo/shop/cart.py", 12), "shop.errors.BadCart: expected a price",
         "runtime_error"),
        (f"{TRACEBACK}\nDuring handling of the above exception, another exception occurred:\n\n"
         'Traceback (most recent call last):\n  File "/repo/b.py", line 7, in f\nKeyError: 1\n',
         ("/repo/b.py", 7), "KeyError: 1", "runtime_error"),
        ('  File "/repo/a.py", line 2\n    x = (\n        ^\nSyntaxError: \'(\' was never closed\n',
         ("/repo/a.py", 2), "SyntaxError: '(' was never closed", "syntax_error"),
    ],
    ids=["own code", "chained", "syntax"],
)  # fmt: skip
def test_a_bare_traceback_keeps_file_and_line(
    output: str, place: tuple[str, int], message: str, kind: str
) -> None:
    (found,) = tool_of("check").parse(output).errors

    assert ((found.file, found.line), found.message, found.type) == (place, message, kind)


def test_a_traceback_of_a_script_reaches_the_reflection(tmp_path: Path) -> None:
    (tmp_path / "check.py").write_text("import json\n\njson.loads('no')\n")

    with hardwon.open(tmp_path / "home") as hw:
        coder = hw.agent("coder")
        done = coder.loops.run("x", actor="true", verify=(f"{sys.executable} check.py",),
                            cwd=str(tmp_path), max_trials=1)  # fmt: skip
        (error,) = coder.loops.reflections(done.loop_id)[0].evaluator_output.errors

    assert (error.file, error.line) == ("check.py", 3)
