"""Agents that log a session as JSON lines or messages: where their files are, what a record says.

A reader is a function from a record and its line to events; None for a record of an unknown kind.
A message is one of Anthropic's or OpenAI's API. A record that `session import` reads is a log of
messages, a trajectory of SWE-agent or Harbor, or a run in hardwon's own neutral format.
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from hashlib import md5
from itertools import product
from typing import Any

from hardwon.learn.transcripts.agents.databases import CONFIG
from hardwon.learn.transcripts.transcript import (
    AGENT,
    USER,
    Event,
    Message,
    Result,
    SessionInfo,
    SessionPlace,
    ToolCall,
    inside,
    json_document,
    json_lines,
    note_in,
    parse_json,
    place,
    states_failure,
    text_of,
)

CLAUDE = "claude"
_CLAUDE_IGNORED = {
    *("system", "attachment", "queue-operation", "last-prompt", "cost-state", "tools-used"),
    *("mode", "api-request", "api-request-blob", "api-request-shape", "atis-latch", "summary"),
    *("file-history-snapshot", "progress", "permission-mode", "agent-name", "custom-title"),
}
_CLAUDE_MACHINE = (
    *("<command-", "<local-command-", "<system-reminder>", "[Request interrupted", "Caveat: "),
)
_ONLY_EXIT_CODE = re.compile(r"Exit code \d{1,3}\s*")


def find_claude(home: str) -> Iterator[SessionPlace]:
    """Sessions of every project with their sub-agents, and the older `sessions/`."""
    base = os.environ.get("CLAUDE_CONFIG_DIR") or os.path.join(home, ".claude")
    nested = ("*.jsonl", "sessions/*.jsonl", "*/subagents/agent-*.jsonl")
    for path in inside(base, *(f"projects/*/{one}" for one in nested), "sessions/*.jsonl"):
        parts = os.path.relpath(path, base).split(os.sep)
        folder = parts[1] if parts[0] == "projects" else ""
        yield place(CLAUDE, path, base=base, folder=folder)


def claude_folder(cwd: str) -> str:
    """The folder name that Claude Code uses for a directory."""
    return re.sub(r"[^A-Za-z0-9]", "-", cwd)


def read_claude(record: Any, line: int) -> list[Event] | None:
    """Assistant lines hold text and calls; user lines hold messages and results."""
    kind = record.get("type")
    if kind not in {"user", "assistant"}:
        return [] if kind in _CLAUDE_IGNORED else None
    # A sub-agent has a session of its own, as in hooks.
    session = ".".join(filter(None, (record.get("sessionId"), record.get("agentId"))))
    at = record.get("timestamp") or ""
    about = SessionInfo(session, record.get("cwd") or "", at) if at else SessionInfo()
    who = AGENT if kind == "assistant" or record.get("isSidechain") else USER
    is_typed = not (record.get("isMeta") or record.get("isCompactSummary"))
    events: list[Event] = [about]
    for event in content_events(record["message"]["content"], line, who):
        if isinstance(event, Result):  # the client wrote the exit code, not the program
            output = "" if _ONLY_EXIT_CODE.fullmatch(event.output) else event.output
            events.append(event._replace(output=output, failed=event.failed is True))
        elif (
            kind == "assistant"
            or not isinstance(event, Message)
            or (is_typed and not event.text.startswith(_CLAUDE_MACHINE))
        ):
            events.append(event)
    return events


_CODEX_IGNORED = {"turn_context", "event_msg", "world_state", "token_usage_record", "compacted"}
_CODEX_MACHINE = (
    *("<environment_context>", "<user_instructions>", "# AGENTS.md instructions", "<INSTR"),
)

_CODEX_REFUSED = (
    *("execution error", "failed to ", "Script failed", "exec_command failed"),
    "apply_patch verification failed",
)
_CODEX_HEAD = (
    r"(?:(?:Chunk ID|Wall time|Exit code|Process|Script|Original token count|Total output lines)\b"
    r".{0,200}\n){1,8}Output:\n"
)


def find_codex(home: str) -> Iterator[SessionPlace]:
    """Every rollout of Codex CLI, archived ones too."""
    base = os.environ.get("CODEX_HOME") or os.path.join(home, ".codex")
    folders = ("sessions/*/*/*", "sessions", "archived_sessions")
    for path in inside(base, *(f"{folder}/rollout-*.jsonl" for folder in folders)):
        stem = os.path.basename(path).removeprefix("rollout-").removesuffix(".jsonl")
        match = re.search(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$", stem)
        yield place("codex", path, base=base, id=match.group() if match else stem)


def read_codex(record: Any, line: int) -> list[Event] | None:
    """Calls and outputs are response items; the output's text states the exit code."""
    kind, payload = record.get("type"), record.get("payload")
    if kind == "session_meta":
        return [SessionInfo(payload.get("id", ""), payload.get("cwd", ""), record["timestamp"])]
    if kind == "response_item":
        return [SessionInfo(at=record.get("timestamp", "")), *_codex_item(payload, line)]
    return [] if kind in _CODEX_IGNORED else None


