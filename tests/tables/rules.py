"""The table of `docs/reference/lessons-by-rules.md`: real failures and the lessons made of them.

python -m tests.tables.rules agent-runs.jsonl.gz > docs/reference/lessons-by-rules.md

The file holds one run a line: `{"run", "repo", "task", "steps": [{"command", "output",
"returncode"}]}`. The failures are every n-th of the file, not chosen.
"""

from __future__ import annotations

import gzip
import json
import sys
from collections.abc import Iterator

from hardwon.failures.diagnosis import diagnose
from hardwon.failures.fixes import fix_shown
from hardwon.failures.mistakes import is_mistake
from hardwon.models.rules import answer
from hardwon.text.clean import clip, one_line
from hardwon.text.protocol import Blocks, parse
from hardwon.text.redact import redact
from hardwon.values.episode import Episode
from hardwon.values.scope import Scope
from hardwon.values.step import Step

ROWS = 20
INTRODUCTION = """\
# Twenty real failures, and what the rules made of them

A coding agent worked on public repositories (SWE-bench Verified), and {all} of its commands
failed by a mistake. The rules recognised the kind of error in {known} of them. In {fixed} the same
run also showed a fix. This page shows every {step}th failure; none was picked by hand.
No model was asked.

Made by `python -m tests.tables.rules agent-runs.jsonl.gz`.
"""


def failures(path: str) -> Iterator[tuple[str, Episode]]:
    """Each failing step that is a mistake, as the episode around it."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            run = json.loads(line)
            steps = [
                Step("bash", one["command"], one["output"], failed=bool(one["returncode"]))
                for one in run["steps"]
            ]
            for at, step in enumerate(steps):
                if step.failed and is_mistake(step, steps[:at]):
                    yield run["run"], _around(steps, at, run["task"])


def _around(steps: list[Step], at: int, task: str) -> Episode:
    """The failing step and what followed; later failures are not what this one is about."""
    later = [step for step in steps[at + 1 :] if not step.failed]
    return Episode(Scope(), task, error="", steps=(steps[at], *later))


def main(path: str) -> None:
    """Print the page."""
    found = list(failures(path))
    fixed = sum(fix_shown(episode.steps, 0) is not None for _, episode in found)
    known = sum(bool(diagnose(episode.steps[0].output).family) for _, episode in found)
    print(INTRODUCTION.format(all=len(found), known=known, fixed=fixed, step=len(found) // ROWS))
    for number, (run, episode) in enumerate(found[:: len(found) // ROWS][:ROWS], 1):
        _row(number, run, episode)


def _row(number: int, run: str, episode: Episode) -> None:
    failed = episode.steps[0]
    made = parse(answer(episode))
    print(f"## {number}. {run}\n")
    print(f"- **Command** `{_code(failed.args)}`")
    print(f"- **Error** `{_code(diagnose(failed.output).line or '(nothing)')}`")
    if made is None:
        print("- **Lesson** none: nothing to learn\n")
        return
    _lesson(made)


def _lesson(made: Blocks) -> None:
    print(f"- **Mistake** {made.mistake}")
    print(f"- **Correction** {made.correction}")
    print(f"- **Tags** {', '.join(made.tags)}; **confidence** {made.confidence}\n")


def _code(text: str) -> str:
    return clip(one_line(redact(text)), 160).replace("`", "'")


if __name__ == "__main__":
    main(sys.argv[1])
