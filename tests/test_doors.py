"""The doors through the public face: what is learnt on the way, shown, and kept quiet."""

from __future__ import annotations

import os
from datetime import timedelta
from pathlib import Path

import pytest

import hardwon
from hardwon import Agent
from hardwon.core.errors import StorageError
from tests.samples import Clock

PYTEST = {"command": "pytest shop/cart/test_a.py"}
MISSING = "bash: line 1: pytest: command not found"
WORKS = {"command": "bin/test shop/cart/test_a.py"}


@pytest.fixture
def hw(tmp_path: Path) -> hardwon.Hardwon:
    return hardwon.open(tmp_path / "home")


def met_pytest(agent: Agent) -> None:
    agent.after_action("bash", PYTEST, output=MISSING, failed=True)
    agent.after_action("bash", WORKS, output="1 passed")
    agent.after_run(task="run the tests")


def proven_pytest(hw: hardwon.Hardwon, **place: str) -> None:
    """Two runs that meet the same failure and find the same way around it."""
    for _ in range(2):
        met_pytest(hw.agent("coder", **place))


def test_a_lesson_is_seen_then_a_candidate_then_proven_then_in_doubt(hw: hardwon.Hardwon) -> None:
    """Without a model; the first state does not wait for the end of the run."""
    coder = hw.agent("coder")
    coder.after_action("bash", PYTEST, output=MISSING, failed=True)
    (seen,) = coder.lessons.list(status="seen")
    assert (seen.author, seen.met, seen.fixes) == ("rules", 1, ())
    assert "pytest" in seen.situation
    assert not coder.lessons.list()
    assert coder.lessons.list(status="all") == [seen]

    coder.after_action("bash", WORKS, output="1 passed")
    for _ in range(2):  # in one run a fix counts once
        coder.after_action("bash", PYTEST, output=MISSING, failed=True)
        coder.after_action("bash", WORKS, output="1 passed")
    coder.after_run(task="run the tests")
    (candidate,) = coder.lessons.list()
    assert (candidate.status, candidate.met) == ("candidate", 1)
    assert "bin/test" in candidate.correction
    assert [(fix.worked, fix.failed) for fix in candidate.fixes] == [(1, 0)]

    met_pytest(hw.agent("coder"))
    (proven,) = coder.lessons.list()
    assert (proven.status, proven.met) == ("proven", 2)
    assert [(fix.worked, fix.failed) for fix in proven.fixes] == [(2, 0)]

    for _ in range(2):
        run = hw.agent("coder")
        run.after_action("bash", PYTEST, output=MISSING, failed=True)
        run.after_action("bash", WORKS, output=MISSING, failed=True)
        run.after_run(task="run the tests")
    (doubted,) = coder.lessons.list()
    assert doubted.status == "candidate"
    assert [(fix.worked, fix.failed) for fix in doubted.fixes] == [(2, 2)]


RED = """E       AssertionError: assert 'a' == 'b'

tests/test_io.py:3: AssertionError
FAILED tests/test_io.py::{0} - AssertionError: assert 'a' == 'b'
1 failed, 40 passed in 2s"""
SUITE = {"command": "pytest tests/test_io.py"}
EDIT = {"command": "sed -i 's/a/b/' src/io.py"}


def test_a_test_that_was_red_without_a_change_is_told_while_an_edit_stands(
    hw: hardwon.Hardwon,
) -> None:
    for _ in range(2):
        before = hw.agent("coder")
        before.after_action("bash", EDIT, output="", failed=False)
        before.after_action("bash", SUITE, output=RED.format("test_pipe"), failed=True)
        before.after_action("bash", {"command": "git stash"}, output="Saved", failed=False)
        before.after_action("bash", SUITE, output=RED.format("test_pipe"), failed=True)
        before.after_run(task="mend the pipe")
    coder = hw.agent("coder")
    coder.after_action("bash", EDIT, output="", failed=False)

    another = coder.after_action("bash", SUITE, output=RED.format("test_file"), failed=True)
    the_same = coder.after_action("bash", SUITE, output=RED.format("test_pipe"), failed=True)

    assert another.text == ""
    assert "without your change" in the_same.text


