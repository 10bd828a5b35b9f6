"""A secret planted in every argument, field and option is found nowhere that is written or sent."""

from __future__ import annotations

import inspect
import json
import random
import string
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

import hardwon
from hardwon.api.lessons import Lessons
from hardwon.core.values.lesson import Lesson
from hardwon.core.values.run import Step
from hardwon.storage.ports import Reply, Request
from hardwon.surfaces.cli import cli
from hardwon.surfaces.hooks.agents import adapter
from hardwon.surfaces.hooks.respond import respond
from tests.stored import stored
from tests.surfaces.hooks.hooking import Hook

ANSWER = (
    "<situation>when a plan is deployed</situation><mistake>none</mistake>"
    "<correction>Look twice</correction><tags>deploy</tags>"
)


class Canaries:
    """Distinct secrets, each remembered by where it was planted."""

    def __init__(self) -> None:
        self._chance = random.Random(17)
        self.planted: dict[str, str] = {}

    def plant(self, where: str) -> str:
        """A token that no rule could miss, in a sentence."""
        body = "".join(self._chance.choices(string.ascii_letters + string.digits, k=36))
        self.planted[body] = where
        return f"use gh{'p_'}{body} here"

    def found_in(self, written: bytes) -> list[str]:
        """Where those were planted that are in the bytes, whole or by half."""
        return sorted(
            where
            for body, where in self.planted.items()
            if body.encode() in written or body[:18].encode() in written
        )


class Recorder:
    """A model that notes all it is asked."""

    name = "recorder"

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def complete(self, request: Request) -> Reply:
        self.asked.append(repr(request))
        return Reply(ANSWER, model=self.name)


def _bytes_below(home: Path) -> bytes:
    names = "\n".join(str(path.relative_to(home)) for path in home.rglob("*"))
    files = (path.read_bytes() for path in home.rglob("*") if path.is_file())
    return names.encode() + b"\n".join(files)


def _shapes(secret: str) -> list[Any]:
    """The secret as everything that a program may hand over."""
    step = Step(secret, secret, secret, True)
    return [
        secret,
        {"key": secret, secret: 1},
        [secret],
        (step,),
        ValueError(secret),
        secret.encode(),
    ]


SKIPPED = {"work", "close", "wake", "drain", "on_trouble", "embed", "trials", "fill"}
PLAIN: dict[str, Any] = {
    "name": "coder",
    "number": 1,
    "situation": "when a plan is deployed",
    "correction": "look twice",
    "door": "turn",
    "tool": "bash",
    "failed": True,
    "error": "Error: not found",
    "state": "failed",
    "steps": None,
    "call": "make deploy",
    "outcome": "helped",
    "args": {"command": "make deploy"},
}


_GIVEN = {"failed", "error", "state"}


def _methods(thing: object) -> Iterator[tuple[str, Callable[..., Any], list[str]]]:
    for name, method in inspect.getmembers(thing, callable):
        if inspect.iscoroutinefunction(method):
            continue
        if not name.startswith("_") and name not in SKIPPED:
            try:
                parameters = inspect.signature(method).parameters.values()
            except (TypeError, ValueError):
                continue
            yield name, method, [one.name for one in parameters if one.kind != one.VAR_POSITIONAL]


def _called(method: Callable[..., Any], names: list[str], under: str, value: Any) -> None:
    arguments = {name: PLAIN.get(name, "a plain text") for name in names if name != under}
    parameters = inspect.signature(method).parameters
    kept = {
        name: given
        for name, given in arguments.items()
        if parameters[name].default is inspect.Parameter.empty
        or name in {"failed", "error", "state"}
    }
    kept = {n: g for n, g in kept.items() if parameters[n].kind != inspect.Parameter.VAR_KEYWORD}
    if parameters[under].kind == inspect.Parameter.VAR_KEYWORD:
        extra: dict[str, Any] = dict.fromkeys(("mistake", "tags", "correction"), value)
    else:
        extra = {under: value}
    try:
        method(**kept, **extra)
    except Exception:  # noqa: BLE001 - refused is as good as screened
        return


def _every_argument(hw: hardwon.Hardwon, canaries: Canaries) -> None:
    agent = hw.agent("coder", project="shop")
    agent.learn("look twice before a deploy")
    parts = (name for name in dir(type(agent)) if not name.startswith("_") and name != "run")
    owned = [getattr(agent, name) for name in parts if not callable(getattr(type(agent), name))]
    things = (
        hw,
        agent,
        agent.lessons,
        *(one for one in owned if type(one).__module__.startswith("hardwon")),
    )
    for thing in things:
        for name, method, names in _methods(thing):
            for under in names:
                where = f"{type(thing).__name__}.{name}({under})"
                for value in _shapes(canaries.plant(where)):
                    _called(method, names, under, value)


