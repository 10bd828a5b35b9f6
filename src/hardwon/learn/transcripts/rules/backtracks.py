"""Backtracks: an edit that is later undone by its reverse."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from hardwon.learn.transcripts.insight import PATTERN, Insight, by_count, evidence, safe_line
from hardwon.learn.transcripts.transcript import FinishedCall, Moment

_PATHS = ("file_path", "path", "filePath", "filename")
_PAIRS = (("old_string", "new_string"), ("oldString", "newString"), ("old_str", "new_str"))
_KEPT = 5_000  # edits remembered


class Backtracks:
    """Remembers edits by what they replaced."""

    def __init__(self) -> None:
        self._edits: dict[tuple[str, int, int], int] = {}
        self._swings: dict[str, list[tuple[int, str]]] = defaultdict(list)

    def see(self, moment: Moment) -> None:
        edit = (
            _edit(moment.args)
            if isinstance(moment, FinishedCall) and not moment.step.failed
            else None
        )
        if edit is None:
            return
        path, old, new = edit
        before, after = hash(old), hash(new)
        if (path, after, before) in self._edits:
            first = self._edits.pop((path, after, before))
            self._swings[path] += [(first, new), (moment.line, old)]
        if len(self._edits) < _KEPT:
            self._edits[path, before, after] = moment.line

    def insights(self) -> list[Insight]:
        return [_insight(path, swings) for path, swings in self._swings.items()]


def _edit(args: Any) -> tuple[str, str, str] | None:
    if not isinstance(args, dict):
        return None
    path = next((args[key] for key in _PATHS if isinstance(args.get(key), str)), None)
    for old, new in _PAIRS:
        if path and isinstance(args.get(old), str) and isinstance(args.get(new), str):
            return path, args[old], args[new]
    return None


def _insight(path: str, swings: list[tuple[int, str]]) -> Insight:
    name = path.rsplit("/", 1)[-1]
    first_line = safe_line(swings[-1][1].strip().split("\n")[0], 80)
    return Insight(
        title=f"{name} was edited back and forth",
        category="Workflow",
        kind=PATTERN,
        confidence=by_count(len(swings)),
        text=f"Decide before editing `{name}`: “{first_line}” was put in and taken out again.",
        evidence=tuple(evidence(line, text) for line, text in swings[:10]),
        mistake=f"`{path}` was edited back and forth {len(swings)} times.",
        subject=path,
    )
