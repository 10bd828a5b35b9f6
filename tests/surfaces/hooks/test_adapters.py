"""Each agent's own events, recorded from the real programs, in our words and back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hardwon.surfaces.hooks.agents import (
    AGENTS,
    OUTPUT_LIMIT,
    PROMPT_LIMIT,
    Event,
    EventKind,
    HookReply,
    adapter,
)

RECORDED = Path(__file__).parent / "recorded"
FAILED_THEN_WORKED = [
    EventKind.SESSION_START,
    EventKind.PROMPT,
    EventKind.BEFORE,
    EventKind.FAILED,
    EventKind.BEFORE,
    EventKind.WORKED,
    EventKind.STOP,
]


def recorded(agent: str) -> list[tuple[str, dict[str, Any]]]:
    """A run in which `mkdir out/nightly` failed and `mkdir -p out/nightly` worked."""
    lines = (RECORDED / f"{agent}.jsonl").read_text().splitlines()
    return [(row["name"], row["event"]) for row in map(json.loads, lines)]


def events(agent: str) -> list[Event]:
    """The recorded run in our words, less what Codex's rollout file would add."""
    read = adapter(agent).read
    found = [read(payload, name) for name, payload in recorded(agent)]
    silent = {EventKind.COMPACTION, EventKind.BATCH}
    return [event for event in found if event and event.kind not in silent]


@pytest.mark.parametrize("agent", ["claude-code", "gemini", "copilot", "opencode", "cline", "qwen"])
def test_a_recorded_run_is_understood(agent: str) -> None:
    run = events(agent)

    assert [event.kind for event in run][:7] == FAILED_THEN_WORKED
    assert {event.session for event in run} == {run[0].session}
    assert {event.cwd for event in run} == {"/home/dev/project"}
    assert "Make the folder for the nightly report" in run[1].text
    failed, worked = run[3], run[5]
    assert (failed.tool.lower(), worked.tool.lower()) == ("bash", "bash")
    assert failed.args["command"] == "mkdir out/nightly"
    assert "No such file or directory" in failed.output
    assert worked.args["command"] == "mkdir -p out/nightly"


@pytest.mark.parametrize("agent", ["claude-code", "codex", "gemini", "copilot", "qwen"])
def test_why_a_session_starts_is_told(agent: str) -> None:
    name, payload = recorded(agent)[0]

    resumed = adapter(agent).read({**payload, "source": "resume"}, name)

    assert resumed is not None
    assert (resumed.kind, resumed.text) == (EventKind.SESSION_START, "resume")


def test_codex_finds_the_exit_code_in_the_rollout(tmp_path: Path) -> None:
    rollout = tmp_path / "rollout.jsonl"
    done = [event for _, event in recorded("codex") if event["hook_event_name"] == "PostToolUse"]
    items = [
        {"id": "call_000001", "type": "CommandExecution", "status": "failed", "exit_code": 1},
        {"id": "call_000002", "type": "CommandExecution", "status": "completed", "exit_code": 0},
    ]
    lines = [{"type": "event_msg", "payload": {"type": "item_completed", "item": i}} for i in items]
    rollout.write_text("not json\n" + "\n".join(map(json.dumps, lines)) + "\n[1]\n")

    read = adapter("codex").read
    found = [read({**event, "transcript_path": str(rollout)}, "") for event in done]

    assert [event and event.kind for event in found] == [EventKind.FAILED, EventKind.WORKED]
    lost = read({**done[0], "transcript_path": str(tmp_path / "gone.jsonl")}, "")
    assert lost is not None
    assert lost.kind == EventKind.WORKED


_REPORT = "Command: make\nDirectory: (root)\nOutput: line 1\nline 2\nError: (none)\nExit Code: 1"
_GEMINI = {"hook_event_name": "AfterTool", "tool_name": "run_shell_command"}
_QWEN = {"hook_event_name": "PostToolUse", "tool_name": "run_shell_command"}
_FAILED, _WORKED, _BEFORE = EventKind.FAILED, EventKind.WORKED, EventKind.BEFORE

