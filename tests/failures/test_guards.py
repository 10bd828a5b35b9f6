"""Guards: the very call and what a person names, nothing else."""

from __future__ import annotations

import pytest

from hardwon import Lesson, Scope
from hardwon.core.values.lesson import Fix
from hardwon.knowledge.reading.guards import Guard, forbidden_call, guard_of


def guarding(pattern: str, *, tool: str = "bash", fix: str = "") -> Guard:
    fixes = (Fix("call", f"Use `{fix}`.", "k", call=fix),) if fix else ()
    return guard_of(Lesson(Scope(), "s", "c", calls=(forbidden_call(tool, pattern),), fixes=fixes))


@pytest.mark.parametrize(
    "call",
    [
        "rm build",
        "  rm   build ",
        "rm 'build'",
        'rm "build"',
        "cd x && rm build",
        "make; rm build || true",
        "rm build\nls",
    ],
)
def test_the_very_call_is_forbidden_whatever_its_blanks_and_quotes(call: str) -> None:
    assert guarding("rm build").forbids("bash", call)


@pytest.mark.parametrize(
    "call",
    [
        "rm -r build",
        "rm foo.txt",
        "rm build2",
        "rm build foo",
        "rm 'build '",
        "echo rm build",
        "rm",
    ],
)
def test_other_calls_are_allowed(call: str) -> None:
    assert not guarding("rm build").forbids("bash", call)


def test_a_quoted_blank_is_no_separator() -> None:
    assert guarding("rm 'a b'").forbids("bash", 'rm "a b"')
    assert not guarding("rm 'a b'").forbids("bash", "rm a b")


@pytest.mark.parametrize(
    ("pattern", "call", "is_forbidden"),
    [
        ("git push *", "git push --force origin main", True),
        ("git push *", "git pull", False),
        ("git push *", "git push", False),
        ("git push --force*", "git push --force", True),
        ("*--force*", "git push --force-with-lease", True),
        ("dropdb *prod*", "dropdb my-prod-2", True),
        ("dropdb *prod*", "dropdb test", False),
        ("a*a", "a", False),
        ("*", "ls", True),
    ],
)
def test_a_star_fits_anything(pattern: str, call: str, is_forbidden: bool) -> None:
    assert guarding(pattern).forbids("bash", call) is is_forbidden


def test_a_fix_of_the_lesson_is_never_forbidden() -> None:
    guard = guarding("rm *", fix="rm -r build")

    assert guard.forbids("bash", "rm build")
    assert not guard.forbids("bash", "rm  -r 'build'")
    assert not guard.forbids("bash", "rm -r build && ls")
    assert guard.forbids("bash", "rm -r build && rm src")


def test_a_chain_that_was_named_is_forbidden_as_a_whole() -> None:
    assert guarding("cd x && make").forbids("bash", "cd x  &&  make")
    assert not guarding("cd x && make").forbids("bash", "cd y && make")


def test_a_call_with_named_arguments_is_compared_by_them() -> None:
    guard = guarding('{"id": 1, "all": true}', tool="delete")

    assert guard.forbids("Delete", '{"all":true,"id":1}')
    assert not guard.forbids("delete", '{"all": false, "id": 1}')
    assert not guard.forbids("show", '{"all": true, "id": 1}')


def test_a_guard_of_an_earlier_build_forbids_its_very_calls() -> None:
    keys = ("= rm build", "@ rm a.txt", "~ rm word", ": rm", '= drop {"id": 1}')
    guard = guard_of(Lesson(Scope(), "s", "c", calls=keys))

    assert guard.forbids("bash", "rm build")
    assert guard.forbids("drop", '{"id": 1}')
    assert not guard.forbids("bash", "rm a.txt")


def test_what_a_person_named_replaces_the_calls_of_the_lesson() -> None:
    guard = guard_of(
        Lesson(Scope(), "s", "c", calls=("= rm build", forbidden_call("bash", "rm x")))
    )

    assert guard.forbids("bash", "rm x")
    assert not guard.forbids("bash", "rm build")


def test_the_words_of_a_pattern_have_to_stand_in_the_call() -> None:
    assert guarding("git push --force*").needles() == [["git", "push", "force"]]


def test_a_pattern_binds_the_beginning_of_a_call() -> None:
    guard = guarding("git push *")

    assert guard.forbids("bash", "git push origin main")
    assert not guard.forbids("bash", "svn push origin main")


def test_a_chain_that_a_fix_recommends_is_allowed_as_a_whole() -> None:
    guard = guarding("make", fix="make clean && make")

    assert guard.forbids("bash", "make")
    assert not guard.forbids("bash", "make clean && make")
