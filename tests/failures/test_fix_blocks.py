"""Added lines of code are cut where a reader would cut them."""

from __future__ import annotations

import pytest

from hardwon.knowledge.reading.fix_blocks import (
    LINES,
    LineBlock,
    added_blocks,
    as_code,
    closed,
    end_of,
    opened,
    outside_calls,
    until,
)


@pytest.mark.parametrize(
    ("between", "count"),
    [
        ("", 1),
        ("\n\n", 1),
        ("old()\n", 1),
        ("old()\nkept()\n", 2),
        ("old()\n\nkept()\n", 2),
    ],
    ids=["nothing", "blank lines", "one known line", "two known lines", "two with a blank line"],
)
def test_two_known_lines_part_what_was_added(between: str, count: int) -> None:
    blocks = added_blocks("old()\nkept()", f"first()\n{between}second()")

    assert len(blocks) == count
    assert [line for block in blocks for line in block.lines] == ["first()", "second()"]


def test_an_added_line_keeps_its_place_and_a_moved_one_is_not_added() -> None:
    assert added_blocks("a()\nb()", "b()\n  new()\na()") == [LineBlock((1,), ("  new()",))]
    assert added_blocks("a()", "   a()") == []


def test_known_lines_before_the_first_added_one_part_nothing() -> None:
    assert added_blocks("a()\nb()\nc()", "a()\nb()\nc()\nnew()") == [LineBlock((3,), ("new()",))]


def test_a_block_ends_with_the_line_that_failed() -> None:
    block = LineBlock((2, 4, 6), ("a", "b", "c"))

    assert until(block, 4) == LineBlock((2, 4), ("a", "b"))
    assert until(block, 3) == LineBlock((2,), ("a",))


@pytest.mark.parametrize(
    ("code", "end"),
    [
        ("with a:\n    b()\n\n    c()\nd()", 3),
        ("call(\n1,\n)\nd()", 2),
        ("a()\nb()", 0),
        ("if a:\n    b()", 1),
    ],
    ids=["a body with a blank line", "a call over lines", "one line", "the last statement"],
)
def test_a_statement_ends_behind_its_body_and_its_brackets(code: str, end: int) -> None:
    assert end_of(code, 0) == end


@pytest.mark.parametrize(
    ("code", "shown"),
    [
        ("call(\n  1,\n)\nd()", [0, 1, 2]),
        ("with a:\n\n    b()\n    c()", [0, 2]),
        ("def f() {\n  b()\n}\nc()", [0, 1, 2]),
        ("if a:\n    b(\n", []),
        ("call(\n1,\n", []),
        ("a)", []),
        ("if a:", [0]),
    ],
    ids=[
        "brackets over lines",
        "the first line of a body",
        "braces over lines",
        "a body that stays open",
        "a bracket that is never closed",
        "a bracket that was opened elsewhere",
        "no body at all",
    ],
)
def test_a_line_is_shown_with_what_closes_it_or_not_at_all(code: str, shown: list[int]) -> None:
    first = code.splitlines()[0]

    assert sorted(closed([(0, first)], code)) == shown


@pytest.mark.parametrize(("count", "is_shown"), [(LINES - 1, True), (LINES, False)])
def test_a_call_is_shown_over_a_few_lines_only(count: int, is_shown: bool) -> None:
    code = "call(\n" + "1,\n" * count + ")"

    assert bool(closed([(0, "call(")], code)) is is_shown


def test_lines_within_a_call_that_is_not_shown_are_left_out_if_others_remain() -> None:
    code = "setup(\n  old,\n  size=1,\n)\ntune()"

    assert outside_calls({2: "  size=1,", 4: "tune()"}, code) == {4: "tune()"}
    assert outside_calls({2: "  size=1,"}, code) == {2: "  size=1,"}
    assert outside_calls({0: "setup(", 1: "  old,"}, code) == {0: "setup(", 1: "  old,"}


@pytest.mark.parametrize(
    ("line", "count"),
    [("f(", 1), ("f([{", 3), ("})]", -3), ("f('(')", 0), ('f("[" # (', 1), ("f()", 0)],
)
def test_brackets_in_texts_and_comments_do_not_count(line: str, count: int) -> None:
    assert opened(line) == count


def test_groups_of_lines_lose_the_margin_that_each_has_in_common() -> None:
    near = {4: "    if a:", 6: "        b()  "}
    far = near | {9: "            c()"}

    assert as_code(near) == "if a:\n    b()"
    assert as_code(far) == "if a:\n    b()\nc()"
    assert as_code({4: "  a()", 6: "    b()"}) == "a()\n  b()"
