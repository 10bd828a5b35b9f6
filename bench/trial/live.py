"""One run of a live agent: its workspace, its shell, its hooks and its result."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import uuid
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from bench.trial.memories import (
    NOTES,
    PAST,
    ROOT,
    Mem0,
    Row,
    is_about_memory,
    keep_session,
    names_memory,
    read_rows,
    search_past,
)

ARMS = ("none", "hooks", "notes", "how", "store")
PROJECTS = [
    *map(Path, filter(None, os.environ.get("TRIAL_PROJECTS", "").split(os.pathsep))),
    Path(__file__).parent / "projects",
]
HARDWON = str(Path(sys.executable).with_name("hardwon"))
_SECONDS = 60  # for one call of the agent's shell
_CLIP = 30_000  # characters of an output, as coding agents clip it
_PERSON = {"NAME": "dev", "EMAIL": "dev@example.com"}

_PROMPT = """{task}

{reminders}{memory}
How you work here: your workspace is {workspace}. Your only shell is the program {shell}:
call it as `{shell} <<'EOF'` + your command lines + `EOF` (one call = one shell command or a
short script; it starts in the workspace, remembers `cd`, prints the output and the exit code;
{seconds} s limit). Read and change files only through it (cat, sed, here-documents, python), use
no other tool and no other path, and look at nothing outside the workspace. Work as you would in a
colleague's project: efficiently, do not audit the whole repository first, stop when the task is
done and validated. When finished, answer with one line: DONE or what is missing.
"""
_NOTES = """Colleagues who worked here before you kept notes in {file}. Read them first, through the
shell described below (the file may be empty; it is the one thing outside the workspace that you may
read and write). Before you finish, bring it up to date: what should the next one who works in this
project know?
"""
_PAST = f"""What colleagues ran here in earlier sessions, and what came of it, can be searched: the
command `{PAST} "WORDS"` in your shell prints the passages that fit best.
"""


@dataclass(frozen=True, kw_only=True)
class Run:
    """One piece of work of an agent; `folder` holds all that is known of it."""

    work: Path
    name: str
    project: str
    task: int
    arm: str
    label: str = ""  # of the arm in the table
    is_changed: bool = False  # the project in its second form, in which some cures differ
    is_training: bool = False  # later runs start from what it leaves
    session: str = field(default_factory=lambda: str(uuid.uuid4()))

    @classmethod
    def open(cls, work: Path, name: str) -> Run:
        """The run that `begin` made."""
        row = json.loads((work / "run" / name / "run.json").read_text())
        return cls(**row | {"work": work})

    @property
    def folder(self) -> Path:
        """The memory, the prompt, the calls and the result."""
        return self.work / "run" / self.name

    @property
    def workspace(self) -> Path:
        """Where the agent works: a copy of the project."""
        return self.work / "ws" / self.name

    @property
    def memory(self) -> Path:
        """What this run started from, and what it leaves."""
        return self.folder / "memory"

    @property
    def prompt(self) -> Path:
        """The file to hand to the agent."""
        return self.folder / "prompt.txt"

    @property
    def calls(self) -> list[Row]:
        """What was called and answered; the file has the format of a recorded run."""
        return read_rows(self.folder / "calls.jsonl")[1:]

    def log(self, row: Row) -> None:
        """Add a row to the record of the run."""
        with (self.folder / "calls.jsonl").open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")

    def begin(self, memory: Path | None) -> None:
        """Make the workspace and the prompt; `memory` is copied."""
        project = find_project(self.project)
        task = project / "tasks" / f"{self.task}.md"
        if not task.exists():
            raise SystemExit(f"trial: {task} does not exist")
        self.prepare(memory)
        shutil.rmtree(self.workspace, ignore_errors=True)
        setup = ["bash", str(project / "setup.sh"), str(self.workspace)]
        form = ["--changed"] if self.is_changed else []
        subprocess.run([*setup, *form], check=True, capture_output=True)
        text = task.read_text().strip()
        told = self.start(text)
        notes = self.memory / NOTES
        memory_text = {"notes": _NOTES.format(file=notes), "how": _PAST}.get(self.arm, "")
        kept = [notes.read_text()] if self.arm == "notes" else told
        self.log({"project": self.project, "task_number": self.task, "task": text, "told": kept})
        shell = self._write_program("do", "do", self.name)
        self.prompt.write_text(
            _PROMPT.format(
                task=text,
                reminders="".join(map(reminder, told)),
                workspace=self.workspace,
                shell=shell,
                seconds=_SECONDS,
                memory=memory_text,
            )
        )

    def _write_program(self, name: str, *arguments: str) -> Path:
        """A program that runs a verb of the trial."""
        program = self.folder / name
        program.parent.mkdir(exist_ok=True)
        trial = [sys.executable, "-m", "bench", "trial", "--work", str(self.work), *arguments]
        command = f'cd {shlex.quote(str(ROOT))} && exec {shlex.join(trial)} "$@"'
        program.write_text(f"#!/bin/sh\n{command}\n")
        program.chmod(0o755)
        return program

    def prepare(self, memory: Path | None) -> None:
        """Make the folder, with a copy of the memory and with hooks."""
        if memory and memory.resolve().is_relative_to(self.folder):
            raise SystemExit(f"trial: {self.name} would start from its own memory; name it anew")
        if memory and not memory.is_dir():
            raise SystemExit(f"trial: no memory {memory}")
        shutil.rmtree(self.folder, ignore_errors=True)
        (self.folder / "home").mkdir(parents=True)
        if memory:
            shutil.copytree(memory, self.memory, ignore=shutil.ignore_patterns("*.sock", "*.lock"))
        self.memory.mkdir(exist_ok=True)
        (self.folder / "run.json").write_text(json.dumps(asdict(self), default=str))
        if self.arm == "hooks":
            install = [HARDWON, "install", "claude-code", "--yes", "--read", "none", "--no-learn"]
            subprocess.run(install, env=self.environment(), check=True, capture_output=True)
        elif self.arm == "notes":
            (self.memory / NOTES).touch()
        elif self.arm == "how":
            self._write_program(f"bin/{PAST}", "past", self.name)

    def start(self, task: str) -> list[str]:
        """What the agent is told before its first call."""
        if self.arm == "store":
            found = Mem0(self.work, self.memory).search(task)
            return [found] if found else []
        session, _ = self.send("SessionStart", source="startup")
        turn, _ = self.send("UserPromptSubmit", prompt=task)
        return [text for text in (session, turn) if text]

    def send(self, event: str, **fields: Any) -> tuple[str, str | None]:
        """Send an event through every installed hook: the context, and the reason of a denial."""
        if self.arm != "hooks":
            return "", None
        settings = json.loads((self.folder / "home/.claude/settings.json").read_text())
        payload = {
            "session_id": self.session,
            "transcript_path": str(self.folder / "transcript.jsonl"),
            "cwd": str(self._cwd()),
            "permission_mode": "default",
            "hook_event_name": event,
            **fields,
        }
        contexts, denial = [], None
        for matcher in settings["hooks"].get(event, []):
            if not re.fullmatch(matcher.get("matcher") or ".*", fields.get("tool_name", "")):
                continue
            for hook in matcher["hooks"]:
                answer = self._ask(hook["command"], payload)
                contexts.append(answer.get("additionalContext", ""))
                if answer.get("permissionDecision") == "deny":
                    denial = answer.get("permissionDecisionReason", "")
        return "\n".join(filter(None, contexts)), denial

    def _ask(self, command: str, payload: Row) -> Row:
        done = subprocess.run(
            ["sh", "-c", command],
            input=json.dumps(payload),
            env=self.environment(),
            text=True,
            capture_output=True,
            timeout=_SECONDS,
        )
        if not done.stdout.lstrip().startswith("{"):
            return {"additionalContext": done.stdout.strip()}
        answer: Row = json.loads(done.stdout).get("hookSpecificOutput", {})
        return answer

    def environment(self) -> dict[str, str]:
        """Settings of hardwon in this run; nothing of it outlives the run in the background."""
        return os.environ | {
            "HOME": str(self.folder / "home"),
            "HARDWON_HOME": str(self.memory),
            "HARDWON_PROJECT": f"trial/{self.project}",
            "HARDWON_HOOKS_LIMIT": "10s",  # a busy machine is no reason to be told nothing
            "HARDWON_HOOKS_CAPTURE_LIMIT": "10s",
            "HARDWON_HOOKS_DAEMON": "0",
            "HARDWON_HOOKS_WAKE": "0",
        }

    def do(self, command: str) -> int:
        """Run the agent's command, print what it would see, and return the exit code."""
        call = tool_call(command)
        before, denial = self.send("PreToolUse", **call)
        if denial is not None:
            self.log({"cmd": command, "denied": denial})
            print(f"Hook denied this call: {denial}")
            return 1
        code, out, err = self._execute(command)
        after = self.after(call, code, out=out, err=err)
        both = f"{out.rstrip()}\n{err}".strip()
        self.log({"cmd": command, "rc": code, "out": both, "before": before, "after": after})
        for text in (
            both,
            f"[exit code {code}]" if code else "",
            reminder(before),
            reminder(after),
        ):
            if text:
                print(text)
        return code

    def search(self, words: str) -> str:
        """What the agent of the arm `how` finds in past sessions."""
        found = search_past(self.memory, words)
        with (self.folder / "past.jsonl").open("a", encoding="utf-8") as file:
            file.write(json.dumps({"words": words, "found": found}) + "\n")
        return found

    def _execute(self, command: str) -> tuple[int, str, str]:
        script = (
            f"source {self.workspace}/.env.sh 2>/dev/null\ncd '{self._cwd()}'\n{command}\n"
            f"__code=$?\npwd > '{self.folder}/cwd'\nexit $__code\n"
        )
        environment = {
            "HOME": str(self.folder / "home"),
            "PATH": f"{self.folder}/bin:/usr/local/bin:/usr/bin:/bin",
            "LANG": "C.UTF-8",
            "TERM": "dumb",
            **{f"GIT_{who}_{k}": v for who in ("AUTHOR", "COMMITTER") for k, v in _PERSON.items()},
        }
        try:
            done = subprocess.run(
                ["bash", "-c", script],
                env=environment,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_SECONDS,
            )
        except subprocess.TimeoutExpired as late:
            return 124, _clip(late.stdout or b""), f"Command timed out after {_SECONDS} s"
        return done.returncode, _clip(done.stdout), _clip(done.stderr)

    def _cwd(self) -> Path:
        kept = self.folder / "cwd"
        cwd = Path(kept.read_text().strip()) if kept.exists() else self.workspace
        return cwd if cwd.is_relative_to(self.workspace) and cwd.is_dir() else self.workspace

    def after(self, call: Row, code: int, *, out: str, err: str) -> str:
        """What hooks say to a call that ended."""
        if code:
            error = f"Exit code {code}\n{out}\n{err}".strip()
            return self.send("PostToolUseFailure", **call, error=error, is_interrupt=False)[0]
        response = {"stdout": out, "stderr": err, "interrupted": False, "isImage": False}
        return self.send("PostToolUse", **call, tool_response=response)[0]

    def stop(self, *, learn: bool) -> None:
        """End the session; with `learn` the memory takes up what happened in it."""
        self.send("Stop", stop_hook_active=False, last_assistant_message="DONE")
        self.send("SessionEnd", reason="other")
        if learn and self.arm == "hooks":
            drain = [HARDWON, "work", "--drain"]
            subprocess.run(drain, env=self.environment(), check=True, capture_output=True)
        if learn and self.arm in ("how", "store"):
            kept = keep_session(self.memory, self.folder / "calls.jsonl", name=self.name)
            if self.arm == "store":
                Mem0(self.work, self.memory).add(kept)

    def end(self, *, learn: bool) -> Row:
        """Check the result and count.

        Calls that only read or write notes, or only search the past, are counted apart; what
        they show is told, not read, and an error quoted in it is not met.
        """
        self.stop(learn=learn or self.is_training)
        checker = find_project(self.project) / "check" / f"{self.task}.sh"
        check = subprocess.run(
            ["bash", str(checker), str(self.workspace)], capture_output=True, text=True
        )
        told, found = read_rows(self.folder / "calls.jsonl")[0]["told"], self._found()
        calls = [call for call in self.calls if not self._is_apart(call)]
        shown = {line for text in (*told, *found) for line in text.splitlines()}
        outputs = [self._without_memory(call, shown) for call in calls]
        hints = [call.get(when, "") for call in calls for when in ("before", "after", "denied")]
        quirks = {
            quirk["id"]: count
            for quirk in read_quirks(self.project, is_changed=self.is_changed)
            if (count := sum(is_met(quirk, output) for output in outputs))
        }
        return {
            "run": self.name,
            "project": f"{self.project}, changed" if self.is_changed else self.project,
            "task": self.task,
            "arm": (self.label or self.arm) + (", training" if self.is_training else ""),
            "calls": len(calls),
            "apart": len(self.calls) - len(calls),
            "failed": sum(bool(call.get("rc")) for call in calls),
            "quirks": quirks,
            "read": sum(map(len, outputs)),
            "told": sum(map(len, [*told, *hints, *found])),
            "done": check.returncode == 0,
            "why": (check.stdout + check.stderr).strip()[-200:],
        }

    def _is_apart(self, call: Row) -> bool:
        return self.arm in ("notes", "how") and is_about_memory(call["cmd"])

    def _without_memory(self, call: Row, shown: set[str]) -> str:
        """The output; where a call also asked a memory, without the lines that this showed."""
        output: str = call.get("out", "")
        if self.arm not in ("notes", "how") or not names_memory(call["cmd"]):
            return output
        return "\n".join(line for line in output.splitlines() if line not in shown)

    def _found(self) -> list[str]:
        past = self.folder / "past.jsonl"
        return [row["found"] for row in read_rows(past)] if past.exists() else []