def _codex_item(item: Any, line: int) -> Iterator[Event]:
    kind = item["type"]
    if kind == "message":
        text = text_of(item["content"])
        if item["role"] == "assistant":
            yield Message(line, AGENT, text)
        elif item["role"] == "user" and not text.startswith(_CODEX_MACHINE):
            yield Message(line, USER, text)
    elif kind in {"function_call", "custom_tool_call"}:
        args = parse_json(item.get("arguments", item.get("input", "")))
        command = args.get("command", args.get("cmd")) if isinstance(args, dict) else None
        if isinstance(command, list):
            args = {**args, "command": _command_line(command)}
        yield ToolCall(line, item["call_id"], item["name"], args)
    elif kind == "local_shell_call":
        yield ToolCall(line, item["call_id"], "bash", _command_line(item["action"]["command"]))
    elif kind in {"function_call_output", "custom_tool_call_output"}:
        output = item["output"]
        text = text_of(output if not isinstance(output, dict) else output.get("content"))
        failed = states_failure(text) or text.startswith(_CODEX_REFUSED)
        if isinstance(output, dict) and isinstance(output.get("success"), bool):
            failed = not output["success"]
        yield Result(line, item["call_id"], _unwrap(text), failed)


def _command_line(command: Any) -> str:
    """The command line of an argument list; `["bash", "-lc", "make test"]` gives `make test`."""
    if len(command) == 3 and command[1] in {"-c", "-lc"}:
        return str(command[2])
    return " ".join(map(str, command))


def _unwrap(text: str) -> str:
    """The output without what stands around it: JSON with a code, or lines about the call."""
    if head := re.match(_CODEX_HEAD, text):
        return text[head.end() :]
    told = parse_json(text) if text.startswith('{"output"') else None
    return str(told["output"]) if isinstance(told, dict) else text


_COPILOT_IGNORED = (
    *("hook.", "session.", "assistant.turn", "assistant.reasoning", "assistant.intent", "skill."),
    *("assistant.usage", "tool.user", "tool.execution_partial", "tool.execution_progress"),
    *("subagent.", "system.", "abort", "permission.", "user_input.", "elicitation."),
)


def find_copilot(home: str) -> Iterator[SessionPlace]:
    """Every session of Copilot CLI that has recorded events."""
    base = os.path.join(home, ".copilot")
    for path in inside(base, "session-state/*/events.jsonl"):
        yield place("copilot", path, base=base, id=os.path.basename(os.path.dirname(path)))


def read_copilot(record: Any, line: int) -> list[Event] | None:
    """Calls start and complete as events of their own."""
    kind, data = str(record.get("type", "")), record.get("data") or {}
    at = SessionInfo(at=record.get("timestamp", ""))
    if kind == "session.start":
        context = data.get("context") or {}
        return [at, SessionInfo(data.get("sessionId", ""), context.get("cwd", ""))]
    if kind in {"user.message", "assistant.message"}:
        who = USER if kind == "user.message" else AGENT
        return [at, Message(line, who, data["content"])] if data.get("content") else [at]
    if kind == "tool.execution_start":
        return [at, ToolCall(line, data["toolCallId"], data["toolName"], data.get("arguments"))]
    if kind == "tool.execution_complete":
        result, error = data.get("result") or {}, data.get("error") or {}
        output = result.get("content") if isinstance(result, dict) else str(result)
        output = output or error.get("message") or ""
        code = (data.get("shellExecution") or {}).get("exitCode")
        failed = data.get("success") is False or code not in {None, 0} or states_failure(output)
        return [at, Result(line, data["toolCallId"], output, failed)]
    return [] if kind.startswith(_COPILOT_IGNORED) else None