# Agent, name of the event on the command line, the event, and what is read: the fields of an
# `Event` that are not at their defaults, or None for an event that is not known.
READ: list[tuple[str, str, dict[str, Any], dict[str, Any] | None]] = [
    (
        "claude-code",
        "",
        {
            "hook_event_name": "PostToolUseFailure",
            "session_id": "s",
            "cwd": "/w",
            "tool_name": "Bash",
            "tool_input": {"command": "ls"},
            "error": "no",
            "tool_response": "yes",
        },
        {
            "kind": _FAILED,
            "name": "PostToolUseFailure",
            "session": "s",
            "cwd": "/w",
            "tool": "Bash",
            "args": {"command": "ls"},
            "output": "no",
        },
    ),
    ("claude-code", "", {"hook_event_name": "Unknown"}, None),
    ("claude-code", "Stop", {}, {"kind": EventKind.STOP, "can_be_asked": True}),
    ("claude-code", "Stop", {"last_assistant_message": "done"}, {"text": "done"}),
    ("claude-code", "PreToolUse", {"session_id": "s", "agent_id": "a7"}, {"session": "s.a7"}),
    ("copilot", "postToolUse", {"toolResult": {"resultType": "failure"}}, {"kind": _FAILED}),
    ("copilot", "preToolUse", {"toolResult": {"resultType": "failure"}}, {"kind": _BEFORE}),
    ("copilot", "postToolUse", {"toolResult": {"resultType": "success"}}, {"kind": _WORKED}),
    ("copilot", "postToolUse", {"toolResult": "x"}, {"kind": _WORKED}),
    *(
        ("copilot", "postToolUse", {"toolResult": {"textResultForLlm": text}}, {"kind": kind})
        for text, kind in (
            ("<command completed with exit code 3>", _FAILED),
            ("<command completed with exit code 0>", _WORKED),
            ("completed with exit code 3>\ncompleted with exit code 0>", _WORKED),
        )
    ),
    (
        "copilot",
        "sessionStart",
        {"sessionId": "s", "cwd": "/w", "initialPrompt": "do", "toolArgs": '{"a": 1}'},
        {"session": "s", "cwd": "/w", "text": "do", "args": {"a": 1}},
    ),
    ("copilot", "unknown", {}, None),
    *(
        ("cursor", "stop", payload, {"cwd": cwd})
        for payload, cwd in (
            ({"cwd": "/w", "workspace_roots": ["/r"]}, "/w"),
            ({"workspace_roots": ["/r", "/s"]}, "/r"),
            ({"workspace_roots": []}, ""),
            ({"workspace_roots": [3]}, ""),
            ({"workspace_roots": "/r"}, ""),
        )
    ),
    (
        "cursor",
        "postToolUseFailure",
        {"tool_name": "Shell", "error_message": "no", "tool_output": "yes"},
        {"kind": _FAILED, "tool": "bash", "output": "no"},
    ),
    ("cursor", "preToolUse", {"tool_name": "Read"}, {"kind": _BEFORE, "tool": "Read"}),
    ("cursor", "unknown", {}, None),
    *(
        ("gemini", "", {**_GEMINI, "tool_response": response}, {"kind": kind, "output": output})
        for response, kind, output in (
            ({"llmContent": "Output: x\nExit Code: 2"}, _FAILED, "Output: x\nExit Code: 2"),
            ({"llmContent": "Output: x\nExit Code: 0"}, _WORKED, "Output: x\nExit Code: 0"),
            ({"llmContent": "see Exit Code: 2 there"}, _WORKED, "see Exit Code: 2 there"),
            ({"llmContent": "a", "error": "no"}, _FAILED, "no"),
            ({"llmContent": "a", "returnDisplay": "b"}, _WORKED, "b"),
        )
    ),
    ("gemini", "", {**_GEMINI, "tool_name": "read_file"}, {"tool": "read_file"}),
    ("gemini", "", {**_GEMINI, "hook_event_name": "BeforeTool"}, {"kind": _BEFORE, "tool": "bash"}),
    ("gemini", "BeforeAgent", {"prompt": "do <hook_context>x\n</hook_context>"}, {"text": "do"}),
    ("gemini", "Unknown", {}, None),
    (
        "opencode",
        "stop",
        {"kind": "prompt", "session": "s", "cwd": "/w", "text": "do", "nested": True},
        {"kind": EventKind.PROMPT, "session": "s", "cwd": "/w", "text": "do", "is_nested": True},
    ),
    ("opencode", "", {"kind": "prompt", "nested": 1}, {"is_nested": False}),
    ("opencode", "", {"kind": "unknown"}, None),
    ("opencode", "stop", {}, {"kind": EventKind.STOP, "can_be_asked": True}),
    ("qwen", "", {"hook_event_name": "Future"}, None),
    ("qwen", "UserPromptSubmit", {"prompt": "do it"}, {"kind": EventKind.PROMPT}),
    ("qwen", "UserPromptSubmit", {"prompt": ""}, {"kind": EventKind.BATCH}),
    ("qwen", "", {**_QWEN, "tool_response": _REPORT}, {"tool": "bash", "output": "line 1\nline 2"}),
    ("qwen", "", {**_QWEN, "tool_response": "done"}, {"tool": "bash", "output": "done"}),
    ("qwen", "", {**_QWEN, "tool_name": "x", "tool_response": _REPORT}, {"output": _REPORT}),
]


