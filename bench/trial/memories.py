"""What the arms other than `hooks` keep from run to run: notes, past sessions, a store of mem0."""

from __future__ import annotations

import fcntl
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

Row = dict[str, Any]

ROOT = Path(__file__).parents[2]
NOTES = "NOTES.md"
PAST = "past"  # the program by which agents of the arm `how` search
_LIMIT = 4800  # characters, about 1,200 tokens, that one search shows
_LONGEST = 800  # characters of a call, and of its output, in what is shown
_PACKAGES = ("mem0ai", "langchain", "numpy")  # mem0 takes an embedder of one's own by LangChain

_HEREDOC = re.compile(r"<<-?\s*['\"]?(\w+)['\"]?([^\n]*)\n(.*?)\n\s*\1(?=\n|$)", re.S)
_QUOTED = re.compile(r"'[^']*'|\"(?:\\.|[^\"\\])*\"", re.S)
_NAMED = re.compile(rf"\bNOTES\b|^\s*{PAST}\b")
_SILENT = re.compile(r"\s*(#|(echo|printf|true|cd|EOF)\b|$)")


def read_rows(path: Path) -> list[Row]:
    """The rows of a file of JSON lines."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def is_about_memory(command: str) -> bool:
    """Whether all that a call does is to read or write the notes, or to search the past.

    In doubt it is not: then it counts as a call of the work.
    """
    parts = _split(command)
    return names_memory(command) and all(_NAMED.search(x) or _SILENT.match(x) for x in parts)


def names_memory(command: str) -> bool:
    """Whether a part of a call reads or writes the notes, or searches the past."""
    return any(_NAMED.search(part) for part in _split(command))


def _split(command: str) -> list[str]:
    """The commands of a call, each with a sign where it names the notes in quotes."""
    text = _HEREDOC.sub(lambda found: found[2] + _name_in(found[3]), command)
    text = _QUOTED.sub(lambda found: _name_in(found[0]) or "_", text)
    return re.split(r"\n|;|&&|\|\|", text)


def _name_in(text: str) -> str:
    return " NOTES " if "NOTES" in text else ""


def keep_session(memory: Path, calls: Path, *, name: str) -> Path:
    """Put the record of a run beside those of earlier ones."""
    kept = memory / "sessions" / f"{name}.jsonl"
    kept.parent.mkdir(exist_ok=True)
    shutil.copy(calls, kept)
    return kept


def search_past(memory: Path, words: str) -> str:
    """The calls of past sessions that are nearest by words (BM25), and what ran after a failure."""
    calls = [call for path in sorted(memory.glob("sessions/*.jsonl")) for call in _calls(path)]
    asked = re.findall(r"\w+", words.lower())
    passages: list[str] = []
    size = 0
    for at in _rank(calls, asked):
        passage = _passage(calls[at], asked)
        size += len(passage)
        if passages and size > _LIMIT:
            break
        passages.append(passage)
    return "\n\n".join(passages) or "nothing found"


def _calls(path: Path) -> Iterator[Row]:
    rows = [row for row in read_rows(path)[1:] if "rc" in row and not is_about_memory(row["cmd"])]
    for row, then in zip(rows, [*rows[1:], None], strict=True):
        yield row | {"session": path.stem, "then": then}


def _rank(calls: list[Row], asked: list[str]) -> Iterable[int]:
    if not asked:
        return []
    base = sqlite3.connect(":memory:")
    base.execute("CREATE VIRTUAL TABLE calls USING fts5(text, tokenize='porter unicode61')")
    texts = ((at, f"{call['cmd']}\n{call['out']}") for at, call in enumerate(calls))
    base.executemany("INSERT INTO calls (rowid, text) VALUES (?, ?)", texts)
    found = base.execute(
        "SELECT rowid FROM calls WHERE calls MATCH ? ORDER BY rank LIMIT 12",
        [" OR ".join(f'"{word}"' for word in asked)],
    )
    return [at for (at,) in found]


def _passage(call: Row, asked: list[str]) -> str:
    lines = call["out"].splitlines()
    near = {
        at + offset
        for at, line in enumerate(lines)
        if any(word in line.lower() for word in asked)
        for offset in (-1, 0, 1)
    }
    output = "\n".join(line for at, line in enumerate(lines) if at in near)
    shown = [
        f"[{call['session']}]",
        f"$ {clip(call['cmd'])}",
        clip(output),
        f"(exit code {call['rc']})" if call["rc"] else "",
    ]
    if call["rc"] and call["then"]:
        code = call["then"]["rc"]
        shown.append(
            f"ran next{f' (exit code {code})' if code else ''}: $ {clip(call['then']['cmd'])}"
        )
    return "\n".join(filter(None, shown))


def clip(text: str) -> str:
    """The beginning and the end of a text that is too long to be shown."""
    text, half = text.strip(), _LONGEST // 2
    return text if len(text) <= _LONGEST else f"{text[:half]}\n[...]\n{text[-half:]}"


class Mem0:
    """mem0 without a model: each call with its result is a memory; it is searched by meaning.

    It lives in an environment of its own beside the runs, with vectors of all-MiniLM-L6-v2.
    """

    def __init__(self, work: Path, memory: Path) -> None:
        self._python = work / "mem0" / "bin" / "python"
        self._memory = memory
        with locked(work / "mem0.lock"):
            if not (work / "mem0" / "ready").exists():
                self._install(work / "mem0")

    def _install(self, folder: Path) -> None:
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(folder)], check=True)
        pip = [str(self._python), "-m", "pip", "install", "--quiet", *_PACKAGES]
        subprocess.run(pip, check=True, stdout=sys.stderr)
        (folder / "ready").touch()

    def add(self, session: Path) -> None:
        """Store the calls of a session."""
        rows = (row for row in read_rows(session)[1:] if "rc" in row)
        self._ask(
            "add",
            [f"$ {row['cmd'].strip()}\n{row['out']}\n(exit code {row['rc']})" for row in rows],
        )

    def search(self, task: str) -> str:
        """The memories nearest to a task, as many as fit."""
        shown, size = [], 0
        for text in map(clip, self._ask("search", [task])):
            size += len(text)
            if size > _LIMIT:
                break
            shown.append(text)
        return "\n\n".join(["Memories of earlier sessions that may help:", *shown] if shown else [])

    def _ask(self, verb: str, texts: list[str]) -> list[str]:
        paths = [str(ROOT / "src"), str(ROOT / "packages/minilm/src")]
        done = subprocess.run(
            [str(self._python), str(Path(__file__).with_name("mem0_store.py")), verb],
            input=json.dumps(texts),
            env=os.environ | {"PYTHONPATH": os.pathsep.join(paths), "MEM0_DIR": str(self._memory)},
            text=True,
            capture_output=True,
        )
        if done.returncode:
            raise SystemExit(f"trial: mem0 failed:\n{done.stderr[-2000:]}")
        found: list[str] = json.loads(done.stdout)
        return found


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold a file, so that two processes do not do the same."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