_GEMINI_ENDED = {"success", "error", "cancelled"}
_QWEN_TYPED = {None, "mid_turn_user_message"}


def find_gemini(home: str) -> Iterator[SessionPlace]:
    """Every recorded chat of Gemini CLI, with the directory that it notes next to the chats."""
    base = os.path.join(home, ".gemini")
    chats = ("session-*.jsonl", "session-*.json", "*/*.jsonl")  # now, in older releases, sub-agents
    for path in inside(base, *(f"tmp/*/chats/{one}" for one in chats)):
        note = os.path.join(path.rpartition(f"{os.sep}chats{os.sep}")[0], ".project_root")
        yield place("gemini", path, base=base, cwd=note_in(note).strip())


def gemini_records(session: SessionPlace, skipped: Counter[str]) -> Iterator[tuple[int, Any]]:
    """Messages are repeated while they grow: each with the parts that are new and have ended."""
    seen: set[tuple[str, str]] = set()
    records = json_lines(session.path, skipped)
    if session.path.endswith(".json"):  # as the program wrote them before
        document = json_document(session.path, skipped)
        messages = document.get("messages") if isinstance(document, dict) else None
        records = enumerate([document, *messages] if isinstance(messages, list) else (), 1)
    for line, record in records:
        if isinstance(record, dict) and isinstance(record.get("toolCalls"), list | None):
            key = str(record.get("id", line))
            calls = [call for call in record.get("toolCalls") or () if isinstance(call, dict)]
            ended = [call for call in calls if call.get("status") in _GEMINI_ENDED]
            parts = {(key, str(call.get("id"))): call for call in ended}
            new = [call for part, call in parts.items() if part not in seen]
            record = {**record, "toolCalls": new}
            if (key, "text") in seen:
                record.pop("content", None)
            seen.update(parts)
            if text_of(record.get("content")):
                seen.add((key, "text"))
        yield line, record


def read_gemini(record: Any, line: int) -> list[Event] | None:
    """A message with its calls, which have ended."""
    kind = record.get("type")
    if "sessionId" in record:
        return [SessionInfo(record["sessionId"], at=record.get("startTime", ""))]
    if kind not in {"user", "gemini"}:
        return [] if "$set" in record or kind in {"info", "error", "warning"} else None
    events: list[Event] = [SessionInfo(at=record.get("timestamp", ""))]
    if text := text_of(record.get("content")):
        events.append(Message(line, USER if kind == "user" else AGENT, text))
    for call in record["toolCalls"]:
        key, told = f"{record.get('id', line)}/{call.get('id')}", _gemini_text(call.get("result"))
        shown = call.get("resultDisplay")
        output = shown if shown and isinstance(shown, str) else told
        failed = call["status"] == "error" or states_failure(told)
        events.append(ToolCall(line, key, call["name"], call.get("args")))
        events.append(Result(line, key, output, failed))
    return events


def _gemini_text(result: Any) -> str:
    """The text in `[{functionResponse: {response: {output | error}}}]`, or in a plain string."""
    if isinstance(result, str):
        return result
    parts = []
    for part in result or ():
        answer = part.get("functionResponse", {}).get("response", {})
        parts.append(answer.get("output") or answer.get("error") or part.get("text") or "")
    return "\n".join(map(str, parts))


def find_qwen(home: str) -> Iterator[SessionPlace]:
    """Every recorded chat of Qwen Code, and those of its sub-agents."""
    base = os.environ.get("QWEN_RUNTIME_DIR") or os.path.join(home, ".qwen")
    for path in inside(base, "projects/*/chats/*.jsonl", "projects/*/subagents/*/agent-*.jsonl"):
        yield place("qwen", path, base=base)