@pytest.mark.parametrize(("agent", "name", "payload", "fields"), READ)
def test_an_event_is_read_in_common_terms(
    agent: str, name: str, payload: dict[str, Any], fields: dict[str, Any] | None
) -> None:
    event = adapter(agent).read(payload, name)

    assert (event and {field: getattr(event, field) for field in fields or ()}) == fields


@pytest.mark.parametrize(
    ("field", "value", "found"),
    [
        ("args", '{"b": 1}', {"b": 1}),  # some agents send JSON as text
        ("args", '{"b": ', '{"b": '),
        ("args", "[1]", "[1]"),
        ("args", None, None),
        ("text", 3, ""),
        ("output", ["one", "", None, "two"], "one\ntwo"),
        ("output", {"stdout": "out", "stderr": "err", "other": "x"}, "out\nerr"),
        ("output", {"stdout": "", "stderr": "err"}, "err"),
        ("output", {"town": "Köln"}, '{"town": "Köln"}'),
        ("output", {"content": [{"type": "text", "text": "deep"}]}, "deep"),
        ("output", [str(number) for number in range(101)], "\n".join(map(str, range(100)))),
        ("output", None, ""),
        ("output", False, "False"),
    ],
)
def test_a_field_of_any_type_is_read(field: str, value: Any, found: Any) -> None:
    event = adapter("opencode").read({"kind": "prompt", field: value})

    assert event
    assert getattr(event, field) == found


def test_long_texts_are_cut_in_the_middle() -> None:
    long = "a" + "x" * 40_000 + "z"
    event = adapter("opencode").read({"kind": "prompt", "text": long, "output": long})

    assert event
    assert len(event.text) <= PROMPT_LIMIT
    assert event.text.endswith("z")
    assert len(event.output) <= OUTPUT_LIMIT


def test_the_exit_code_of_codex_is_the_last_one_of_its_call(tmp_path: Path) -> None:
    def kind(*items: Any, name: str = "PostToolUse", call: str = "c1", end: str = ".jsonl") -> str:
        rollout = tmp_path / f"a{end}"
        lines = (json.dumps({"payload": {"item": item}}) for item in items)
        rollout.write_text("\n".join(lines))
        payload = {"transcript_path": str(rollout), "tool_use_id": call}
        event = adapter("codex").read(payload, name)
        return event.kind if event else ""

    bad, good = {"id": "c1", "status": "failed"}, {"id": "c1", "status": "completed"}
    filler = {"id": "x", "text": "y" * 300_000}
    assert kind(bad) == kind({**good, "exit_code": 2}) == kind(good, bad) == _FAILED
    assert kind({**good, "exit_code": 0}) == kind(bad, good) == _WORKED
    assert kind({"id": "c2", "status": "failed", "note": "c1"}) == kind("c1") == _WORKED
    assert (kind(bad, name="PreToolUse"), kind(bad, name="Unknown")) == (_BEFORE, "")
    assert kind(bad, call="") == kind(bad, end=".txt") == _WORKED
    assert (kind(filler, bad), kind(bad, filler)) == (_FAILED, _WORKED)  # only its end is read


CONTEXT = HookReply(context="a lesson")
DENIAL = HookReply(denial="never again")


def test_context_is_answered_in_each_agents_words() -> None:
    nested = {"hookSpecificOutput": {"hookEventName": "X", "additionalContext": "a lesson"}}
    expected = {
        "claude-code": nested,
        "codex": nested,
        "gemini": nested,
        "copilot": {"additionalContext": "a lesson"},
        "opencode": {"context": "a lesson"},
        "cline": {"context": "a lesson"},
        "qwen": nested,
        "cursor": {"additional_context": "a lesson"},
    }

    for agent in AGENTS:
        said = adapter(agent).answer(Event(EventKind.FAILED, "X"), CONTEXT)
        assert said == expected[agent]


@pytest.mark.parametrize("agent", AGENTS)
def test_a_line_for_the_person_is_shown_where_that_is_known_to_work(agent: str) -> None:
    event = Event(EventKind.FAILED, "X")
    plain = adapter(agent).answer(event, CONTEXT)

    said = adapter(agent).answer(event, CONTEXT._replace(note="hardwon: …"))

    names = {
        "opencode": "note",
        **dict.fromkeys(("claude-code", "codex", "gemini"), "systemMessage"),
    }
    added = {names[agent]: "hardwon: …"} if agent in names else {}
    assert said == {**plain, **added}
    assert adapter(agent).answer(event, HookReply(note="hardwon: …")) == added


