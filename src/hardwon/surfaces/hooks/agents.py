"""The coding agents: their events in common terms, and the answers in the format of each."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple

from hardwon.core.errors import InvalidInput
from hardwon.core.text.clean import clip_middle
from hardwon.core.text.json_clip import clip_json


class EventKind:
    """The common events that every agent's own are translated into."""

    SESSION_START = "session_start"
    PROMPT = "prompt"
    BEFORE = "before_action"
    WORKED = "action_worked"
    FAILED = "action_failed"
    BATCH = "batch"
    STOP = "stop"
    SESSION_END = "session_end"
    COMPACTION = "compaction"


class Event(NamedTuple):
    """One event. `name` is the agent's own name for it; some answers repeat it."""

    kind: str
    name: str
    session: str = ""
    cwd: str = ""
    text: str = ""  # the prompt, the agent's last words, or why a session starts
    tool: str = ""
    args: Any = None
    output: str = ""
    is_nested: bool = False  # inside a sub-agent
    can_be_asked: bool = False  # the agent is about to end, and can be told to go on
    takes_permission: bool = False  # a hook may say that a call needs no permission of the person


class HookReply(NamedTuple):
    """A reply to the agent; falsy when it is empty."""

    context: str = ""
    denial: str = ""  # the reason why the pending call must not run
    note: str = ""  # a line for the person, where the agent can show one
    request: str = ""  # what the agent should do before it ends
    is_allowed: bool = False  # the pending call needs no permission of the person

    def __bool__(self) -> bool:
        return any(self)


SILENCE = HookReply()


class Input:
    """The event on standard input, of which `first` has been read already."""

    def __init__(self, first: bytes = b"", *, is_whole: bool = False) -> None:
        self._first = first
        self._is_whole = is_whole

    def read(self) -> bytes:
        """The event, with long texts clipped."""
        if not self._is_whole:
            self._first, self._is_whole = clip_json(self._next), True
        return self._first

    def _next(self, size: int) -> bytes:
        if self._first:
            first, self._first = self._first, b""
            return first
        return os.read(0, size)


PROMPT_LIMIT = 16 * 1024
OUTPUT_LIMIT = 16 * 1024
_STREAMS = ("stdout", "stderr", "output", "llmContent", "textResultForLlm", "text", "content")
_ALL_DOORS = {
    *(EventKind.SESSION_START, EventKind.PROMPT, EventKind.BEFORE),
    *(EventKind.WORKED, EventKind.FAILED, EventKind.BATCH),
}
_CLAUDE = {  # events of Claude Code whose names others took over
    "SessionStart": EventKind.SESSION_START,
    "PreToolUse": EventKind.BEFORE,
    "PostToolUse": EventKind.WORKED,
    "PostToolUseFailure": EventKind.FAILED,
    "SubagentStop": EventKind.STOP,
    "SessionEnd": EventKind.SESSION_END,
    "PreCompact": EventKind.COMPACTION,
}
_IN_CAMEL_CASE = {name[0].lower() + name[1:]: kind for name, kind in _CLAUDE.items()}
_GEMINI_SHELL = "run_shell_command"
_ROLLOUT = 256 * 1024  # bytes at the end of a rollout file that are read