def read_qwen(record: Any, line: int) -> list[Event] | None:
    """The parts of a message, as Gemini's API has them; results are records of their own."""
    kind, message = record.get("type"), record.get("message") or {}
    if kind not in {"user", "assistant", "tool_result"}:
        return [] if kind == "system" else None
    session = ".".join(filter(None, (record.get("sessionId"), record.get("agentId"))))
    about = SessionInfo(session, record.get("cwd") or "", record.get("timestamp") or "")
    is_typed = record.get("subtype") in _QWEN_TYPED and not record.get("isSidechain")
    events: list[Event] = [about]
    for part in message.get("parts") or ():
        if call := part.get("functionCall"):
            key = str(call.get("id") or call["name"])
            events.append(ToolCall(line, key, call["name"], call.get("args")))
        elif answer := part.get("functionResponse"):
            told, key = _gemini_text([part]), str(answer.get("id") or answer["name"])
            status = (record.get("toolCallResult") or {}).get("status")
            failed = status == "error" or "error" in answer["response"] or states_failure(told)
            _, is_there, printed = told.partition("\nOutput: ")  # a report around it
            printed, is_ended, _ = printed.rpartition("\nError: ")
            is_report = told.startswith("Command: ") and is_there and is_ended
            events.append(Result(line, key, printed if is_report else told, failed))
        elif part.get("text") and not part.get("thought") and (kind == "assistant" or is_typed):
            events.append(Message(line, AGENT if kind == "assistant" else USER, part["text"]))
    return events


_PI_IGNORED = {
    *("model_change", "thinking_level_change", "compaction", "branch_summary", "custom", "label"),
    *("custom_message", "session_info"),
}


def find_pi(home: str) -> Iterator[SessionPlace]:
    """Sessions of pi, below the folder of each directory."""
    base = os.environ.get("PI_CODING_AGENT_DIR") or os.path.join(home, ".pi", "agent")
    for path in inside(base, "sessions/*/*.jsonl"):
        stem = os.path.basename(path).removesuffix(".jsonl")
        yield place("pi", path, base=base, id=stem.rpartition("_")[2])


def read_pi(record: Any, line: int) -> list[Event] | None:
    """The first line is about the session; messages hold texts, calls and results."""
    kind, at = record.get("type"), str(record.get("timestamp") or "")
    if kind == "session":
        return [SessionInfo(record.get("id", ""), record.get("cwd", ""), at)]
    if kind != "message":
        return [] if kind in _PI_IGNORED else None
    message = record["message"]
    events: list[Event] = [SessionInfo(at=at)]
    if message["role"] == "toolResult":
        output, failed = text_of(message["content"]), message.get("isError") is True
        events.append(Result(line, message["toolCallId"], output, failed))
    elif message["role"] == "bashExecution":  # the person ran it
        key, code = str(record.get("id", line)), message.get("exitCode")
        events.append(ToolCall(line, key, "bash", message["command"]))
        events.append(Result(line, key, message.get("output") or "", code not in {0, None}))
    elif message["role"] in {"user", "assistant"}:
        who = USER if message["role"] == "user" else AGENT
        events += content_events(message["content"], line, who)
    return events


def find_kimi(home: str) -> Iterator[SessionPlace]:
    """Sessions of Kimi CLI; its index tells the directory of each folder."""
    base = os.environ.get("KIMI_SHARE_DIR") or os.path.join(home, ".kimi")
    try:
        index = json.loads(note_in(os.path.join(base, "kimi.json")) or "{}")
        folders = [str(one["path"]) for one in index.get("work_dirs") or ()]
    except (ValueError, KeyError, TypeError, AttributeError):
        folders = []
    by_digest = {md5(path.encode(), usedforsecurity=False).hexdigest(): path for path in folders}
    for path in inside(base, "sessions/*/*/context.jsonl"):
        session = os.path.dirname(path)
        cwd = by_digest.get(os.path.basename(os.path.dirname(session)), "")
        yield place("kimi", path, base=base, id=os.path.basename(session), cwd=cwd)


def read_kimi(record: Any, line: int) -> list[Event] | None:
    """Messages of OpenAI's API; roles that begin with `_` are notes."""
    role = str(record.get("role") or "")
    if not role.startswith("_") and role not in {"user", "assistant", "tool", "system"}:
        return None
    return list(message_events(record, line))


