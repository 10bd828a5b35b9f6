"""What the text of a lesson is about, and what a failing call has in common with it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.core.values.lesson import MINED, Lesson, lesson_of_person
from hardwon.core.values.run import Step
from hardwon.core.values.scope import Scope
from hardwon.knowledge.reading.clues import (
    clues,
    clues_of,
    clues_of_call,
    follows_advice,
    is_about_error,
    quotes,
    specific_words,
    with_clues,
)
from hardwon.knowledge.reading.reading import read_failure

SCOPE = Scope("t", "a", "p")


def lesson(text: str) -> Lesson:
    return with_clues(lesson_of_person(SCOPE, text))


@pytest.mark.parametrize(
    ("text", "clue"),
    [
        ("The build stops with “no space left on device”.", "says no space left on device"),
        ('The build stops with "no space left".', "says no space left"),
        ("A UnicodeEncodeError means that the locale is C.", "error unicodeencodeerror"),
        ("`KeyError: 'id'` comes from an old cache.", "error keyerror"),
        ("This image has no ripgrep.", "lacks ripgrep"),
        ("When `jq` is not installed, use python.", "lacks jq"),
        ("When `python -c` gets a class", "call python -c"),
        ("Run `git push --force` never", "call git push"),
        ("`./tests/run.sh forms` wants a folder", "call tests/run.sh"),
        ("When cancel_order finds nothing", "call cancel_order"),
        ("INSTALLED_APPS must name a package", "name installed_apps"),
        ("The f-string has quotes", "name f-string"),
        ("Tests below web/app/tests are slow", "name web/app/tests"),
    ],
)
def test_a_text_says_what_it_is_about(text: str, clue: str) -> None:
    assert clue in clues(text)


def test_the_first_sentence_says_which_calls_a_lesson_is_about() -> None:
    found = clues("When `rm a b` misses a file, stop. Use `git status` afterwards.")

    assert "call rm" in found
    assert "call git" not in found


def test_a_failing_call_has_its_clues_in_the_same_words() -> None:
    step = Step("bash", "cd web && python3 -c 'import a'", "KeyError: 'id'", failed=True)

    found = clues_of_call(step, "KeyError: 'id'")

    assert {"error keyerror", "call python", "call python -c"} <= set(found)


def test_named_arguments_are_names() -> None:
    found = clues_of_call(Step("Cancel", '{"order_id": "1"}', "no", failed=True), "no")

    assert found == ("call cancel", "name order_id")


def test_a_missing_program_is_named_alike() -> None:
    step = Step("bash", "rg x", "bash: line 1: rg: command not found", failed=True)

    assert "lacks rg" in clues_of_call(step, "bash: line 1: rg: command not found")


def test_a_quoted_message_is_found_whatever_its_case_and_blanks() -> None:
    assert quotes(clues("It says “No space  left”"), "OSError: no SPACE\nleft on device")
    assert not quotes(clues("It says “No space left”"), "OSError: no room")


def test_words_of_every_error_tell_nothing() -> None:
    assert specific_words("OperationalError: no such table <name>") == "Operational table"
    assert specific_words("TypeError: argument <name> is invalid") == ""


def test_a_lesson_agrees_with_an_error_and_not_with_a_call_alone() -> None:
    step = Step("bash", "make all", "KeyError: 'id'", failed=True)
    failing = step._replace(failure=read_failure(step, ()))

    assert is_about_error(lesson("A KeyError means an old cache: `make clean`."), failing)
    assert not is_about_error(lesson("`make all` wants a clean tree."), failing)


def test_advice_is_followed_by_what_no_earlier_step_did() -> None:
    advice = lesson("Call `settings.configure()` first.")
    done = Step("bash", "python -c 'settings.configure()'", "ok")

    assert follows_advice(advice, done, ())
    assert not follows_advice(advice, done, [done])
    assert not follows_advice(advice, Step("bash", "python x.py", "ok"), ())


def test_a_note_is_about_nothing_but_its_own_words() -> None:
    """Every note has the same words in the place of a mistake."""
    assert clues_of(with_clues(lesson_of_person(SCOPE, "tidy up"))) == ()


def test_mined_lessons_have_a_history_and_need_no_clues() -> None:
    mined = lesson_of_person(SCOPE, "Use `bin/test`")._replace(origin=MINED)

    assert with_clues(mined) == mined


@given(st.text(max_size=400))
def test_any_text_has_few_clues_each_once(text: str) -> None:
    found = clues(text)

    assert len(found) == len(set(found)) <= 40
    assert all(one.split(" ", 1)[1] for one in found)


@given(st.text(max_size=200), st.text(max_size=200))
def test_clues_of_the_same_text_stay_the_same(one: str, other: str) -> None:
    kept = with_clues(lesson_of_person(SCOPE, f"a {one} {other}"))

    assert with_clues(kept) == kept


@given(st.from_regex(r"[a-z]{3,8}( -[a-z])?", fullmatch=True))
def test_a_lesson_that_quotes_a_call_shares_it_with_that_call(call: str) -> None:
    shared = set(clues(f"When `{call}` fails")).intersection(
        clues_of_call(Step("bash", call, "x"), "x")
    )

    assert shared or not clues(f"When `{call}` fails")


def test_a_lesson_about_one_missing_module_does_not_agree_with_another() -> None:
    text = "“ModuleNotFoundError: No module named 'psycopg2'”: put a stand-in into `sys.modules`."
    about = lesson(text)

    def fails(module: str) -> Step:
        output = f"ModuleNotFoundError: No module named '{module}'"
        step = Step("bash", "python a.py", output, failed=True)
        return step._replace(failure=read_failure(step, ()))

    assert is_about_error(about, fails("psycopg2"))
    assert not is_about_error(about, fails("numpy"))