def test_a_denial_is_answered_in_each_agents_words() -> None:
    nested = {"permissionDecision": "deny", "permissionDecisionReason": "never again"}
    expected = {
        "claude-code": {"hookSpecificOutput": {"hookEventName": "X", **nested}},
        "codex": {"hookSpecificOutput": {"hookEventName": "X", **nested}},
        "gemini": {"decision": "deny", "reason": "never again"},
        "copilot": nested,
        "opencode": {"denial": "never again"},
        "cline": {"denial": "never again"},
        "qwen": {"hookSpecificOutput": {"hookEventName": "X", **nested}},
        "cursor": {"permission": "deny", "agent_message": "never again"},
    }

    for agent in AGENTS:
        said = adapter(agent).answer(Event(EventKind.BEFORE, "X"), DENIAL)
        assert said == expected[agent]


BOTH = HookReply("x", "y", "n")


@pytest.mark.parametrize(
    ("agent", "kind", "reply", "said"),
    [
        ("claude-code", EventKind.PROMPT, HookReply(), {}),
        ("claude-code", EventKind.PROMPT, HookReply(note="n"), {"systemMessage": "n"}),
        ("claude-code", EventKind.SESSION_END, BOTH, {}),
        (
            "claude-code",
            EventKind.BEFORE,
            HookReply("x", "y"),
            {
                "hookSpecificOutput": {
                    "hookEventName": "X",
                    "additionalContext": "x",
                    "permissionDecision": "deny",
                    "permissionDecisionReason": "y",
                }
            },
        ),
        ("copilot", EventKind.SESSION_END, BOTH, {}),
        ("copilot", EventKind.PROMPT, HookReply(), {}),
        ("cursor", EventKind.BEFORE, BOTH, {"permission": "deny", "agent_message": "y"}),
        ("cursor", EventKind.WORKED, BOTH, {"additional_context": "x"}),
        ("cursor", EventKind.BEFORE, HookReply("x"), {}),
        ("cursor", EventKind.PROMPT, BOTH, {}),
        ("cursor", EventKind.WORKED, HookReply(), {}),
        ("gemini", EventKind.BEFORE, HookReply("x", "", "n"), {}),
        ("gemini", EventKind.STOP, BOTH, {}),
        ("gemini", EventKind.PROMPT, HookReply(), {}),
        ("opencode", EventKind.STOP, HookReply(), {}),
        ("opencode", EventKind.STOP, HookReply("x", note="n"), {"context": "x", "note": "n"}),
        ("qwen", EventKind.BEFORE, HookReply("x"), {}),
        (
            "qwen",
            EventKind.BEFORE,
            BOTH,
            {
                "hookSpecificOutput": {
                    "hookEventName": "X",
                    "permissionDecision": "deny",
                    "permissionDecisionReason": "y",
                }
            },
        ),
    ],
)
def test_only_what_an_agent_takes_is_answered(
    agent: str, kind: str, reply: HookReply, said: dict[str, Any]
) -> None:
    assert adapter(agent).answer(Event(kind, "X"), reply) == said


def test_qwen_sends_each_result_as_a_prompt_without_words() -> None:
    """A prompt would end the run that is still going on."""
    prompts = [event for _, event in recorded("qwen") if "prompt" in event]

    read = adapter("qwen").read
    kinds = [event.kind for event in (read(prompt, "") for prompt in prompts) if event]

    assert [prompt["prompt"] == "" for prompt in prompts] == [False, True, True]
    assert kinds == [EventKind.PROMPT, EventKind.BATCH, EventKind.BATCH]


def test_what_a_command_printed_is_read_out_of_the_report_of_qwen() -> None:
    failed, worked = events("qwen")[3], events("qwen")[5]

    assert (
        failed.output == "mkdir: cannot create directory ‘out/nightly’: No such file or directory"
    )
    assert worked.output == "(empty)"


@pytest.mark.parametrize("agent", ["claude-code", "codex", "gemini", "copilot", "qwen", "cursor"])
def test_a_stop_is_never_answered(agent: str) -> None:
    """Claude Code would go on working with what is said at a stop."""
    assert adapter(agent).answer(Event(EventKind.STOP, "Stop"), CONTEXT) == {}


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=8,
)
FIELDS = sorted(
    {key for agent in AGENTS if agent != "cursor" for _, event in recorded(agent) for key in event}
)


@settings(deadline=None)
@given(
    agent=st.sampled_from(AGENTS),
    name=st.sampled_from(["PostToolUse", "AfterTool", "postToolUse", "preToolUse", "stop", "x"]),
    payload=st.dictionaries(st.sampled_from(FIELDS), JSON, max_size=8),
)
def test_no_payload_breaks_an_adapter(agent: str, name: str, payload: dict[str, Any]) -> None:
    event = adapter(agent).read({"hook_event_name": name, "kind": name, **payload}, name)

    if event is not None:
        assert all(isinstance(getattr(event, field), str) for field in ("session", "cwd", "output"))
        json.dumps(adapter(agent).answer(event, CONTEXT))
