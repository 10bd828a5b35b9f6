"""Before an action, through the public face: what is foretold, told once, denied once."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import hardwon
from hardwon import Agent, Injection, Lesson, Scope, Step
from hardwon.failures.features import call_features
from hardwon.pipeline.predict import Prediction, Records, counted, judged, likely_failures, made
from hardwon.ranking import odds
from hardwon.ranking.odds import RUN, Chance, Counts
from hardwon.settings import load
from hardwon.stores.memory import MemoryStore
from hardwon.values.failure import Failure
from hardwon.values.fix import Fix
from hardwon.values.lesson import MINED, Status
from hardwon.values.run import RunSoFar
from tests.samples import CODER, NOW, lesson

SCRIPT = (
    "cat > {name} <<'EOF'\nimport shop\nbase = shop.connect()\n"
    "{more}base.execute('SELECT * FROM orders')\nEOF"
)
REFUSED = "Traceback (most recent call last):\n  x\nsqlite3.OperationalError: no such table: orders"
CURED = "base.create_table('orders')\n"


@pytest.fixture
def hw(tmp_path: Path) -> hardwon.Hardwon:
    return hardwon.open(tmp_path / "home")


def bash(agent: Agent, command: str, output: str = "ok", *, failed: bool = False) -> Injection:
    return agent.after_action("bash", {"command": command}, output=output, failed=failed)


def met(agent: Agent, name: str) -> None:
    """A run whose script fails until it makes the schema first."""
    bash(agent, SCRIPT.format(name=name, more=""))
    bash(agent, f"python {name}", REFUSED, failed=True)
    bash(agent, SCRIPT.format(name=name, more=CURED))
    bash(agent, f"python {name}", "connected")
    agent.after_run(task="x")


def write(agent: Agent, *, more: str = "") -> None:
    bash(agent, SCRIPT.format(name="probe.py", more=more))


def ask(agent: Agent, command: str = "python probe.py") -> Injection:
    return agent.before_action("bash", {"command": command})


def test_a_fix_of_one_run_is_told_before_a_call_with_named_arguments(hw: hardwon.Hardwon) -> None:
    """Which argument is wrong says more than names in a script, where two runs have to show it."""

    def order(agent: Agent, number: int, status: str) -> dict[str, str]:
        known = {"order_id": f"#W{number}", "status": status}
        one = {"order_id": known["order_id"]}
        agent.after_action("get_order", one, output=json.dumps(known), failed=False)
        return one | {"item": "I1", "new_item": "I2"}

    first = hw.agent("clerk")
    for number in (10, 20, 30):
        works = order(first, number, "delivered")
        first.after_action("exchange_order", works, output="{}", failed=False)
    call = order(first, 100, "pending")
    refused = "Error: non-delivered order cannot be exchanged"
    first.after_action("exchange_order", call, output=refused, failed=True)
    first.after_action("modify_order", call, output="{}", failed=False)
    first.after_run(task="exchange it")
    assert [lesson.status for lesson in first.lessons.list()] == ["candidate"]
    pending, delivered = hw.agent("clerk"), hw.agent("clerk")

    told = pending.before_action("exchange_order", order(pending, 200, "pending"))
    silent = delivered.before_action("exchange_order", order(delivered, 300, "delivered"))

    assert "modify_order" in told.text
    assert silent.text == ""


def test_a_value_of_another_sort_is_foretold_whatever_it_is(hw: hardwon.Hardwon) -> None:
    def send(agent: Agent, to: object, *, failed: bool) -> None:
        refused = "ValidationError: recipients: Input should be a valid list"
        output = refused if failed else '{"status": "sent"}'
        agent.after_action("send_email", {"to": to, "text": "x"}, output=output, failed=failed)

    for name in ("mia", "liam", "omar"):
        agent = hw.agent("clerk")
        send(agent, f"{name}@post.example", failed=True)
        send(agent, [f"{name}@post.example"], failed=False)
        agent.after_run(task="x")
    for name in ("zoe", "ida", "max", "leo", "ada", "eva"):
        other = hw.agent("clerk")
        send(other, [f"{name}@post.example"], failed=False)
        other.after_run(task="x")
    fresh = hw.agent("clerk")

    assert not fresh.before_action("send_email", {"to": ["Zoë Kraft"], "text": "x"})
    assert fresh.before_action("send_email", {"to": "Zoë Kraft", "text": "x"})


def tried(agent: Agent, tool: str, args: dict[str, Any], refused: str = "") -> Injection:
    return agent.after_action(tool, args, output=refused or "{}", failed=bool(refused))


def test_a_call_that_heeds_one_fix_of_two_is_told_of_the_other(hw: hardwon.Hardwon) -> None:
    long, short = {"query": "reset my password"}, {"query": "password"}
    none = "ValueError: No emails found. Try with a different query."
    for wrong, right in (({**long, "sender": "Mia"}, long), (long, short)):
        agent = hw.agent("clerk")
        tried(agent, "search_emails", wrong, none)
        tried(agent, "search_emails", right)
        agent.after_run(task="x")
    first, second, third = (hw.agent("clerk") for _ in range(3))

    told = first.before_action("search_emails", {"query": "my lost key"})

    assert "fewer words" in told.text
    assert "sender" not in told.text, "the call heeds that already"
    assert not second.before_action("search_emails", short)
    first.lessons.edit(told.lessons[0].id, correction="Ask the person for a name.")
    own = third.before_action("search_emails", {"query": "my lost key"})
    assert "Ask the person" in own.text, "who chose the words of a lesson is not corrected"


def test_a_fix_that_only_the_error_completes_is_not_told_before_the_call(
    hw: hardwon.Hardwon,
) -> None:
    stale = "Error: version 3 is stale, the current version is 5"
    for _ in range(2):
        agent = hw.agent("clerk")
        tried(agent, "update", {"id": "T-1", "version": 3}, stale)
        tried(agent, "update", {"id": "T-1", "version": 5})
        agent.after_run(task="x")
    fresh = hw.agent("clerk")

    assert not fresh.before_action("update", {"id": "T-1", "version": 3})
    assert "that the error names" in tried(fresh, "update", {"id": "T-1", "version": 3}, stale).text


@pytest.fixture
def taught(hw: hardwon.Hardwon) -> hardwon.Hardwon:
    for name in ("first.py", "second.py", "third.py"):
        met(hw.agent("coder"), name)
    for number in range(12):
        other = hw.agent("coder")
        bash(other, "cat > other.py <<'EOF'\nimport garden\ngarden.water()\nEOF")
        bash(other, "python other.py", f"wet {number}")
        other.after_run(task="x")
    hw.check()  # counts what was noted
    return hw


def test_a_script_that_misses_a_step_is_warned_about_by_what_it_says(
    taught: hardwon.Hardwon,
) -> None:
    agent = taught.agent("coder")
    write(agent)

    assert "create_table" in ask(agent).text


def test_a_script_that_has_the_step_is_not(taught: hardwon.Hardwon) -> None:
    agent = taught.agent("coder")
    write(agent, more=CURED)

    assert not ask(agent)


def test_another_script_is_not(taught: hardwon.Hardwon) -> None:
    agent = taught.agent("coder")
    bash(agent, "cat > probe.py <<'EOF'\nimport garden\ngarden.water()\nEOF")

    assert not ask(agent)


def test_a_lesson_is_told_once_a_run_before_a_call(taught: hardwon.Hardwon) -> None:
    agent = taught.agent("coder")
    write(agent)
    assert ask(agent)

    assert not ask(agent)
    assert not ask(agent, "python3 probe.py")


def test_a_warning_waits_for_no_write(taught: hardwon.Hardwon) -> None:
    """It is logged beside the database: a commit waits for the disk, and for other writers."""
    script = SCRIPT.format(name="new.py", more="")

    def warned(run: str) -> Injection:
        agent = taught.agent("coder", run=run)
        agent.before_action("bash", {"command": script})
        return agent.before_action("bash", {"command": f"{script}\npython new.py"})

    assert warned("first")  # also counts what was noted before
    home = taught.settings.home
    with closing(sqlite3.connect(f"file:{home}/hardwon.db?mode=ro", uri=True)) as other:
        before = other.execute("PRAGMA data_version").fetchone()

        assert warned("second")

        assert other.execute("PRAGMA data_version").fetchone() == before


def test_one_meeting_warns_nobody(hw: hardwon.Hardwon) -> None:
    met(hw.agent("coder"), "first.py")
    agent = hw.agent("coder")
    write(agent)

    assert not ask(agent)


def test_a_fix_of_one_run_is_told_before_a_command_that_failed_so_in_every_run(
    hw: hardwon.Hardwon,
) -> None:
    refused = "make: *** No rule to make target 'test'.  Stop."
    for cures in (["make check"], []):
        agent = hw.agent("coder")
        bash(agent, "make test", refused, failed=True)
        for cure in cures:
            bash(agent, cure)
        agent.after_run(task="x")
    assert [lesson.status for lesson in hw.agent("coder").lessons.list()] == ["candidate"]

    assert "make check" in ask(hw.agent("coder"), "make test").text


def test_a_call_that_worked_is_warned_about_only_after_a_change(taught: hardwon.Hardwon) -> None:
    agent = taught.agent("coder")
    write(agent)
    bash(agent, "python probe.py", "connected")
    bash(agent, "ls", "probe.py")

    assert not ask(agent)
    bash(agent, "git checkout main", "switched")
    assert ask(agent)


def test_what_a_project_has_left_behind_is_forgotten(taught: hardwon.Hardwon) -> None:
    for number in range(30):
        agent = taught.agent("coder")
        write(agent)
        bash(agent, "python probe.py", f"connected {number}")
        agent.after_run(task="x")
    taught.check()
    agent = taught.agent("coder")
    write(agent)

    assert not ask(agent)


def test_a_sure_failure_is_denied_once_where_a_person_wants_it(tmp_path: Path) -> None:
    home = tmp_path / "home"
    settings = load(str(home), {"HARDWON_HOOKS_STOP_ONCE": "true"})
    with hardwon.open(home, settings=settings) as hw:
        for number in range(6):
            met(hw.agent("coder"), f"s{number}.py")
        agent = hw.agent("coder")
        write(agent)

        first = ask(agent)

        assert first.denied
        assert "create_table" in first.text
        assert not ask(agent), "the same call again passes"


def test_nothing_is_denied_unless_a_person_wants_it(hw: hardwon.Hardwon) -> None:
    for number in range(6):
        met(hw.agent("coder"), f"s{number}.py")
    agent = hw.agent("coder")
    write(agent)

    assert not ask(agent).denied


def test_explaining_names_the_features(taught: hardwon.Hardwon) -> None:
    call = "python - <<'EOF'\nimport shop\nshop.connect()\nEOF"

    (judged,) = taught.agent("coder").explain("action", call)

    assert not judged.verdict
    assert any(name.startswith("python code") for name, _ in judged.parts)


def tool(agent: Agent, name: str, output: str = "{}", *, failed: bool = False, **args: Any) -> None:
    agent.after_action(name, args, output=output, failed=failed)


def order(agent: Agent, number: int, *, is_swapped: bool) -> None:
    """A run that changes the address of an order, after or without a swap of its items."""
    name, refused = f"#W{number:05}", "Error: non-pending order cannot be modified"
    tool(agent, "get_order", json.dumps({"order_id": name, "total": number}), order_id=name)
    if is_swapped:
        tool(agent, "swap_items", order_id=name, items=["I1"])
    outcome = refused if is_swapped else json.dumps({"order_id": name, "street": "a"})
    tool(agent, "change_address", outcome, failed=is_swapped, order_id=name, street="a")
    agent.after_run(task="x")


def test_the_order_of_calls_on_one_object_is_learnt_over_runs(hw: hardwon.Hardwon) -> None:
    for number in range(24):
        order(hw.agent("shop"), number, is_swapped=number % 6 == 0)
    (lesson,) = hw.agent("shop").lessons.list()
    assert "Call `change_address` before `swap_items`" in lesson.correction
    assert "#W" not in lesson.correction

    agent = hw.agent("shop")
    tool(agent, "swap_items", order_id="#W99999", items=["I1"])
    asked = {"order_id": "#W99999", "street": "b"}

    assert "before `swap_items`" in agent.before_action("change_address", asked).text
    assert not hw.agent("shop").before_action("change_address", asked)


def test_a_recommended_tool_is_warned_about_its_own_arguments(hw: hardwon.Hardwon) -> None:
    """That a lesson says to call a tool first says nothing of what the tool is given."""
    nothing, bare = "Error: No page is open. Use the open_page tool first.", "shop.example/login"

    def browse(agent: Agent) -> None:
        agent.after_action("look_around", {}, output=nothing, failed=True)
        agent.after_action("open_page", {"url": bare}, output="Error: invalid URL", failed=True)
        whole = f"https://{bare}"
        agent.after_action("open_page", {"url": whole}, output="<main/>", failed=False)
        agent.after_action("look_around", {}, output="a page", failed=False)
        agent.after_run(task="x")

    for _ in range(4):
        browse(hw.agent("browser"))
    agent = hw.agent("browser")

    first = agent.before_action("look_around", {})
    agent.after_action("look_around", {}, output=nothing, failed=True)
    second = agent.before_action("open_page", {"url": bare})

    assert "Call `open_page` first" in first.text
    assert "as a whole address" in second.text
    assert not agent.before_action("open_page", {"url": f"https://{bare}"})


def test_a_warning_lives_on_when_runs_do_as_it_says(taught: hardwon.Hardwon) -> None:
    fails, works = {"command": "rm build"}, {"command": "rm -r build"}
    for number in range(2):
        coder = taught.agent("cleaner", run=f"learns {number}")
        coder.after_action("bash", fails, output="rm: cannot remove 'build': Is a directory")
        coder.after_action("bash", works)
        coder.after_run(task="clean up")

    for number in range(10):
        coder = taught.agent("cleaner", run=f"warned {number}")
        assert coder.before_action("bash", fails)
        coder.after_action("bash", works)
        coder.end_run()


def test_a_forecast_is_explained_by_what_speaks_for_and_against_it() -> None:
    chance = Chance("k", 0.4, "runs make", 2, 4, "make names a", 1, 4)
    told = Prediction(chance, lesson(id=7))

    (exactly,) = judged([told, Prediction(chance)], likely=0.4)
    (too_seldom,) = judged([told], likely=0.41)
    (plain,) = judged([told._replace(chance=chance._replace(despite=""))], likely=0.4)
    (hidden,) = judged([told._replace(verdict="told")], likely=0.4)

    assert (exactly.verdict, exactly.match.lesson.id) == ("", 7)
    assert exactly.parts == (("chance", 0.4), ("runs make", 0.5), ("despite make names a", 0.25))
    assert plain.parts == exactly.parts[:2]
    assert (too_seldom.verdict, hidden.verdict) == ("not likely enough", "told")
    assert exactly.match.is_same_kind


MKDIR = Step("bash", "mkdir out", "no such folder", True, Failure("e", "k1", "no such folder"))


def records(*known: Lesson) -> Records:
    store = MemoryStore()
    for one in known:
        store.lessons.add(one)
    return Records(CODER, store.calls, store.lessons, NOW)


def counted_calls(memory: Records, step: Step, times: int) -> None:
    for _ in range(times):
        memory.calls.made(CODER, made(step, RunSoFar(), memory, is_mistake=True))


def fixed(call: str = "mkdir -p out", **more: Any) -> Lesson:
    cure = Fix("call", "Use `-p`.", "call mkdir -p", call=call, worked=3)
    values = {"origin": MINED, "status": Status.PROVEN, "kinds": ("k1",), "fixes": (cure,), **more}
    return lesson(cure.text, **values)


def test_only_the_first_call_of_a_run_counts_a_run() -> None:
    first = made(MKDIR, RunSoFar(), records(), is_mistake=True)
    second = made(MKDIR, RunSoFar(steps=(MKDIR,)), records(), is_mistake=True)

    assert RUN in first.features
    assert RUN not in second.features
    assert (first.kind, first.met) == ("k1", ())
    assert second.met == ("k1",)
    assert made(MKDIR, RunSoFar(), records(), is_mistake=False).kind == ""


def test_a_call_that_follows_a_lesson_does_not_speak_against_its_warning() -> None:
    memory = records(fixed())
    heeding = Step("bash", "mkdir -p out")

    told = made(heeding, RunSoFar(told=frozenset([1])), memory, is_mistake=False)
    untold = made(heeding, RunSoFar(), memory, is_mistake=False)
    failing = heeding._replace(failed=True)

    assert (told.met, untold.met) == (("k1",), ())
    assert made(failing, RunSoFar(told=frozenset([1])), memory, is_mistake=True).met == ()


def kinds_predicted(memory: Records, call: str, *, past: RunSoFar = RunSoFar()) -> list[str]:
    pending = Step("bash", call)
    return [one.chance.kind for one in likely_failures(pending, past, memory, least=0.0)]


def test_what_a_run_has_met_is_not_foretold_to_it() -> None:
    memory = records(fixed())
    counted_calls(memory, MKDIR, 4)
    other = MKDIR._replace(args="make all")

    assert kinds_predicted(memory, "mkdir out") == ["k1"]
    assert kinds_predicted(memory, "mkdir out", past=RunSoFar(steps=(other,))) == []


def test_only_the_command_that_failed_is_warned_about() -> None:
    memory = records(fixed())
    failure = Failure("e", "k1", "k1", "make: *** no rule")
    line = MKDIR._replace(args="touch a.c && make", failure=failure)
    counted_calls(memory, line, 4)

    assert kinds_predicted(memory, "make") == ["k1"]
    assert kinds_predicted(memory, "touch a.c") == []
    assert kinds_predicted(memory, "make --version && make") == ["k1"]


@pytest.mark.parametrize("call", ["node --version", "node --version && npm --help"])
def test_a_question_for_the_version_is_not_warned_about(call: str) -> None:
    memory = records(fixed())
    counted_calls(memory, MKDIR._replace(args="node app.js"), 4)

    assert kinds_predicted(memory, "node app.js")
    assert kinds_predicted(memory, "node -h app.js")  # which may be a host
    assert not kinds_predicted(memory, call)


def test_a_call_that_just_worked_is_not_warned_about_until_something_changes() -> None:
    memory = records(fixed())
    counted_calls(memory, MKDIR, 4)
    worked = MKDIR._replace(failed=False, failure=None)
    look, edit = Step("bash", "ls"), Step("bash", "rm -r out")

    assert kinds_predicted(memory, "mkdir out", past=RunSoFar(steps=(worked, look))) == []
    assert kinds_predicted(memory, "mkdir out", past=RunSoFar(steps=(worked, edit))) == ["k1"]
    assert kinds_predicted(memory, "mkdir out", past=RunSoFar(steps=(edit, worked))) == []


@pytest.mark.parametrize(
    ("known", "past", "verdict"),
    [
        (fixed(), RunSoFar(), ""),
        (fixed("mkdir  out"), RunSoFar(), "the call is what its fix recommends"),
        (fixed(status=Status.SEEN), RunSoFar(), "no proven fix is known"),
        (fixed(), RunSoFar(warnings=frozenset([1])), "told in this run already"),
        (fixed(fixes=()), RunSoFar(), ""),
    ],
    ids=["a proven fix", "the fix itself", "no fix", "told before", "words of a person"],
)
def test_why_a_lesson_is_told_before_a_call_or_not(
    known: Lesson, past: RunSoFar, verdict: str
) -> None:
    memory = records(known)
    counted_calls(memory, MKDIR, 9)

    (found,) = likely_failures(Step("bash", "mkdir out"), past, memory, least=0.0)

    assert (found.verdict, found.is_shown) == (verdict, not verdict)


@pytest.mark.parametrize(
    ("failed", "worked", "verdict"), [(9, 2, ""), (3, 9, "no proven fix is known")]
)
def test_a_fix_of_one_run_is_told_before_a_command_that_will_probably_fail_again(
    failed: int, worked: int, verdict: str
) -> None:
    memory = records(fixed(status=Status.CANDIDATE))
    counted_calls(memory, MKDIR._replace(failed=False, failure=None, output=""), worked)
    counted_calls(memory, MKDIR, failed)

    (found,) = likely_failures(Step("bash", "mkdir out"), RunSoFar(), memory, least=0.0)

    assert (found.chance.failed, found.verdict) == (failed, verdict)


def test_a_call_that_follows_another_lesson_is_not_warned_about() -> None:
    memory = records(fixed("make all", kinds=("k2",)), fixed())
    counted_calls(memory, MKDIR._replace(args="make all"), 9)

    assert kinds_predicted(memory, "make all") == ["k1"]
    assert kinds_predicted(memory, "make all", past=RunSoFar(told=frozenset([1]))) == []


def test_a_call_that_does_not_follow_a_lesson_speaks_against_its_warning() -> None:
    told = made(
        Step("bash", "ls"), RunSoFar(told=frozenset([1])), records(fixed()), is_mistake=False
    )

    assert told.met == ()


def test_the_four_likeliest_failures_of_a_call_are_looked_up() -> None:
    memory = records()
    for number in range(5):
        failure = Failure("e", f"k{number}", "no")
        counted_calls(memory, MKDIR._replace(failure=failure), 9 - number)

    assert kinds_predicted(memory, "mkdir out") == ["k0", "k1", "k2", "k3"]


def test_arguments_that_work_elsewhere_speak_against_a_warning_but_words_of_a_line_do_not() -> None:
    memory = records(fixed())
    refused = MKDIR._replace(tool="send", args='{"to": "mia", "by": "post"}')
    counted_calls(memory, refused, 2)
    counted_calls(memory, Step("send", '{"by": "post"}'), 4)
    counted_calls(memory, MKDIR, 2)
    counted_calls(memory, Step("bash", "mkdir other"), 4)

    pending = Step("send", '{"to": "liam", "by": "post"}')
    (of_tool,) = likely_failures(pending, RunSoFar(), memory, least=0.0)
    (of_line,) = likely_failures(Step("bash", "mkdir out"), RunSoFar(), memory, least=0.0)

    assert of_tool.chance.despite
    assert not of_line.chance.despite


class Tallied:
    """A log of calls that has these counts, by feature."""

    def __init__(self, counts: dict[str, Counts]) -> None:
        self._counts = {odds.number(feature): row for feature, row in counts.items()}

    def counts(self, scope: Scope, features: tuple[int, ...]) -> dict[int, Counts]:
        return {feature: self._counts[feature] for feature in features if feature in self._counts}


def order_learnt(after: Counts, every: Counts) -> bool:
    """Whether the order of two calls on one object follows from the counts of the second."""
    swap = Step("swap_items", '{"order_id": "#W00001"}')
    failure = Failure("e", "k1", "no")
    change = Step("change_address", '{"order_id": "#W00001"}', "no", True, failure)
    features = call_features(change.tool, change.args, [swap])
    (later,) = (feature for feature in features if feature.endswith(" after swap_items"))
    calls: Any = Tallied({later: after, "runs change_address": every})
    memory = records()._replace(calls=calls)
    return counted(change, [swap], memory) is not None


def test_an_order_is_learnt_from_failures_of_one_kind() -> None:
    failed = Counts(4, (("j1", 1, 0), ("k1", 4, 0)))

    assert order_learnt(failed, Counts(9, (("k1", 4, 0),)))
    assert not order_learnt(Counts(4, (("j1", 4, 0),)), Counts(9, (("j1", 4, 0),)))
    assert order_learnt(failed, Counts(5))
    assert not order_learnt(failed, Counts(4))