def test_a_failure_that_a_revert_does_not_mend_is_not_the_runs_own(hw: hardwon.Hardwon) -> None:
    coder = hw.agent("coder")
    red = "FAILED tests/test_io.py::test_pipe - OSError: broken pipe\n1 failed, 40 passed in 2s"
    coder.after_action("bash", {"command": "sed -i 's/a/b/' src/io.py"})
    coder.after_action("bash", {"command": "pytest tests/test_io.py"}, output=red, failed=True)
    reverted = {"command": "git stash && pytest tests/test_io.py"}
    coder.after_action("bash", reverted, output=red, failed=True)

    (lesson,) = coder.lessons.list()

    assert lesson.status == "candidate"
    assert "fails without your change too" in lesson.correction
    assert lesson.correction.startswith("`tests/test_io.py::test_pipe` fails without your change")


def test_what_is_known_of_one_test_is_not_told_at_another(hw: hardwon.Hardwon) -> None:
    """The same kind of exception in another test may well be the run's own doing."""
    red = "FAILED tests/test_io.py::{0} - KeyError: '{0}'\n1 failed, 40 passed in 2s"
    coder = hw.agent("coder")
    coder.after_action("bash", {"command": "sed -i 's/a/b/' src/io.py"})
    for command in ("pytest tests/test_io.py", "git stash && pytest tests/test_io.py"):
        coder.after_action(
            "bash", {"command": command}, output=red.format("test_pipe"), failed=True
        )
    coder.after_run(task="Mend the pipe")

    told = {
        test: hw.agent("coder")
        .after_action("bash", {"command": "pytest tests"}, output=red.format(test), failed=True)
        .text
        for test in ("test_close", "test_pipe")
    }

    assert told["test_close"] == ""
    assert "test_pipe` fails without your change too" in told["test_pipe"]


def test_the_same_message_of_another_test_names_the_tests_it_is_known_of(
    hw: hardwon.Hardwon,
) -> None:
    old = "DeprecationWarning: importing the ABCs from 'collections' stops working in Python 3.10"
    trace = 'Traceback (most recent call last):\n  File "sympy/core/expr.py", line 9, in diff'
    red = f"____ sympy/tests/test_a.py:{{0}} ____\n{trace}\n{old}"
    coder = hw.agent("coder")
    coder.after_action("bash", {"command": "sed -i 's/a/b/' src/io.py"})
    for command in ("bin/test sympy", "git stash && bin/test sympy"):
        coder.after_action("bash", {"command": command}, output=red.format("test_sum"), failed=True)
    coder.after_run(task="Mend the sum")
    noise = "\nDestroying the database" * 200  # the name of the test stands far above the end

    def told(command: str, output: str) -> str:
        call = {"command": command}
        return hw.agent("coder").after_action("bash", call, output=output, failed=True).text

    assert told("bin/test sympy", red.format("test_sum") + noise).startswith("[SAME FAILURE —")
    other = told("bin/test sympy", red.format("test_product"))
    assert other.startswith("[SAME FAILURE IN OTHER TESTS —")
    assert "test_sum` fails without your change too" in other
    assert told("python setup.py build", old) == ""  # no test at all


def test_another_form_of_a_failure_that_was_told_is_told_once_more(hw: hardwon.Hardwon) -> None:
    """Who is told that pytest is missing and calls it as a module meets the same wall again."""
    module, no_module = {"command": f"python -m {PYTEST['command']}"}, "No module named pytest"
    for call, output in ((PYTEST, MISSING), (module, no_module)):
        before = hw.agent("coder")
        before.after_action("bash", call, output=output, failed=True)
        before.after_action("bash", WORKS, output="1 passed")
        before.after_run(task="run the tests")
    coder = hw.agent("coder")

    def told(call: dict[str, str], output: str) -> bool:
        return bool(coder.after_action("bash", call, output=output, failed=True).lessons)

    forms = [(PYTEST, MISSING), (module, no_module)] * 2

    assert [told(*form) for form in forms] == [True, True, False, False]
    assert not told(PYTEST, "zsh: command not found: pytest")  # no run has met it so


