"""What a session shows: failures and what got past them, corrections, decisions."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from hardwon import Step
from hardwon.learn.transcripts.findings import Findings, is_decision, is_rule
from hardwon.learn.transcripts.insight import CONTENT, HIGH, LOW, MEDIUM, PATTERN
from hardwon.learn.transcripts.transcript import FinishedCall, Moment
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


def test_the_users_correction_is_kept_in_the_imperative() -> None:
    insight = (
        Talk()
        .user("install the packages")
        .ran("npm install", "ok")
        .user("no, don't use npm here, use pnpm instead")
        .one()
    )

    assert insight.text == "Don't use npm here, use pnpm instead"
    assert (insight.kind, insight.confidence) == (CONTENT, HIGH)
    assert insight.tags == ("javascript",)
    assert insight.evidence[0].line == 3


def test_a_correction_that_is_repeated_is_one_insight_with_more_evidence() -> None:
    insight = (
        Talk()
        .agent("done")
        .user("Never commit to the main branch.")
        .agent("ok")
        .user("I said never commit to main branch!")
        .one()
    )

    assert [shown.line for shown in insight.evidence] == [2, 4]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (
            "don't use black for the api module, use ruff",
            "don't use npm for the web module, use pnpm",
        ),
        ("never push to main without running tests", "never push to dev without running tests"),
        ("use tabs in the Makefile", "never use tabs in the Makefile"),
    ],
)
def test_corrections_about_different_things_stay_apart(first: str, second: str) -> None:
    found = Talk().agent("done").user(first).agent("ok").user(second).found()

    assert [insight.evidence[0].quote for insight in found.insights] == [first, second]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("use pnpm, not npm", "again: don't use npm, use pnpm!"),
        ("always run make lint before you commit", "always run make lint before committing"),
    ],
)
def test_the_same_correction_in_other_words_is_one(first: str, second: str) -> None:
    insight = Talk().agent("done").user(first).agent("ok").user(second).one()

    assert insight.times == 2


DIFFERENT = (
    "use tabs instead of spaces",
    "use spaces instead of tabs",
    "never commit to main",
    "never commit to main without a review",
    "always run the tests first",
    "always run the tests with coverage first",
    "use ruff, not black",
    "use black, not ruff",
    "don't touch the port",
    "don't touch the portal",
    "rebase feature onto main instead of merging",
    "rebase main onto feature instead of merging",
    "prefer two small commits",
    "prefer two small commits per day",
)


def test_fourteen_different_corrections_stay_fourteen() -> None:
    talk = Talk().agent("done")
    for text in DIFFERENT:
        talk.user(text).agent("ok")

    found = talk.found().insights

    assert [insight.evidence[0].quote for insight in found] == list(DIFFERENT)


def test_a_title_ends_with_a_word() -> None:
    advice = "Always write the migration first and the model second because otherwise the reviewers"
    insight = Talk().agent("done").user(f"{advice} cannot follow what happens to the tables.").one()

    assert insight.title == f"{advice}…"
    assert insight.advice == insight.text


def test_the_first_prompt_is_a_task_and_never_a_correction() -> None:
    assert not Talk().user("Never use npm. Always use pnpm.").found().insights


def test_a_decision_with_its_reason_is_kept_and_summarised() -> None:
    told = "We decided to use SQLite instead of PostgreSQL because there is one machine."

    found = Talk().user("plan the store").agent(f"Let me think. {told} Next step.").found()

    assert [one.text for one in found.insights] == [told]
    assert found.summary.decisions == (told,)


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("We will use the old parser because it is there", False),
        ("I chose httpx over requests because it has async", True),
        ("I will look at the tests because they fail", False),
        ("We went with tabs", False),
    ],
)
def test_a_decision_needs_a_choice_an_alternative_and_a_reason(
    sentence: str, expected: bool
) -> None:
    assert is_decision(sentence) is expected


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("Don't edit generated files", True),
        ("use tabs instead of spaces", True),
        ("Always run the linter before you commit", True),
        ("Can you never do that?", False),
        ("Thanks, that looks good", False),
    ],
)
def test_a_rule_says_how_things_are_done(sentence: str, expected: bool) -> None:
    assert is_rule(sentence) is expected


def test_a_choice_without_its_reason_is_there_to_be_asked_for() -> None:
    found = Talk().agent("I decided to keep SQLite for the queue.").found()

    assert not found.insights
    assert [insight.text for insight in found.missed] == ["I decided to keep SQLite for the queue."]


def test_the_summary_tells_what_was_asked_done_and_failed() -> None:
    summary = (
        Talk()
        .user("Add a report. It must be fast.")
        .ran("make", "make: *** no rule", failed=True)
        .edited("/p/report.py", "a", "b")
        .agent("The report is there.")
        .found()
        .summary
    )

    assert summary.task == "Add a report. It must be fast."
    assert "1 call failed" in summary.text
    assert "report.py" in summary.text
    assert "The report is there" in summary.text


def test_a_long_transcript_is_read_to_its_end_in_little_memory() -> None:
    def moments() -> Iterator[Moment]:
        for line in range(1, 20_001):
            yield FinishedCall(line, line, Step("bash", f"echo {line}", "x" * 100))
        yield FinishedCall(20_001, 20_001, Step("bash", "mkdir a/b", "mkdir: no", True))
        yield FinishedCall(20_002, 20_002, Step("bash", "mkdir -p a/b", ""))

    found = Findings(moments())

    assert "20002 calls" in found.summary.text.replace(",", "")
    assert [one.evidence[0].line for one in found.insights] == [20_001]
