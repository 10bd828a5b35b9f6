"""Mining on real runs: what share of failures gets a fix, and how often the fix is right.

Runs in the neutral format are read from $HARDWON_RUNS, or from `shared/data` beside the repository.
"""

from __future__ import annotations

import gzip
import json
import os
import re
import resource
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

from hardwon.failures.signature import signature
from hardwon.learn.transcripts.agents import read
from hardwon.learn.transcripts.agents.neutral import Parser
from hardwon.learn.transcripts.lines import open_transcript
from hardwon.learn.transcripts.location import SessionPlace
from hardwon.learn.transcripts.rules import apply_rules
from hardwon.learn.transcripts.rules.failures import Failed, Failures
from hardwon.learn.transcripts.transcript import Reading

SAMPLE = 50
JUDGED = Path(__file__).parent / "data" / "mining-judged.json"
_DEFAULT = Path(__file__).parents[2] / "shared" / "data" / "agent-runs-dev.jsonl.gz"
_HEREDOC = re.compile(r"<<-?\s*(['\"]?)(\w+)\1.*?\n\2\b", re.DOTALL)
_SAME_GOAL = 0.5


class Mined(NamedTuple):
    """A failing step of a run, and what was made of it."""

    run: dict[str, Any]
    failed: Failed

    @property
    def key(self) -> str:
        """Names the pair of steps, without their words."""
        return f"{self.run['run']}:{self.failed.act.line}:{self.failed.fixed_at}"


def main() -> None:
    """Print the figures of the issue."""
    path = Path(os.environ.get("HARDWON_RUNS") or _DEFAULT)
    if not path.is_file():
        print(f"no runs at {path}; set HARDWON_RUNS to a file in the neutral format")
        return
    quality(path)
    speed()


def quality(path: Path) -> None:
    """Shares and precision on the runs in a file."""
    began = time.process_time()
    runs = list(rows(path))
    found = [Mined(run, failed) for run in runs for failed in judged(run)]
    insights = sum(len(findings(run).insights) for run in runs)
    seconds = time.process_time() - began
    failing = [step for run in runs for step in run["steps"] if step["returncode"]]
    named = sum(bool(signature("bash", step["output"]).digest) for step in failing)
    solved = [one for one in found if is_solved(one)]
    fixed = [one for one in found if one.failed.fix]
    both = [one for one in solved if one.failed.fix]
    print(f"runs {len(runs)}, failing steps {len(failing)}, of them mistakes {len(found)}")
    print(f"with a signature           {named / len(failing):.1%}")
    print(f"solved later in the run    {len(solved)}")
    print(f"of these with a mined fix  {len(both) / len(solved):.1%}")
    print(f"fixes mined                {len(fixed)}, insights per run {insights / len(runs):.2f}")
    print(f"seconds per MB             {seconds / 2 / (size(path) / 1e6):.4f}")
    precision(fixed)


def precision(fixed: list[Mined]) -> None:
    """How many of the sample's fixes were judged right, by hand."""
    verdicts = json.loads(JUDGED.read_text(encoding="utf-8")) if JUDGED.is_file() else {}
    chosen = sample(fixed)
    right = [one for one in chosen if verdicts.get(one.key, {}).get("right") is True]
    wrong = [one for one in chosen if verdicts.get(one.key, {}).get("right") is False]
    open_ = len(chosen) - len(right) - len(wrong)
    if right or wrong:
        share = len(right) / (len(right) + len(wrong))
        print(f"precision of the sample    {share:.2f} ({len(right)} right, {len(wrong)} wrong)")
    if open_:
        print(f"not judged yet             {open_}")


def sample(fixed: list[Mined]) -> list[Mined]:
    """Fifty fixes chosen by a hash: the same ones every time, whatever order they come in."""
    return sorted(fixed, key=lambda one: blake2b(one.key.encode()).digest())[:SAMPLE]


def rows(path: Path) -> Iterator[dict[str, Any]]:
    """The runs in a file."""
    with open_transcript(str(path)) as file:
        for line in file:
            yield json.loads(line)