def test_a_package_that_was_made_for_another_name_is_no_fix_in_vain(hw: hardwon.Hardwon) -> None:
    for name in ("shop", "blog", "wiki"):
        coder = hw.agent("coder")
        coder.after_action("bash", {"command": "mkdir forum && touch forum/__init__.py"})
        script = {"command": f"cat > {name}.py <<'E'\nAPPS = ['{name}']\nE\npython {name}.py"}
        missing = f"ModuleNotFoundError: No module named '{name}'"
        coder.after_action("bash", script, output=missing, failed=True)
        coder.after_action("bash", {"command": f"mkdir {name} && touch {name}/__init__.py"})
        coder.after_action("bash", {"command": f"python {name}.py"}, output="fine")
        coder.after_run(task="try it")

    (lesson,) = hw.agent("coder").lessons.list()

    assert [(fix.worked, fix.failed) for fix in lesson.fixes] == [(3, 0)]


def test_a_candidate_is_told_at_every_door_but_the_turn(hw: hardwon.Hardwon) -> None:
    met_pytest(hw.agent("coder"))

    assert "bin/test" in hw.agent("coder").start().text
    assert not hw.agent("coder").before_turn("pytest: command not found, use bin/test")
    assert not hw.agent("coder").before_action("bash", {"command": "bin/test -q"})
    assert "bin/test" in hw.agent("coder").before_action("bash", PYTEST).text
    shown = hw.agent("coder").after_action("bash", PYTEST, output=MISSING, failed=True)

    assert shown.text.startswith("[SAME FAILURE —")
    assert "bin/test" in shown.text
    other, error = {"command": "pytest -x"}, MISSING.replace("line 1", "line 7")
    assert "bin/test" in hw.agent("coder").after_action("bash", other, output=error).text


def test_a_fix_of_arguments_is_not_doubted_because_its_tool_was_used(hw: hardwon.Hardwon) -> None:
    error = "Error: payment method not found"

    def book(run: hardwon.Agent, payment: str, output: str) -> None:
        call = {"flight": "HAT1", "payment_id": payment}
        run.after_action("book", call, output=output, failed=output == error)

    for number in range(4):
        run, card = hw.agent("coder"), f"credit_card_77{number}1234"
        run.after_action(
            "get_user_details", {"user": "u1"}, output=f'{{"payment_methods": ["{card}"]}}'
        )
        book(run, f"card_{number}", error)
        book(run, f"card_x{number}", error)
        book(run, card, '{"reservation": "R1"}')
        run.after_run(task="book it")

    (lesson,) = hw.agent("coder").lessons.list()
    assert (lesson.status, lesson.met) == ("proven", 4)
    assert "get_user_details" in lesson.correction
    assert all(fix.failed == 0 for fix in lesson.fixes)


def test_a_failure_that_nobody_got_past_is_met_with_silence(hw: hardwon.Hardwon) -> None:
    for _ in range(3):
        run = hw.agent("coder")
        assert not run.start()
        assert not run.before_action("bash", PYTEST)
        assert not run.after_action("bash", PYTEST, output=MISSING, failed=True)
        again = run.after_action("bash", {"command": "pytest -x"}, output=MISSING, failed=True)
        assert not again.lessons
        run.after_run(task="run the tests")

    (lesson,) = hw.agent("coder").lessons.list(status="seen")
    assert lesson.met == 3


def test_an_error_in_a_line_that_went_on_is_a_failure_of_its_step(hw: hardwon.Hardwon) -> None:
    run = hw.agent("coder")
    posted, error = {"command": "yard post D1; yard show D1"}, "yard: E1301 unknown key"
    went_on = run.after_action("bash", posted, output=f"{error}\nstate: draft", failed=False)
    run.after_action("bash", {"command": "yard post D1 --key K7"}, output="posted")
    run.after_run(task="post it")

    assert went_on.failed is False
    (lesson,) = run.lessons.list()
    assert lesson.correction == "What worked: `yard post D1 --key K7`."
    told = hw.agent("coder").after_action("bash", posted, output=error, failed=False)
    assert "--key K7" in told.text


def test_the_same_kind_of_failure_is_named_as_such(hw: hardwon.Hardwon) -> None:
    call = {"command": "python app.py"}
    error = "sqlite3.OperationalError: no such table: {}"
    for name in ("polls_question", "shop_order"):
        run = hw.agent("coder")
        run.after_action("bash", call, output=error.format(name), failed=True)
        run.after_action("bash", {"command": "python app.py --create"}, failed=False)
        run.after_run(task="t")

    shown = hw.agent("coder").after_action(
        "bash", call, output=error.format("blog_post"), failed=True
    )

    assert shown.text.startswith("[SAME KIND OF FAILURE —")
    assert len(hw.agent("coder").lessons.list(status="all")) == 1