def test_no_argument_of_a_public_method_leaves_a_secret(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))  # some write where they are told to
    canaries, model = Canaries(), Recorder()
    with hardwon.open(tmp_path, model=model) as hw:
        _every_argument(hw, canaries)
        for name in ("agent", "project", "tenant", "run"):
            named = {"name": "coder", name: canaries.plant(f"agent({name})")}
            own = hw.agent(**({"name": named["agent"]} if name == "agent" else named))
            own.learn("look twice")
            own.after_action("bash", "make", output="Error: not found", failed=True)
            own.after_run(task="deploy", error="Error: not found")
        hw.drain()

    assert len(canaries.planted) > 60
    assert model.asked
    assert canaries.found_in(_bytes_below(tmp_path)) == []
    assert canaries.found_in("\n".join(model.asked).encode()) == []


def test_no_step_given_at_the_end_of_a_run_leaves_a_secret(tmp_path: Path) -> None:
    canaries = Canaries()
    with hardwon.open(tmp_path) as hw:
        steps = [
            Step(canaries.plant("tool"), canaries.plant("args"), canaries.plant("output"), True),
            Step("bash", f"make {canaries.plant('fix')}", "ok", False),
        ]
        hw.agent("coder").after_run(task="deploy", error="Error: not found", steps=steps)
        hw.drain()

    assert canaries.found_in(_bytes_below(tmp_path)) == []


def test_no_part_of_a_loop_leaves_a_secret(tmp_path: Path) -> None:
    canaries, model, marker = Canaries(), Recorder(), tmp_path / "marker"
    said, judged = canaries.plant("attempt"), canaries.plant("verdict")
    with hardwon.open(tmp_path / "home", model=model) as hw:
        agent, task = hw.agent("coder"), canaries.plant("task")
        for verdict in (judged, ValueError(judged)):
            agent.loops.run(
                task, actor=lambda _: said, evaluate=partial(_verdict, verdict), max_trials=2
            )
        for option in ("loop_id", "cwd", "label", "actor"):
            given: Any = {"actor": "true", option: canaries.plant(f"trials({option})")}
            _tried(partial(agent.loops.run, "x", verify=["false"], max_trials=1, **given))
        failing = f"echo {canaries.plant('output of a check')}; touch {marker}; false"
        _tried(lambda: agent.loops.run("x", actor="true", verify=[failing], max_trials=1))
        hw.drain()

    assert canaries.found_in(_bytes_below(tmp_path / "home")) == []
    assert canaries.found_in("\n".join(model.asked).encode()) == []


def _verdict(verdict: object, _: object) -> object:
    return verdict


def _tried(call: Callable[[], object]) -> None:
    try:
        call()
    except (hardwon.HardwonError, TypeError, OSError):
        return


AGENTS = ("claude-code", "codex", "gemini", "copilot", "cursor", "opencode", "cline", "qwen")
EVENTS = (
    "SessionStart UserPromptSubmit PreToolUse PostToolUse PostToolUseFailure Stop SessionEnd"
    " PreCompact BeforeAgent BeforeTool AfterTool AfterAgent sessionStart userPromptSubmitted"
    " preToolUse postToolUse sessionEnd errorOccurred beforeSubmitPrompt beforeShellExecution"
    " afterShellExecution stop beforeMCPExecution afterFileEdit chat.message"
    " tool.execute.before tool.execute.after session.idle session.created session.error"
    " session_start prompt before_action action_worked action_failed stop session_end compaction"
)
FIELDS = (
    "session text "
    "session_id sessionId conversation_id cwd prompt tool_name toolName tool tool_use_id"
    " message error command output stdout stderr reason source transcript_path"
    " last_assistant_message text_resultForLlm"
)


def _event(name: str, canaries: Canaries, agent: str) -> dict[str, Any]:
    """An event with a secret in every field that any agent has."""
    event: dict[str, Any] = {
        field: canaries.plant(f"{agent} {name} {field}") for field in FIELDS.split()
    }
    inner = {field: canaries.plant(f"{agent} {name} inner {field}") for field in FIELDS.split()}
    event |= {"hook_event_name": name, "event": name, "kind": name, "exit_code": 1, "failed": True}
    given, got = {**inner, "command": "make"}, {**inner, "exit_code": 1}
    named = [(key, given) for key in ("tool_input", "toolArgs", "args", "input")]
    return event | dict(named) | {"tool_response": got, "toolResult": got, "result": got}