_EDITORS = ("Code", "Code - Insiders", "Cursor", "VSCodium", "Windsurf")
_REMOTE_EDITORS = ((".vscode-server", "data"), (".cursor-server", "data"))
_EXTENSIONS = ("saoudrizwan.claude-dev", "rooveterinaryinc.roo-cline", "kilocode.kilo-code")
_CWD = re.compile(r"# Current (?:Working|Workspace) Directory \((.{1,400}?)\)")
_TYPED = re.compile(r"<(task|user_message|feedback)>")
_TOLD = re.compile(r"\[(\w{1,60})(?: for '(.{1,4000}?)')?\] Result:\s*", re.S)  # without tool_use
_SHAPES = ("trajectory", "messages", "steps")  # the keys of a run that is imported
_WHOLE = (".traj", ".json")  # files that are one document


def find_cline(home: str) -> Iterator[SessionPlace]:
    """The tasks of Cline and of those that grew out of it, in every editor."""
    base = os.environ.get("CLINE_DIR") or os.path.join(home, ".cline")
    for path in inside(base, "data/sessions/*/*.messages.json"):
        about = parse_json(note_in(path.removesuffix(".messages.json") + ".json"))
        cwd = str(about.get("cwd") or "") if isinstance(about, dict) else ""
        yield place("cline", path, base=base, id=os.path.basename(os.path.dirname(path)), cwd=cwd)
    editors = (*product(CONFIG, _EDITORS), *_REMOTE_EDITORS)
    for (config, editor), extension in product(editors, _EXTENSIONS):
        own = os.path.join(home, config, editor, "User", "globalStorage", extension)
        for path in inside(own, "tasks/*/api_conversation_history.json"):
            yield place("cline", path, base=own, id=os.path.basename(os.path.dirname(path)))


def cline_records(session: SessionPlace, skipped: Counter[str]) -> Iterator[tuple[int, Any]]:
    """The numbered messages of a session; each command of a call is a call of its own."""
    document = json_document(session.path, skipped)
    found = document.get("messages") if isinstance(document, dict) else document
    asked = dict[str, int]()  # how many commands a call has
    for line, message in enumerate(found if isinstance(found, list) else (), 1):
        with suppress(LookupError, TypeError, AttributeError):  # of an unknown shape: as it is
            if isinstance(message["content"], list):
                blocks = [one for block in message["content"] for one in _single(block, asked)]
                message = {**message, "content": blocks}
        yield line, message


def _single(block: Any, asked: dict[str, int]) -> list[Any]:
    """A call of several commands, or its result, as several; any other block as it is."""
    if block.get("type") == "tool_use" and block.get("name") == "run_commands":
        made = block.get("input") or {}
        commands = made.get("commands") or [made.get("command")]
        asked[block["id"]] = len(commands)
        calls = enumerate(one.get("command") if isinstance(one, dict) else one for one in commands)
        common = {"type": "tool_use", "name": "bash"}
        return [common | {"id": f"{block['id']}/{n}", "input": {"command": c}} for n, c in calls]
    key = block.get("tool_use_id")
    if key not in asked:
        return [block]
    told = parse_json(text_of(block.get("content")))
    entries = told if isinstance(told, list) and len(told) == asked[key] else [{}] * asked[key]
    return [
        {
            **block,
            "tool_use_id": f"{key}/{number}",
            "content": entry.get("result")
            or entry.get("error")
            or ("" if entry else block["content"]),
            "is_error": entry["success"] is False if "success" in entry else block.get("is_error"),
        }
        for number, entry in enumerate(entries)
    ]


def import_records(path: str, skipped: Counter[str]) -> Iterator[tuple[int, Any]]:
    """The numbered runs of a file: one a line, or the file as a whole."""
    if not path.endswith(_WHOLE):
        return json_lines(path, skipped)
    document = json_document(path, skipped)
    is_log = isinstance(document, list) and any("role" in one for one in document[:1])
    return iter([] if document is None else [(1, {"messages": document} if is_log else document)])


def read_cline(record: Any, line: int) -> list[Event] | None:
    """One message after the other."""
    role, at = record["role"], record.get("ts")
    stated = datetime.fromtimestamp(at / 1000, UTC).isoformat() if at else ""
    found = _CWD.search(text_of(record.get("content"))) if role == "user" else None
    about = SessionInfo(cwd=found[1] if found else "", at=stated)
    return [about, *_with_told_calls(message_events(record, line), line)]


