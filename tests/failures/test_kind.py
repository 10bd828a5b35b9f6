"""The kind of a failure keeps what it is and folds what somebody coined."""

from __future__ import annotations

import pytest

from hardwon.knowledge.reading.reading import (
    kind_text,
    missing_fixture,
    missing_name,
    printed_text,
)


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ('it gives box(3, "a b") here', "it gives <name> here"),
        (
            "django.db.utils.OperationalError: no such table: app_book",
            "OperationalError: no such table <name>",
        ),
        ("shop.errors.OrderLineMissing: no line of it", "OrderLineMissing: no line of it"),
        ("sh: line 3: kit: command not found", "no command or module named kit"),
        ("ModuleNotFoundError: No module named 'kit.tools'", "no command or module named kit"),
        ("E       fixture 'client' not found", "fixture client not found"),
        ("AssertionError: 1 != 2", "AssertionError"),
        ("AssertionError: the order is open", "AssertionError: the order is open"),
        ("12 Segmentation fault (core dumped)", "Segmentation fault"),
        ("IndentationError: unexpected indent", "IndentationError"),
        ("lib/a.py:3: error: bad type", "error: bad type"),
        ("cannot read 'a.txt' and 'b.txt'", "cannot read <name>"),
        ("took 3.5 seconds", "took <n> seconds"),
        ("exit code 127 of the tool", "exit code 127 of the tool"),
        ("[Errno 13] Permission denied: '/x'", "[Errno 13] Permission denied: <name>"),
        ("not_found", "not_found"),
        ("unused variable [-Werror=unused]", "unused variable"),
        ("no method `f' in it", "no method <name> in it"),
        ("no such column: age. Did you mean ages?", "no such column <name>"),
        ("no such column: age. Perhaps you meant ages", "no such column <name>"),
        ("no such column: age. Maybe you meant ages", "no such column <name>"),
        ("no such column: age. See https://docs.org", "no such column <name>"),
        (
            "it met an error from server (NotFound) there",
            "it met an error from server (NotFound) there",
        ),
        ("it met exit status 3 and ended", "it met exit status 3 and ended"),
        ("it met status code 503 and ended", "it met status code 503 and ended"),
    ],
)
def test_names_and_numbers_are_folded_and_words_stay(line: str, kind: str) -> None:
    assert kind_text(line) == kind


@pytest.mark.parametrize(
    "words",
    [
        *("no such table", "Unknown option", "unrecognized arguments:", "missing script:"),
        *("undefined method", "cannot find package", "File not found:", "invalid choice:"),
        *("duplicate key", "not in scope:", "the following arguments are required:"),
        "declared and not used:",
    ],
)
def test_a_name_is_folded_after_words_that_announce_one(words: str) -> None:
    assert kind_text(f"zebra. It says {words} zebra").endswith(f"{words.rstrip(':')} <name>")


def test_a_name_that_the_run_made_up_is_folded() -> None:
    line, fixture = "No module named 'shop'", "fixture 'client' not found"

    assert kind_text(line, is_coined=True) == "no command or module named <name>"
    assert kind_text(fixture, is_coined=True) == "fixture <name> not found"


def test_a_kind_ends_with_a_whole_word() -> None:
    words = ("word " * 50).strip()

    assert kind_text(words) == ("word " * 32).strip()
    assert kind_text("a" * 160) == "a" * 160


@pytest.mark.parametrize(
    ("line", "coined", "printed"),
    [
        ("No module named 'shop'", True, "No module named <name>"),
        ("No module named 'shop'", False, "No module named 'shop'"),
        ("bash: kit: command not found", True, "<name>: command not found"),
        ("KeyError: 'x'", False, "KeyError: <name>"),
    ],
)
def test_a_kind_is_printed_in_the_words_of_the_program(
    line: str, coined: bool, printed: str
) -> None:
    assert printed_text(kind_text(line, is_coined=coined), line) == printed


@pytest.mark.parametrize(
    ("line", "module", "fixture"),
    [
        ("zsh: command not found: kit", "kit", ""),
        ("cannot load such file -- kit.rb (LoadError)", "kit", ""),
        ("fixture 'client' not found", "", "client"),
        ("KeyError: 'x'", "", ""),
    ],
)
def test_what_a_line_says_is_missing(line: str, module: str, fixture: str) -> None:
    assert (missing_name(line), missing_fixture(line)) == (module, fixture)