def size(path: Path) -> int:
    """Bytes of the file, unpacked."""
    if path.suffix != ".gz":
        return path.stat().st_size
    with gzip.open(path, "rb") as file:
        return file.seek(0, os.SEEK_END)


def findings(run: dict[str, Any]) -> Any:
    """What the rules find in a run."""
    return apply_rules(Reading(Parser(), [(1, run)], Counter()).moments())


def judged(run: dict[str, Any]) -> list[Failed]:
    """Every failing step of a run with its fix, if one was found."""
    rule, all_ = Failures(), list[Failed]()
    rule.judged = all_
    for moment in Reading(Parser(), [(1, run)], Counter()).moments():
        rule.see(moment)
    return list({one.act.line: one for one in all_}.values())


def is_solved(one: Mined) -> bool:
    """Whether a later command with at least half of the same words worked.

    Judged by words alone, so that it does not depend on how fixes are found.
    """
    steps, at = one.run["steps"], one.failed.act.line
    own = words(steps[at - 1]["command"])
    later = (step for step in steps[at:] if step["returncode"] == 0)
    return any(alike(own, words(step["command"])) >= _SAME_GOAL for step in later)


def words(command: str) -> frozenset[str]:
    """The words of a command, without the files it writes in passing."""
    return frozenset(re.findall(r"[^\s;|&<>()'\"]+", _HEREDOC.sub(" ", command)))


def alike(a: frozenset[str], b: frozenset[str]) -> float:
    """Common words against all words."""
    return len(a & b) / len(a | b) if a | b else 1.0


def speed(megabytes: int = 200) -> None:
    """The reader's rate beside a bare JSON loop over the same lines, and its memory."""
    from msgspec.json import Decoder

    with tempfile.NamedTemporaryFile("w", suffix=".jsonl", encoding="utf-8") as file:
        file.writelines(line + "\n" for line in transcript(megabytes))
        file.flush()
        amount = os.path.getsize(file.name) / 1e6
        bare = _rate(amount, lambda: _bare(file.name, Decoder().decode))
        ours = _rate(amount, lambda: _moments(file.name))
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"bare JSON loop             {bare:.0f} MB/s")
    print(f"reader                     {ours:.0f} MB/s ({ours / bare:.0%})")
    print(f"memory of this process     {memory:.0f} MB")


def _rate(amount: float, run: Any) -> float:
    began = time.process_time()
    run()
    return amount / (time.process_time() - began)


def _bare(path: str, decode: Any) -> None:
    with open(path, "rb", buffering=1 << 20) as file:
        for line in file:
            decode(line)


def _moments(path: str) -> int:
    return sum(1 for _ in read(SessionPlace("claude", "bench", path)).moments())


def transcript(megabytes: int) -> Iterator[str]:
    """The lines of a long session as Claude Code writes them, of common sizes."""
    listing = "".join(f"src/pkg/mod_{n}.py:{n}: def handler_{n}(request):\n" for n in range(60))
    error = 'Traceback (most recent call last):\n  File "a.py", line 3\nValueError: bad\n' * 3
    written = number = 0
    while written < megabytes * 1_000_000:
        number += 1
        failed = number % 9 == 0
        for line in (
            _line("assistant", [_use(number, {"command": f"python check_{number}.py"})]),
            _line("user", [_result(number, error if failed else listing, failed)]),
            _line("assistant", [{"type": "text", "text": f"Look at handler {number}. " * 9}]),
        ):
            written += len(line) + 1
            yield line


def _line(kind: str, content: list[dict[str, Any]]) -> str:
    common = {"cwd": "/home/me/shop", "sessionId": "s", "timestamp": "2026-11-15T10:00:00Z"}
    return json.dumps({"type": kind, "message": {"role": kind, "content": content}, **common})


def _use(number: int, args: dict[str, str]) -> dict[str, Any]:
    return {"type": "tool_use", "id": f"toolu_{number}", "name": "Bash", "input": args}


def _result(number: int, output: str, failed: bool) -> dict[str, Any]:
    return {
        "type": "tool_result",
        "tool_use_id": f"toolu_{number}",
        "is_error": failed,
        "content": output,
    }