@pytest.mark.parametrize("agent", AGENTS)
def test_no_field_of_a_hook_leaves_a_secret(agent: str, tmp_path: Path) -> None:
    canaries, spoken, read = Canaries(), adapter(agent), 0
    with hardwon.open(tmp_path) as hw:
        for name in EVENTS.split():
            event = spoken.read(_event(name, canaries, agent), name)
            if event is not None:
                read += 1
                respond(event, hw)
        hw.drain()

    assert read >= 3
    assert canaries.found_in(_bytes_below(tmp_path)) == []


def test_no_unknown_event_leaves_a_secret_in_the_log(tmp_path: Path) -> None:
    canaries, hook = Canaries(), Hook(tmp_path)

    hook("claude-code", {"hook_event_name": canaries.plant("event name")})
    hook("claude-code", {"hook_event_name": "Stop"}, canaries.plant("argument"))
    hook(canaries.plant("agent"), {"hook_event_name": "Stop"})

    assert hook.log()
    assert canaries.found_in(_bytes_below(tmp_path)) == []


# Those that run on, write where they are told to, or take settings that may be secrets.
UNTRIED = {
    *("work", "daemon", "mcp", "serve", "open"),
    *("hook", "install", "uninstall", "config", "demo", "completion"),
}


def _commands(
    group: click.Group, path: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        found = group.get_command(context, name)
        if found is None or name in UNTRIED:
            continue
        if isinstance(found, click.Group):
            yield from _commands(found, (*path, name))
        yield (*path, name), found


def _lines(
    path: tuple[str, ...], command: click.Command, canaries: Canaries
) -> Iterator[list[str]]:
    """A command line for every text that the command takes."""
    arguments = [
        one for one in command.params if isinstance(one, click.Argument) and one.nargs == 1
    ]
    for parameter in command.params:
        if parameter.name in {"home", "output"} or not isinstance(
            parameter.type, click.types.StringParamType
        ):
            continue
        secret = canaries.plant(f"{' '.join(path)} {parameter.name}")
        given = [secret if one is parameter else "1" for one in arguments]
        option = [parameter.opts[-1], secret] if isinstance(parameter, click.Option) else []
        yield [*path, *option, "--", *given]


def test_no_option_of_a_command_leaves_a_secret(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))  # some write where they are told to
    canaries, runner = Canaries(), CliRunner(env={"HARDWON_HOME": str(tmp_path)})
    with hardwon.open(tmp_path) as hw:
        hw.agent("default").learn("look twice before a deploy")

    tried = 0
    for path, command in _commands(cli, ()):
        for line in _lines(path, command, canaries):
            tried += 1
            runner.invoke(cli, line, input="n\n")

    assert tried > 30
    assert canaries.found_in(_bytes_below(tmp_path)) == []


def test_no_field_of_a_pack_leaves_a_secret(tmp_path: Path) -> None:
    canaries, home = Canaries(), tmp_path / "home"
    rows = []
    for field in Lesson._fields:
        secret = canaries.plant(f"pack {field}")
        row: dict[str, Any] = {"situation": f"deploying {field}", "correction": f"look at {field}"}
        for value in (secret, [secret], {"a": secret}):
            rows.append(json.dumps({**row, field: value}))
    (tmp_path / "pack.jsonl").write_text("\n".join(rows))
    lines = [f"- **{name}:** {canaries.plant(f'markdown {name}')}" for name in _MARKDOWN]
    (tmp_path / "pack.md").write_text("\n".join(["# hardwon lessons", "", "## deploy", "", *lines]))

    with hardwon.open(home) as hw:
        lessons: Lessons = hw.agent("coder").lessons
        for line in rows:
            single = tmp_path / "row.jsonl"
            single.write_text(line)
            _imported(lessons, single)
        _imported(lessons, tmp_path / "pack.md")
        assert hw.agent("coder").lessons.list(status="quarantined") or lessons.list()

    assert canaries.found_in(_bytes_below(home)) == []


_MARKDOWN = (
    *("Mistake", "Correction", "Tags", "Trigger", "Origin", "Author", "Failures", "Calls", "Met"),
    *("Importance", "Confidence", "Guard"),
)


def _imported(lessons: Lessons, file: Path) -> None:
    try:
        lessons.import_from(str(file))
    except hardwon.HardwonError:
        return


def test_a_store_that_nobody_screened_for_writes_no_secret(tmp_path: Path) -> None:
    """The wall itself: values that went past every stage are screened by the store's edge."""
    canaries = Canaries()
    with stored(tmp_path) as store:
        texts = {
            name: canaries.plant(name)
            for name in ("situation", "correction", "mistake", "trigger", "origin", "author", "job")
        }
        many = {name: (canaries.plant(name),) for name in ("tags", "signatures", "calls")}
        store.lessons.add(Lesson(hardwon.Scope(), **texts, **many))  # type: ignore[arg-type]

    assert canaries.found_in(_bytes_below(tmp_path)) == []