def tool_call(command: str) -> Row:
    """A call of a shell, as Claude Code names it to its hooks."""
    return {
        "tool_name": "Bash",
        "tool_input": {"command": command.strip()},
        "tool_use_id": f"toolu_{uuid.uuid4().hex[:20]}",
    }


def reminder(text: str) -> str:
    """How Claude Code shows the context of a hook."""
    return f"<system-reminder>\n{text}\n</system-reminder>\n" if text else ""


def find_project(name: str) -> Path:
    """The folder of a project, here or in $TRIAL_PROJECTS."""
    folders = [folder / name for folder in PROJECTS if (folder / name).is_dir()]
    if not folders:
        raise SystemExit(f"trial: no project {name!r}")
    return folders[0]


def read_quirks(project: str, *, is_changed: bool = False) -> list[Row]:
    """The quirks of a project: the error by which each is met, and the words of its cure."""
    folder = find_project(project)
    rows: list[Row] = json.loads((folder / "QUIRKS.json").read_text())
    if not is_changed:
        return rows
    changed = {row["id"]: row for row in json.loads((folder / "CHANGED.json").read_text())}
    return [changed.pop(row["id"], row) for row in rows] + list(changed.values())


def is_met(quirk: Row, output: str) -> bool:
    """Whether the error of a quirk stands in an output."""
    return re.search(quirk["error_text"], output, re.M | re.S) is not None


def _clip(raw: bytes) -> str:
    text = raw.decode("utf-8", "replace")
    return text if len(text) <= _CLIP else f"{text[: _CLIP // 2]}\n[...]\n{text[-_CLIP // 2 :]}"