class Adapter:
    """One agent: the names in its JSON, and what differs from the others."""

    kinds: ClassVar[Mapping[str, str]] = {}  # its events in common terms
    takes_context: ClassVar[set[str]] = _ALL_DOORS  # the kinds at which it accepts lessons
    event_field = "hook_event_name"  # "": the event is named on the command line
    session_fields: tuple[str, ...] = ("session_id",)
    text_fields: tuple[str, ...] = ("prompt",)
    tool_field = "tool_name"
    args_field = "tool_input"
    shell = ""  # its name for the shell, which is `bash` here, so that lessons apply in all
    asked_at = ""  # the event at which it is about to end and can be told to go on
    stops_with = "block"  # the decision that makes it go on then

    def read(self, payload: dict[str, Any], name: str = "") -> Event | None:
        """The event in common terms; None for an event that hardwon does not handle."""
        name = text(payload, self.event_field) or name
        kind = self.kinds.get(name)
        if kind is None:
            return None
        if kind == EventKind.WORKED and self.has_failed(payload):
            kind = EventKind.FAILED
        tool = text(payload, self.tool_field)
        return Event(
            kind=kind,
            name=name,
            session=text(payload, *self.session_fields),
            cwd=text(payload, "cwd"),
            text=text(payload, *self.text_fields),
            tool="bash" if tool and tool == self.shell else tool,
            args=arguments(payload, self.args_field),
            output=self.output(payload),
            can_be_asked=name == self.asked_at and payload.get("stop_hook_active") is not True,
        )

    def understand(self, raw: bytes, name: str) -> Event:
        """The event in these bytes; raises ValueError, or InvalidInput for an unknown one."""
        payload = json.loads(raw.decode("utf-8"))
        if not isinstance(payload, dict):
            raise InvalidInput(f"the event is a {type(payload).__name__}, not an object")
        event = self.read(payload, name)
        if event is None:
            raise InvalidInput(f"unknown event {(payload.get('hook_event_name') or name)!r}")
        return event

    def output(self, payload: dict[str, Any]) -> str:
        """What the call printed, or its error."""
        return words(payload.get("error") or payload.get("tool_response"))

    def has_failed(self, payload: dict[str, Any]) -> bool:
        """Whether a call failed that the agent reports as finished."""
        return False

    def answer(self, event: Event, reply: HookReply) -> dict[str, Any]:
        """The reply in the agent's format; empty where the agent accepts none."""
        if reply.request:
            return {"decision": self.stops_with, "reason": reply.request}
        return self.context(event, reply) if event.kind in self.takes_context else {}

    def context(self, event: Event, reply: HookReply) -> dict[str, Any]:
        """The reply at an event where the agent accepts lessons."""
        raise NotImplementedError


class ClaudeCode(Adapter):
    """Failures have their own event; context is accepted at every door."""

    kinds: ClassVar[Mapping[str, str]] = {
        **_CLAUDE,
        "UserPromptSubmit": EventKind.PROMPT,
        "PostToolBatch": EventKind.BATCH,
        "Stop": EventKind.STOP,
    }
    text_fields = ("prompt", "last_assistant_message", "source")
    asked_at = "Stop"
    takes_permission = True

    def read(self, payload: dict[str, Any], name: str = "") -> Event | None:
        """The event; `agent_id` is present only in a sub-agent, which has its own run."""
        event, nested = super().read(payload, name), text(payload, "agent_id")
        return event and event._replace(
            session=event.session + (f".{nested}" if nested else ""),
            is_nested=bool(nested),
            takes_permission=self.takes_permission,
        )

    def context(self, event: Event, reply: HookReply) -> dict[str, Any]:
        """Context, a denial or a permission, and a line for the person."""
        output: dict[str, str] = {}
        if reply.denial:
            output |= {"permissionDecision": "deny", "permissionDecisionReason": reply.denial}
        elif reply.is_allowed:
            output["permissionDecision"] = "allow"
        if reply.context:
            output["additionalContext"] = reply.context
        note = {"systemMessage": reply.note} if reply.note else {}
        return note | (
            {"hookSpecificOutput": {"hookEventName": event.name} | output} if output else {}
        )


class Codex(ClaudeCode):
    """Claude Code's format without a failure event; exit codes are in the rollout file."""

    takes_permission = False

    def has_failed(self, payload: dict[str, Any]) -> bool:
        """Whether the rollout says so; the line of the call is there before the hook runs."""
        path, call = text(payload, "transcript_path"), text(payload, "tool_use_id")
        if not call or not path.endswith(".jsonl") or not os.path.isfile(path):
            return False
        with open(path, "rb") as file:
            file.seek(max(0, os.path.getsize(path) - _ROLLOUT))
            lines = file.read(_ROLLOUT).splitlines()
        for line in reversed(lines):
            if call.encode() not in line:
                continue
            try:
                parsed = json.loads(line)
            except ValueError:
                continue
            item = group(group(parsed, "payload"), "item") if isinstance(parsed, dict) else {}
            if item.get("id") == call:
                return item.get("status") == "failed" or bool(item.get("exit_code"))
        return False