def test_a_failure_never_met_before_gets_silence(hw: hardwon.Hardwon) -> None:
    proven_pytest(hw)

    shown = hw.agent("coder").after_action(
        "bash", PYTEST, output="ImportError: cannot import name 'a' from 'b'", failed=True
    )

    assert not shown


@pytest.mark.parametrize("output", ["tests failed", "exit code 1", "HTTP 500", "AssertionError"])
def test_an_outer_error_is_no_identity(hw: hardwon.Hardwon, output: str) -> None:
    for _ in range(2):
        run = hw.agent("coder")
        assert not run.after_action("bash", {"command": "make"}, output=output, failed=True)
        run.after_run(task="build", error=output)
        hw.drain()

    assert not hw.agent("coder").lessons.list(status="all")


def test_the_verdict_on_a_step_stands_in_what_is_returned(hw: hardwon.Hardwon) -> None:
    coder = hw.agent("coder")
    call, error = {"user": 7}, "Error: user not found"

    assert coder.after_action("find_user", call, output=error).failed is True
    assert coder.after_action("find_user", call, output='{"name": "Ann"}').failed is False
    assert coder.after_action("find_user", call, output=error, failed=False).failed is False


def test_what_a_project_has_met_is_told_at_the_next_start_and_once(hw: hardwon.Hardwon) -> None:
    met_pytest(hw.agent("coder", project="api"))

    run = hw.agent("coder", project="api")
    shown = run.start()

    assert "bin/test" in shown.text
    assert not run.start()
    assert not run.before_turn("make the button blue")
    assert not hw.agent("coder", project="web").start()


def test_what_others_meet_meanwhile_is_not_told_at_a_second_start(hw: hardwon.Hardwon) -> None:
    run = hw.agent("coder", project="api", run="long")
    assert not run.start()
    met_pytest(hw.agent("coder", project="api"))

    assert not run.start()
    assert hw.agent("coder", project="api", run="next").start()


def test_what_the_start_told_is_told_once_more_before_a_call_that_ignores_it(
    hw: hardwon.Hardwon,
) -> None:
    for _ in range(3):
        met_pytest(hw.agent("coder", project="api"))
    run = hw.agent("coder", project="api")
    assert run.start()

    assert run.before_action("bash", PYTEST)
    assert not run.before_action("bash", PYTEST)


def test_a_lesson_is_told_at_one_turn_of_a_run(hw: hardwon.Hardwon) -> None:
    coder = hw.agent("coder")
    coder.learn("deploy the kubernetes manifest with apply")

    assert coder.before_turn("deploy the kubernetes manifest")
    assert not coder.before_turn("deploy the kubernetes manifest")
    assert hw.agent("coder").before_turn("deploy the kubernetes manifest")


def test_nothing_is_said_when_nothing_fits(hw: hardwon.Hardwon) -> None:
    coder = hw.agent("coder")
    coder.learn("when editing large Go files use Edit, not a full rewrite")

    assert coder.before_turn("edit the large Go file main.go")
    assert not coder.before_turn("book a table for two at eight")
    assert not coder.before_action("bash", {"command": "git status"})


def test_a_long_lesson_is_shortened_and_leaves_room(hw: hardwon.Hardwon) -> None:
    coder = hw.agent("coder")
    long = coder.learn("deploy the kubernetes manifest slowly. " + "very long words. " * 200)

    shown = coder.before_turn("deploy the kubernetes manifest slowly")

    assert [lesson.id for lesson in shown.lessons] == [long.id]
    assert f"hardwon lesson show {long.id}" in shown.text
    assert len(shown.text) < 600 * 4


def test_the_same_words_are_shown_once(hw: hardwon.Hardwon) -> None:
    everywhere, here = hw.agent("coder"), hw.agent("coder", project="api")
    for agent in (everywhere, here):
        agent.learn("deploy the kubernetes manifest with apply")

    assert len(here.before_turn("deploy the kubernetes manifest").lessons) == 1


