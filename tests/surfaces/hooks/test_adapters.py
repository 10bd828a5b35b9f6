"""Each agent's own events, recorded from the real programs, in our words and back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hardwon.surfaces.hooks.agents import AGENTS, Event, EventKind, HookReply, adapter

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


def test_qwen_takes_only_a_denial_before_an_action() -> None:
    event = Event(EventKind.BEFORE, "PreToolUse")

    assert adapter("qwen").answer(event, CONTEXT) == {}


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


def test_a_sub_agent_has_a_run_of_its_own() -> None:
    payload = {"hook_event_name": "PreToolUse", "session_id": "s", "agent_id": "a7"}

    event = adapter("claude-code").read(payload, "")

    assert event is not None
    assert (event.session, event.is_nested) == ("s.a7", True)


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