class Qwen(ClaudeCode):
    """Claude Code's words, Gemini CLI's tools; before an action only a denial is taken."""

    takes_permission = False
    shell = _GEMINI_SHELL

    def read(self, payload: dict[str, Any], name: str = "") -> Event | None:
        """The event; without a terminal each result of a tool is a prompt without words, too."""
        event = super().read(payload, name)
        if event and event.name == "Stop":  # it calls every stop one that a hook has made
            return event._replace(can_be_asked=True)
        if event and event.kind == EventKind.PROMPT and not event.text:
            return event._replace(kind=EventKind.BATCH)
        return event

    def output(self, payload: dict[str, Any]) -> str:
        """What a command printed, out of the report that stands around it."""
        output = super().output(payload)
        _, is_there, printed = output.partition("\nOutput: ")
        before, is_ended, _ = printed.rpartition("\nError: ")
        is_report = is_there and is_ended and payload.get("tool_name") == self.shell
        return before if is_report else output

    def answer(self, event: Event, reply: HookReply) -> dict[str, Any]:
        """As for Claude Code, where it is taken."""
        context = "" if event.kind == EventKind.BEFORE else reply.context
        return super().answer(event, HookReply(context, reply.denial, request=reply.request))


class Gemini(Adapter):
    """A failed command is a finished one whose text has an exit code."""

    kinds: ClassVar[Mapping[str, str]] = {
        "SessionStart": EventKind.SESSION_START,
        "BeforeAgent": EventKind.PROMPT,
        "BeforeTool": EventKind.BEFORE,
        "AfterTool": EventKind.WORKED,
        "AfterAgent": EventKind.STOP,
        "SessionEnd": EventKind.SESSION_END,
        "PreCompress": EventKind.COMPACTION,
    }
    text_fields = ("prompt_response", "prompt", "source")
    shell = _GEMINI_SHELL
    asked_at = "AfterAgent"
    stops_with = "deny"
    _OWN_CONTEXT = r"(?s)<hook_context>(?:(?!</?hook_context>).)*</hook_context>"

    def read(self, payload: dict[str, Any], name: str = "") -> Event | None:
        """The event; its prompt includes the context injected at the start of the session."""
        event = super().read(payload, name)
        return event and event._replace(text=re.sub(self._OWN_CONTEXT, "", event.text).strip())

    def output(self, payload: dict[str, Any]) -> str:
        response = group(payload, "tool_response")
        shown = words(response.get("error") or response.get("returnDisplay"))
        return shown or words(response.get("llmContent"))

    def has_failed(self, payload: dict[str, Any]) -> bool:
        response = group(payload, "tool_response")
        code = re.search(r"(?m)^Exit Code: (\d{1,5})$", words(response.get("llmContent")))
        return bool(response.get("error")) or (code is not None and int(code[1]) != 0)

    def context(self, event: Event, reply: HookReply) -> dict[str, Any]:
        """Context and a line for the person; before an action only a denial."""
        if event.kind == EventKind.BEFORE:
            return {"decision": "deny", "reason": reply.denial} if reply.denial else {}
        output = {"hookEventName": event.name, "additionalContext": reply.context}
        note = {"systemMessage": reply.note} if reply.note else {}
        return note | ({"hookSpecificOutput": output} if reply.context else {})


class Copilot(Adapter):
    """The event is named on the command line, exit codes are in the text."""

    kinds: ClassVar[Mapping[str, str]] = {
        **_IN_CAMEL_CASE,
        "userPromptSubmitted": EventKind.PROMPT,
        "agentStop": EventKind.STOP,
    }
    event_field = ""
    session_fields = ("sessionId",)
    text_fields = ("prompt", "source", "initialPrompt")
    tool_field = "toolName"
    args_field = "toolArgs"
    asked_at = "agentStop"

    def output(self, payload: dict[str, Any]) -> str:
        return words(payload.get("error") or group(payload, "toolResult").get("textResultForLlm"))

    def has_failed(self, payload: dict[str, Any]) -> bool:
        codes = re.findall(r"completed with exit code (\d{1,5})>", self.output(payload))
        is_failure = group(payload, "toolResult").get("resultType") == "failure"
        return is_failure or (bool(codes) and int(codes[-1]) != 0)

    def context(self, event: Event, reply: HookReply) -> dict[str, Any]:
        """Context at every door, a denial before an action."""
        output = {"additionalContext": reply.context} if reply.context else {}
        if reply.denial:
            output |= {"permissionDecision": "deny", "permissionDecisionReason": reply.denial}
        return output


