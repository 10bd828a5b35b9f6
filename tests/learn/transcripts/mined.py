"""Sessions to mine."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import hardwon
from hardwon.learn.transcripts.mining import Mining, OpenQuestions
from tests.learn.transcripts.transcripts import SESSION, Claude


class Desk:
    """A home with one project, its memory, and a hardwon."""

    def __init__(self, base: Path, model: Any = None) -> None:
        self.home = Path(os.environ["HOME"])
        self.project = base / "shop"
        self.project.mkdir()
        self.hw = hardwon.open(base / "hw", model=model)
        self.agent = self.hw.agent("coder")

    def talk(self) -> Claude:
        return Claude(cwd=str(self.project))

    @property
    def memory(self) -> Path:
        folder = "".join(c if c.isalnum() and c.isascii() else "-" for c in str(self.project))
        return self.home / ".claude" / "projects" / folder / "memory" / "MEMORY.md"

    @property
    def insights(self) -> Path:
        return self.project / ".claude" / ".insights"

    def mine(self, name: str = SESSION, **answers: Any) -> Mining:
        sessions = self.agent.sessions
        return sessions.mine(sessions.choose(name), **answers)

    def files(self) -> dict[str, bytes]:
        roots = (self.home / ".claude", self.project)
        found = [path for root in roots for path in root.rglob("*") if path.is_file()]
        return {str(path): path.read_bytes() for path in found}

    def lessons(self) -> list[str]:
        own = self.hw.agent("coder", project=str(self.project))
        return [lesson.correction for lesson in own.lessons.list()]


def typical(desk: Desk) -> Claude:
    talk = desk.talk().says("Add a nightly report")
    talk.run("mkdir out/nightly", "mkdir: cannot create directory 'out/nightly'", failed=True)
    talk.run("mkdir -p out/nightly").agent("The folder is there.")
    return talk.says("No, don't use npm here, use pnpm instead.")


def failing(desk: Desk, fix: str) -> Claude:
    """A session in which the same call fails, and `fix` works."""
    talk = desk.talk().says("Add a nightly report")
    talk.run("mkdir out/nightly", "mkdir: cannot create directory 'out/nightly'", failed=True)
    return talk.run(fix).agent("The folder is there.")


def two_fixes(desk: Desk) -> OpenQuestions:
    """The first fix is in the insights; the second session waits for answers."""
    failing(desk, "mkdir -p out/nightly").write(desk.home)
    desk.mine()
    failing(desk, "mkdir -m 700 out/nightly").write(desk.home, session="second")
    return desk.agent.sessions.ask(desk.agent.sessions.choose("second"))