def read_import(record: Any, line: int) -> list[Event] | None:
    """A record is a whole run; the numbers of its steps stand for lines, the task is line 0."""
    key = next((one for one in _SHAPES if isinstance(record.get(one), list)), "")
    if not key:
        return None
    names = record.get("run") or record.get("session_id") or record.get("id") or ""
    about = SessionInfo(str(names), str(record.get("repo") or record.get("cwd") or ""))
    task = record.get("task")
    events: list[Event] = [about, *([Message(0, USER, task)] if isinstance(task, str) else [])]
    if key == "steps":
        events += _steps(record[key])
    for number, one in enumerate(record[key] if key != "steps" else (), 1):
        if key == "messages":
            events += _with_told_calls(message_events(one, number), number)
        elif action := str(one.get("action") or "").strip():  # of SWE-agent
            events.append(ToolCall(number, str(number), "bash", action))
            printed = str(one.get("observation") or "")
            events.append(Result(number, str(number), printed, None))
    return events


def message_events(record: Any, line: int) -> Iterator[Event]:
    """The events of a message of Anthropic's or OpenAI's API."""
    role, content = record.get("role"), record.get("content")
    if record.get("type") == "function_call":
        yield ToolCall(line, record["call_id"], record["name"], parse_json(record["arguments"]))
    elif record.get("type") == "function_call_output":
        yield Result(line, record["call_id"], text_of(record["output"]), None)
    elif role == "tool":
        yield Result(line, record["tool_call_id"], text_of(content), record.get("is_error"))
    elif role in {"user", "assistant"}:
        yield from content_events(content, line, USER if role == "user" else AGENT)
        for call in record.get("tool_calls") or ():
            function = call["function"]
            yield ToolCall(line, call["id"], function["name"], parse_json(function["arguments"]))


def content_events(content: Any, line: int, who: str) -> Iterator[Event]:
    """The texts, calls and results in the content of a message."""
    if isinstance(content, str):
        content = [{"type": "text", "text": content}]
    for block in content or ():
        kind = block.get("type")
        if kind in {"tool_use", "toolCall"}:
            args = block.get("input", block.get("arguments"))
            yield ToolCall(line, block["id"], block["name"], args)
        elif kind == "tool_result":
            failed = block.get("is_error")
            yield Result(line, block["tool_use_id"], text_of(block.get("content")), failed)
        elif kind == "text":
            yield Message(line, who, block["text"])


def _with_told_calls(events: Iterable[Event], line: int) -> Iterator[Event]:
    """The events, with the calls that Cline may tell in texts of the user: a head, a result."""
    told = ""
    for event in events:
        if not isinstance(event, Message):
            yield event
            continue
        text = event.text
        head = _TOLD.match(text) if event.who == USER else None
        if head:
            told = f"{line}/{head.start()}/{head[2]}"
            yield ToolCall(line, told, head[1], {"command": head[2] or ""})
            text = text[head.end() :]
        if told:
            if text.strip() or not head:
                yield Result(line, told, text, None)
                told = ""
        elif event.who == AGENT or not text.startswith(("<environment_details", "[")):
            tag = _TYPED.search(text) if event.who == USER else None  # the person typed its inside
            inner, end, _ = text[tag.end() :].partition(f"</{tag[1]}>") if tag else ("", "", "")
            yield Message(line, event.who, inner.strip() if end else text)


def _steps(steps: Any) -> Iterator[Event]:
    """Steps of the neutral format, or of a trajectory of Harbor."""
    for number, step in enumerate(steps, 1):
        if "command" in step:
            key, tool = str(number), str(step.get("tool") or "bash")
            yield ToolCall(number, key, tool, step["command"])
            yield Result(number, key, str(step.get("output") or ""), bool(step.get("returncode")))
            continue
        yield SessionInfo(at=str(step.get("timestamp") or ""))
        who = {"user": USER, "agent": AGENT}.get(step["source"], "")
        if who and step.get("message"):
            yield Message(number, who, text_of(step["message"]))
        for call in step.get("tool_calls") or ():
            yield ToolCall(number, call["tool_call_id"], call["function_name"], call["arguments"])
        for result in (step.get("observation") or {}).get("results") or ():
            failed = (result.get("extra") or {}).get("is_error")
            yield Result(number, result["source_call_id"], text_of(result.get("content")), failed)
