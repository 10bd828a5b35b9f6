"""The commands that show the promises of the five seeds, run as the page has them."""

from __future__ import annotations

import ast
import json
import os
import re
import shlex
import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import hardwon
from hardwon.surfaces.cli import run
from hardwon.surfaces.slash_commands import handle
from tests.journeys.test_seed_examples import REFACTORING
from tests.learn.transcripts.transcripts import Claude

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "seeds.md"
SEEDS = dict(re.findall(r"^## Seed (\d+)(.+?)(?=^## |\Z)", PAGE.read_text(), re.M | re.S))
TESTS = """
import unittest

from stats import mean


class TestMean(unittest.TestCase):
    def test_mean(self):
        self.assertEqual(mean([1, 3]), 2)
"""
STEP = {"tool": "Bash", "args": {"command": "ls"}, "output": "a.txt", "thought": "I list first."}
REFLECTION = {"iteration": 1, "content": "The reader needs newline='' for CSV.", "type": "x"}
FACTS = [
    {"content": "LESSON: a\nMISTAKE: b\nCORRECTION: c\nTRIGGER: error", "category": "lesson"},
    {"content": 5, "category": "lesson"},
]


class Place:
    """A home, a project and a model, in which the commands of one seed are run in order."""

    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.home, self.project, self.user = root / "home", root / "project", root / "user"
        self.project.mkdir()
        self.user.mkdir()
        for name, value in (("HARDWON_HOME", self.home), ("HOME", self.user)):
            monkeypatch.setenv(name, str(value))
        monkeypatch.setenv("HARDWON_SCOPE_AGENT", "coder")
        monkeypatch.setenv("HARDWON_SCOPE_PROJECT", "")
        monkeypatch.chdir(self.project)
        self._monkeypatch = monkeypatch
        self._names: dict[str, Any] = {
            "hardwon": hardwon,
            "handle": handle,
            "home": self.home,
            "project": self.project,
            "user": self.user,
            "model": [],
            "asked": [],
            "actor": lambda prompt: "42" if "want 42" in prompt else "41",
            "evaluate": lambda answer: answer == "42" or "want 42",
            "orchestrator": SimpleNamespace(reflection_engine=None),
        }
        self._furnish()

    def _furnish(self) -> None:
        subprocess.run(["git", "init", "-q"], check=True)
        (self.project / "test_stats.py").write_text(TESTS)
        (self.project / "steps.jsonl").write_text(json.dumps(STEP))
        (self.project / "memory_index.json").write_text(json.dumps(FACTS))
        (self.project / "reflections").mkdir()
        (self.project / "reflections" / "reflection-1.json").write_text(json.dumps(REFLECTION))
        talk = Claude(cwd=str(self.project)).says("Start the database and run the tests")
        talk.run("docker compose up -d db", "Error: network infra_default not found", failed=True)
        talk.run("docker network create infra_default").run("docker compose up -d db")
        talk.run("npm test", "npm ERR! missing script: test", failed=True).agent("Odd.")
        talk.says("No, never use npm install here, use npm ci because the lock file must stay")
        talk.run("npm ci").agent("Done.").write(self.user)

    def show(self, command: str, capsys: pytest.CaptureFixture[str]) -> str:
        """What a command prints, or what the last expression of a Python line is."""
        *settings, rest = re.split(r"(?<=\S) (?=[A-Z_]+=|hardwon )", command)
        if not rest.startswith("hardwon "):
            return self._python(command)
        with self._monkeypatch.context() as patched:
            for setting in settings:
                patched.setenv(*setting.split("=", 1))
            capsys.readouterr()
            run(shlex.split(rest)[1:])
            return "".join(capsys.readouterr())

    def _python(self, line: str) -> str:
        self._names["asked"].clear()
        *first, last = ast.parse(line).body
        needs_model = re.search(r"\b(?:model|asked|hyde)\b", line)
        with hardwon.open(self.home, model=self._answer if needs_model else None) as hw:
            self._names |= {"hw": hw, "coder": hw.agent("coder")}
            for statement in first:
                exec(ast.unparse(statement), self._names)
            return str(eval(ast.unparse(last), self._names))

    def _answer(self, request: Any) -> str:
        self._names["asked"].append(request)
        answer = self._names["model"].pop(0) if self._names["model"] else REFACTORING
        if isinstance(answer, Exception):
            raise answer
        return str(answer)


@pytest.mark.parametrize("seed", sorted(SEEDS))
def test_every_command_of_the_page_shows_what_it_says(
    seed: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    place = Place(tmp_path, monkeypatch)
    rows = [row.split(" | ") for row in SEEDS[seed].splitlines() if "::" in row]
    silent = []
    for promise, _, cell, _ in rows:
        if cell != "–":
            command, part = (code.strip("`") for code in cell.split(" → "))
            shown = place.show(command, capsys)
            silent += [] if part in shown else [(promise, command, shown[-400:])]

    assert silent == []
    assert os.listdir(place.home)