def test_processes_of_one_run_share_their_steps(tmp_path: Path) -> None:
    for number in range(5):
        with hardwon.open(tmp_path) as hw:  # each hook is a process of its own
            shown = hw.agent("coder", run="r1").after_action(
                "bash", {"command": "make"}, output="error: boom", failed=True
            )
        assert ("[LOOP DETECTED]" in shown.text) is (number > 0)
        assert shown.stop is (number == 4)
    with hardwon.open(tmp_path) as hw:
        other = hw.agent("coder", run="r2")
        assert "LOOP" not in other.after_action("bash", {"command": "make"}, failed=True).text


def test_the_end_of_a_run_forgets_its_steps(tmp_path: Path) -> None:
    hw = hardwon.open(tmp_path)
    for _ in range(2):
        coder = hw.agent("coder", run="../../etc/passwd")
        shown = coder.after_action("bash", {"command": "make"}, output="error: boom", failed=True)
        assert "LOOP" not in shown.text
        coder.after_run(task="build")

    assert set(os.listdir(tmp_path / "runs")) == {"ended", "tidied"}  # what a worker archives


def test_a_run_on_disk_holds_no_secret_and_is_private(tmp_path: Path) -> None:
    secret = "sk-ant-api03-" + "x1Y2" * 23 + "AA"
    hw = hardwon.open(tmp_path)
    hw.agent("coder", run="r").after_action("bash", {"command": "login"}, output=f"key {secret}")

    (kept,) = (tmp_path / "runs").iterdir()

    assert secret not in kept.read_text()
    assert kept.stat().st_mode & 0o777 == 0o600


def test_a_torn_line_of_a_run_is_left_out(tmp_path: Path) -> None:
    hw = hardwon.open(tmp_path)
    hw.agent("coder", run="r").after_action("bash", {"command": "make"}, output="no", failed=True)
    (kept,) = (tmp_path / "runs").iterdir()
    kept.write_bytes(kept.read_bytes() + b'\n["bash","ma')

    coder = hw.agent("coder", run="r")
    for _ in range(2):
        shown = coder.after_action("bash", {"command": "make"}, output="no", failed=True)

    assert "LOOP DETECTED" in shown.text
    assert len(coder.run.so_far().steps) == 3


def test_a_full_disk_does_not_cost_the_steps_of_a_run(tmp_path: Path) -> None:
    hw = hardwon.open(tmp_path)
    coder = hw.agent("coder", run="r")
    coder.before_turn("build it")
    coder.after_action("bash", {"command": "make"}, output="error: boom", failed=True)
    recorded = coder.run.so_far().steps
    (tmp_path / "queue").write_text("no directory can be made here")

    with pytest.raises(StorageError):
        coder.after_run(task="build it", error="error: boom")
    (tmp_path / "queue").unlink()
    job = coder.after_run(task="build it", error="error: boom")

    assert job is not None
    assert [step.args for step in job.episode.steps] == ["make"]
    assert job.episode.steps == recorded  # as it was screened
    assert coder.run.so_far().steps == ()


def test_a_run_may_have_any_name(tmp_path: Path) -> None:
    coder = hardwon.open(tmp_path).agent("coder", run=123)  # type: ignore[arg-type]

    assert not coder.before_action("bash", {"command": "make"})
    coder.after_action("bash", {"command": "make"}, output="fine")

    assert len(coder.run.so_far().steps) == 1


def test_two_tenants_with_one_run_id_share_no_step(tmp_path: Path) -> None:
    hw = hardwon.open(tmp_path)
    hw.agent("coder", tenant="a", run="r").after_action("bash", {"command": "make"})

    assert hw.agent("coder", tenant="b", run="r").run.so_far().steps == ()


def test_steps_handed_over_are_screened(tmp_path: Path) -> None:
    secret = "sk-ant-api03-" + "x1Y2" * 23 + "AA"
    steps = [hardwon.Step("bash", f"login {secret}", "denied", failed=True)]

    job = hardwon.open(tmp_path).agent("coder").after_run(task="t", error="e", steps=steps)

    assert job is not None
    assert secret not in str(job)
    everything = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert secret.encode() not in everything


