"""What fails in a session and then works is an insight."""

from __future__ import annotations

import pytest

from hardwon.learn.transcripts.insight import CONTENT, HIGH, LOW, MEDIUM, PATTERN
from tests.learn.transcripts.told_sessions import Talk


def test_a_failing_call_and_the_later_one_that_works_are_a_sure_insight() -> None:
    insight = (
        Talk()
        .user("make the folder")
        .ran("mkdir out/a", "mkdir: cannot create directory 'out/a'", failed=True)
        .ran("ls")
        .ran("mkdir -p out/a")
        .one()
    )

    assert (insight.kind, insight.confidence) == (CONTENT, HIGH)
    assert insight.text == (
        "What worked: `mkdir -p out/a`. That helps where `mkdir out/a` ends in “mkdir: cannot"
        " create directory 'out/a'”."
    )
    assert [(shown.line, shown.quote) for shown in insight.evidence] == [
        (2, "mkdir: cannot create directory 'out/a'"),
        (4, "mkdir -p out/a"),
    ]
    assert insight.signatures
    assert insight.kinds
    assert insight.calls
    assert [fix.sort for fix in insight.fixes] == ["trail"]


ORDINARY = {
    "a flag": [("mkdir a/b", "mkdir: cannot create directory 'a/b': No such file or directory"),
               ("mkdir -p a/b", None)],
    "another program": [("python app.py", "bash: python: command not found"),
                        ("python3 app.py", None)],
    "a variable": [("python manage.py test", "django.core.exceptions.ImproperlyConfigured: "
                    "Requested setting INSTALLED_APPS, but settings are not configured."),
                   ("DJANGO_SETTINGS_MODULE=shop.settings python manage.py test", None)],
    "another folder": [("pytest -q", "ERROR: file or directory not found: tests/x.py"),
                       ("cd api && pytest -q", None)],
    "what git asks for": [("git push", "fatal: The current branch feat has no upstream branch."),
                          ("git push -u origin feat", None)],
    "an installation": [("npm test", "sh: 1: jest: not found"), ("npm ci", None),
                        ("npm test", None)],
    "a package": [("pytest -q", "ModuleNotFoundError: No module named 'httpx'"),
                  ("pip install httpx", None), ("pytest -q", None)],
    "a pull": [("git push", "! [rejected] main -> main (fetch first)"),
               ("git pull --rebase", None), ("git push", None)],
    "an initialisation": [("terraform plan", "Error: Inconsistent dependency lock file"),
                          ("terraform init", None), ("terraform plan", None)],
    "a permission": [("./run.sh", "bash: ./run.sh: Permission denied"),
                     ("chmod +x run.sh", None), ("./run.sh", None)],
}  # fmt: skip


@pytest.mark.parametrize("name", ORDINARY)
def test_ordinary_fixes_are_found_and_sure(name: str) -> None:
    talk = Talk().user("get it to work")
    for command, error in ORDINARY[name]:
        talk.ran(command, error or "3 passed in 0.1s", failed=error is not None)

    insight = talk.one()

    assert insight.confidence == HIGH
    assert insight.fixes[0].text.rstrip(".") in insight.text
    assert insight.evidence[1].quote == ORDINARY[name][-1][0]


def test_two_fixes_of_one_failure_are_two_insights() -> None:
    talk = Talk()
    for ways in (["npm ci", "npm test"], ["npm test --prefix web"]):
        talk.ran("npm test", "sh: 1: jest: not found", failed=True)
        for way in ways:
            talk.ran(way, "Tests: 5 passed, 5 total")

    found = talk.found()

    assert len({insight.key for insight in found.insights}) == len(found.insights) == 2
    assert "overcome later: 2" in found.summary.text


def test_a_failure_that_is_there_without_the_change_is_told() -> None:
    red = "FAILED tests/test_a.py::test_old - AssertionError: 1 != 2\n1 failed, 3 passed in 0.2s"
    talk = Talk().ran("sed -i 's/y/x/' src/a.py").ran("pytest tests/test_a.py", red, failed=True)

    insights = (
        talk.ran("git stash").ran("pytest tests/test_a.py", red, failed=True).found().insights
    )

    assert [fix.sort for insight in insights for fix in insight.fixes] == ["unchanged"]


def test_an_edit_of_the_work_is_no_fix_for_the_next_task() -> None:
    talk = Talk().ran("pytest t.py", "E   NameError: name 'x' is not defined", failed=True)

    found = talk.ran("sed -i 's/y/x/' src/a.py").ran("pytest t.py", "1 passed").found()

    assert not found.insights


def test_an_error_in_a_line_that_went_on_is_got_past_too() -> None:
    talk = Talk().ran("yard post D1; yard show D1", "yard: E1301 unknown key\nstate: draft")

    insight = talk.ran("yard post D1 --key K7; yard show D1", "state: posted").one()

    assert insight.text.startswith("What worked: `yard post D1 --key K7`.")


@pytest.mark.parametrize(("times", "confidence"), [(2, LOW), (3, MEDIUM), (4, MEDIUM), (5, HIGH)])
def test_the_same_failure_again_is_a_pattern_by_its_count(times: int, confidence: str) -> None:
    talk = Talk()
    for port in range(times):
        talk.ran(f"curl http://localhost:80{port}/x", "curl: (7) Failed to connect", failed=True)

    insight = talk.one()

    assert (insight.kind, insight.confidence) == (PATTERN, confidence)
    assert insight.times == times


def test_a_search_that_finds_nothing_is_no_failure() -> None:
    assert not Talk().ran("grep -r foo src", "", failed=True).found().insights


def test_a_red_reproduction_that_the_session_wrote_is_no_failure() -> None:
    talk = Talk().ran("cat <<'EOF' > repro.py\nimport lib\nassert lib.f() == 2\nEOF")
    for _ in range(3):
        talk.ran(
            "python repro.py",
            'Traceback (most recent call last):\n  File "repro.py", line 2, in <module>\n'
            "    assert lib.f() == 2\nAssertionError",
            failed=True,
        )

    assert not talk.found().insights


def test_a_single_failure_without_a_fix_teaches_nothing_and_is_there_to_be_asked_for() -> None:
    found = Talk().ran("make", "make: *** no rule", failed=True).found()

    assert not found.insights
    assert [insight.text for insight in found.missed] == [
        "Look out with `make`: it ended in “make: *** no rule”, and the session shows no fix."
    ]