class Cursor(Adapter):
    """By its documentation: context at the start and after actions, a reason with a denial."""

    kinds: ClassVar[Mapping[str, str]] = {
        **_IN_CAMEL_CASE,
        "beforeSubmitPrompt": EventKind.PROMPT,
        "stop": EventKind.STOP,
    }
    takes_context = _ALL_DOORS - {EventKind.PROMPT, EventKind.BATCH}
    session_fields = ("conversation_id", "session_id")
    shell = "Shell"

    def read(self, payload: dict[str, Any], name: str = "") -> Event | None:
        """The event; the folder is the first root of the workspace unless one is named."""
        event, roots = super().read(payload, name), payload.get("workspace_roots")
        first = roots[0] if isinstance(roots, list) and roots and isinstance(roots[0], str) else ""
        return event and event._replace(cwd=event.cwd or first)

    def output(self, payload: dict[str, Any]) -> str:
        return words(payload.get("error_message") or payload.get("tool_output"))

    def context(self, event: Event, reply: HookReply) -> dict[str, Any]:
        """Context where Cursor accepts it; before an action only a denial, with its reason."""
        if event.kind == EventKind.BEFORE:
            denial = {"permission": "deny", "agent_message": reply.denial}
            return denial if reply.denial else {}
        return {"additional_context": reply.context} if reply.context else {}


class OpenCode(Adapter):
    """Its events come from our own plugin (see `install`), so they need no translation."""

    kinds: ClassVar[Mapping[str, str]] = {
        kind: kind
        for name, kind in vars(EventKind).items()
        if name.isupper() and kind != EventKind.BATCH
    }
    event_field = "kind"
    session_fields = ("session",)
    text_fields = ("text",)
    tool_field = "tool"
    args_field = "args"
    asked_at = EventKind.STOP

    def read(self, payload: dict[str, Any], name: str = "") -> Event | None:
        event = super().read(payload, name)
        return event and event._replace(is_nested=payload.get("nested") is True)

    def output(self, payload: dict[str, Any]) -> str:
        return words(payload.get("output"))

    def answer(self, event: Event, reply: HookReply) -> dict[str, Any]:
        """The reply unchanged; the plugin shows the line for the person."""
        return {key: value for key, value in reply._asdict().items() if value}


class Cline(OpenCode):
    """A plugin like opencode's, which can neither make Cline go on nor show the person a line."""

    asked_at = ""

    def answer(self, event: Event, reply: HookReply) -> dict[str, Any]:
        return super().answer(event, reply._replace(note=""))


def text(payload: dict[str, Any], *keys: str) -> str:
    """The first of the fields that is a non-empty text, else ""."""
    for key in keys:
        if isinstance(payload.get(key), str) and payload[key]:
            return clip_middle(payload[key], PROMPT_LIMIT)
    return ""


def group(payload: dict[str, Any], key: str) -> dict[str, Any]:
    """The field if it is an object, else an empty object."""
    value = payload.get(key)
    return value if isinstance(value, dict) else {}


def arguments(payload: dict[str, Any], key: str) -> Any:
    """The arguments of a call; some agents send their JSON as text."""
    value = payload.get(key)
    if isinstance(value, str) and value.startswith("{"):
        try:
            return json.loads(value)
        except ValueError:
            return value
    return value


def words(value: Any) -> str:
    """The result of a tool as text, as a person would have seen it."""
    return clip_middle(_words(value), OUTPUT_LIMIT)


def _words(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "\n".join(filter(None, map(_words, value[:100])))
    if isinstance(value, dict):
        if any(key in value for key in _STREAMS):
            return "\n".join(_words(value[key]) for key in _STREAMS if value.get(key))
        return json.dumps(value, ensure_ascii=False, default=str)
    return "" if value is None else str(value)


_ADAPTERS: dict[str, Adapter] = {
    "claude-code": ClaudeCode(),
    "codex": Codex(),
    "gemini": Gemini(),
    "copilot": Copilot(),
    "opencode": OpenCode(),
    "cline": Cline(),
    "qwen": Qwen(),
    "cursor": Cursor(),
}
AGENTS = tuple(_ADAPTERS)
CAN_BE_ASKED = frozenset(name for name, one in _ADAPTERS.items() if one.asked_at)


def adapter(agent: str) -> Adapter:
    """How an agent words its events; raises InvalidInput for an unknown one."""
    if agent not in AGENTS:
        raise InvalidInput(f"no such agent: {agent[:60]!r}; known are {', '.join(AGENTS)}")
    return _ADAPTERS[agent]