def test_steps_handed_over_at_the_end_teach_too(hw: hardwon.Hardwon) -> None:
    steps = [
        hardwon.Step("bash", PYTEST["command"], MISSING, failed=True),
        hardwon.Step("bash", WORKS["command"], "1 passed"),
    ]
    hw.agent("coder").after_run(task="tests", steps=steps)

    (lesson,) = hw.agent("coder").lessons.list()
    assert "bin/test" in lesson.correction


def test_a_guarded_call_is_always_warned(hw: hardwon.Hardwon) -> None:
    coder = hw.agent("coder")
    kept = coder.learn("never drop the production database")
    coder.lessons.guard(kept.id, call="dropdb prod")

    shown = coder.before_action("bash", {"command": "dropdb prod"})

    assert shown.lessons[0].guard
    assert not coder.before_action("bash", {"command": "createdb prod"})


def test_the_lesson_of_a_call_with_named_arguments_names_its_tool_and_no_file() -> None:
    coder = hardwon.open("memory:").agent("coder")
    edit = {"file_path": "/p/cart.py", "old_string": "a", "new_string": "b"}
    coder.after_action("Edit", edit, output="File has not been read yet.", failed=True)

    (lesson,) = coder.lessons.list(status="seen")

    assert "Edit" in lesson.situation
    assert "cart" not in lesson.render()


def test_a_prompt_of_any_length_is_looked_up_by_both_its_ends(hw: hardwon.Hardwon) -> None:
    hw.agent("coder").learn("Rotate the zebra certificate before the quokka deployment")
    filler = "what some server had to say about orders and stock\n" * 20_000

    for prompt in (f"zebra certificate {filler}", f"{filler} quokka deployment"):
        assert hw.agent("coder").before_turn(prompt)


def test_a_loop_is_found_where_the_steps_of_a_run_cannot_be_written(hw: hardwon.Hardwon) -> None:
    agent = hw.agent("coder", run="r")
    Path(hw.settings.home, "runs").write_text("no directory can be made here")

    agent.after_action("bash", PYTEST, output=MISSING, failed=True)
    again = agent.after_action("bash", PYTEST, output=MISSING, failed=True)

    assert "[LOOP DETECTED]" in again.text


def test_to_try_again_when_the_user_says_so_is_no_loop(hw: hardwon.Hardwon) -> None:
    agent = hw.agent("coder")
    agent.after_action("bash", PYTEST, output=MISSING, failed=True)

    agent.before_turn("I have installed it, try again")

    assert "LOOP" not in agent.after_action("bash", PYTEST, output=MISSING, failed=True).text


WRITTEN = "tests need the runner: there is no pytest here, call `bin/test tests/test_a.py`"


def test_a_lesson_that_a_person_wrote_is_found_at_the_failure_it_speaks_of(
    hw: hardwon.Hardwon,
) -> None:
    written = hw.agent("coder").learn(WRITTEN)

    shown = hw.agent("coder").after_action("bash", PYTEST, output=MISSING, failed=True)
    other = hw.agent("coder").after_action(
        "bash", {"command": "make"}, output="make: *** no rule to make target 'all'", failed=True
    )

    assert [lesson.id for lesson in shown.lessons] == [written.id]
    assert not shown.text.startswith("[SAME")
    assert not other


def test_a_failure_that_was_overcome_belongs_to_the_lesson_that_was_told(
    hw: hardwon.Hardwon,
) -> None:
    written = hw.agent("coder").learn(WRITTEN)
    first = hw.agent("coder")
    first.after_action("bash", PYTEST, output=MISSING, failed=True)
    first.after_action("bash", {"command": "bin/test tests/test_a.py"}, output="1 passed")

    again = hw.agent("coder").after_action("bash", PYTEST, output=MISSING, failed=True)

    assert again.text.startswith("[SAME")
    assert written.id in [lesson.id for lesson in again.lessons]


def test_a_lesson_whose_words_did_not_help_is_offered_twice_at_most(hw: hardwon.Hardwon) -> None:
    written = hw.agent("coder").learn(WRITTEN)
    shown = [
        hw.agent("coder").after_action("bash", PYTEST, output=MISSING, failed=True)
        for _ in range(3)
    ]

    told = [[lesson.id for lesson in one.lessons] for one in shown]
    assert told[:2] == [[written.id]] * 2
    assert written.id not in told[2]


