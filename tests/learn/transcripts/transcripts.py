"""Transcripts as the five agents write them, made for tests and benchmarks."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from hardwon.learn.transcripts.agents.logs import claude_folder

SESSION = "11111111-2222-4333-8444-555555555555"
TIME = "2026-11-15T10:00:00.000Z"

Act = tuple[str, Any, str, bool]  # tool, arguments, output, failed


class Claude:
    """Builds a Claude Code transcript line by line."""

    def __init__(
        self, cwd: str = "/home/me/shop", session: str = SESSION, at: datetime | None = None
    ) -> None:
        self.lines: list[str] = []
        self._common = {"sessionId": session, "cwd": cwd, "timestamp": TIME, "version": "2.1.325"}
        self._calls = 0
        self._session = session
        self.at = at  # each line is a second later

    def says(self, text: str) -> Claude:
        return self._line("user", role="user", content=text)

    def agent(self, text: str) -> Claude:
        return self._line("assistant", role="assistant", content=[{"type": "text", "text": text}])

    def act(self, tool: str, args: Any, output: str = "", failed: bool = False) -> Claude:
        self._calls += 1
        key = f"toolu_{self._session}_{self._calls}"
        use = {"type": "tool_use", "id": key, "name": tool, "input": args}
        self._line("assistant", role="assistant", content=[use])
        return self._line("user", role="user", content=[tool_result(key, output, failed)])

    def run(self, command: str, output: str = "", failed: bool = False) -> Claude:
        text = f"Exit code 1\n{output}" if failed else output
        return self.act("Bash", {"command": command}, text, failed)

    def raw(self, line: str) -> Claude:
        self.lines.append(line)
        return self

    def text(self) -> str:
        return "".join(line + "\n" for line in self.lines)

    def write(self, home: Path, *, session: str = "", older: bool = False) -> Path:
        session = session or self._session
        folder = home / ".claude" / "projects" / claude_folder(self._common["cwd"])
        path = (folder / "sessions" if older else folder) / f"{session}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(self.text(), encoding="utf-8")
        return path

    def _line(self, kind: str, **message: Any) -> Claude:
        if self.at:
            self.at += timedelta(seconds=1)
            self._common["timestamp"] = self.at.isoformat()
        return self.raw(json.dumps({"type": kind, "message": message, **self._common}))


def tool_result(key: str, output: str, failed: bool) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": key, "is_error": failed, "content": output}


def long_transcript(megabytes: int) -> Iterator[str]:
    """The lines of a long, believable Claude Code session."""
    output = "".join(f"src/pkg/mod_{n}.py:{n}: def handler_{n}(request):\n" for n in range(60))
    error = 'Traceback (most recent call last):\n  File "a.py", line 3\nValueError: bad {n}\n'
    size, n = 0, 0
    while size < megabytes * 1_000_000:
        n += 1
        part = Claude()
        part._calls = n * 3
        part.run(f"grep -rn handler_{n} src | head -50", output)
        part.run(f"python check_{n}.py", error * 3, failed=n % 9 == 0)
        part.agent(f"I will look at handler {n} because the test imports it. " * 4)
        if n % 7 == 0:
            part.act(
                "Edit",
                {
                    "file_path": f"/src/m{n}.py",
                    "old_string": output[:600],
                    "new_string": output[:700],
                },
            )
        for line in part.lines:
            size += len(line) + 1
            yield line


def write_lines(path: Path, lines: Iterable[str]) -> Path:
    with path.open("w", encoding="utf-8") as file:
        file.writelines(line + "\n" for line in lines)
    return path