def test_a_guard_forbids_until_it_expires(tmp_path: Path) -> None:
    clock = Clock()
    with hardwon.open(tmp_path, clock=clock) as hw:
        agent, call = hw.agent("coder"), {"command": "git push --force"}
        end = clock.now + timedelta(hours=1)
        kept = agent.lessons.add("when pushing", "Never push by force.", expires_at=end)
        agent.lessons.guard(kept.id, call="git push --force")
        assert agent.before_action("bash", call).denied

        clock.now = end + timedelta(seconds=1)

        assert not agent.before_action("bash", call).denied


def test_a_lesson_that_names_no_failure_is_told_whenever_it_is_asked_for(
    hw: hardwon.Hardwon,
) -> None:
    hw.agent("coder").learn("When you write the handbook of the shop, spell it the British way")

    for _ in range(6):
        run = hw.agent("coder")
        assert run.before_turn("write the handbook of the shop")
        run.after_action("bash", WORKS, output="1 passed")
        run.after_run(task="write")


def test_a_written_lesson_is_told_whenever_the_error_comes_that_it_quotes(
    hw: hardwon.Hardwon,
) -> None:
    coder = hw.agent("coder")
    quotes = coder.learn("When the disk is full (“no space left on device”): `make prune`")
    coder.learn("When the disk of the runner is slow, mount it anew")
    coder.learn("When `make all` stops with “connection reset by peer”: `make prune`")

    def told(output: str) -> list[int]:
        call = {"command": "make all"}
        shown = hw.agent("coder").after_action("bash", call, output=output, failed=True)
        return [lesson.id for lesson in shown.lessons]

    assert told("OSError: No space left on device") == [quotes.id]
    assert [told("OSError: No space left on device")[-1:] for _ in range(3)] == [[quotes.id]] * 3
    assert told("OSError: permission denied: all") == []


def test_what_a_step_taught_is_told_to_the_user_once(hw: hardwon.Hardwon) -> None:
    def run(call: str, output: str = "", *, failed: bool) -> str:
        return agent.after_action("bash", call, output=output, failed=failed).learnt

    agent = hw.agent("coder")
    error = "mkdir: cannot create directory 'out/nightly': No such file or directory"
    assert run("mkdir out/nightly", error, failed=True) == ""

    assert "-p" in run("mkdir -p out/nightly", failed=False)
    assert run("mkdir -p out/nightly", failed=False) == ""


def test_so_much_of_a_prompt_is_the_task_of_a_run(hw: hardwon.Hardwon) -> None:
    agent = hw.agent("coder", run="r1")
    agent.before_turn("word " * 2000)

    assert len(agent.run.so_far().task) == 4000


def test_a_forbidden_call_and_an_error_are_explained(hw: hardwon.Hardwon) -> None:
    agent = hw.agent("coder")
    kept = agent.learn("Ask before a push")
    agent.lessons.guard(kept.id, call="git push --force")
    error = "mkdir: cannot create directory 'out/nightly': No such file or directory"
    agent.after_action("bash", "mkdir out/nightly", output=error, failed=True)
    agent.after_action("bash", "mkdir -p out/nightly", failed=False)

    (forbidden,) = agent.explain("action", "git push --force")
    assert (forbidden.match.lesson.id, forbidden.parts) == (kept.id, (("guard", 10.0),))
    assert all(one.parts != (("guard", 10.0),) for one in agent.explain("action", "git push"))
    assert agent.explain("error", error)[0].match.is_same_kind


def test_the_same_task_again_brings_what_that_task_met(hw: hardwon.Hardwon) -> None:
    task = "Refund the order of the inspection"
    first = hw.agent("coder", project="desk")
    first.before_turn(task)
    denied = "yard: E403 draft: denied for profile desk"
    first.after_action("bash", "yard draft a", output=denied, failed=True)
    first.after_action("bash", "yard --profile finance draft a", output="draft D1", failed=False)
    first.after_run(task=task)

    again = hw.agent("coder", project="desk")

    assert "yard --profile finance draft a" in again.before_turn(task)
    assert not hw.agent("coder", project="desk").before_turn("Paint the fence of the garden")
