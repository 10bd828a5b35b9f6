"""A dream as a report for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hardwon.core.errors import NotFound
from hardwon.core.text.clean import clip, one_line, plural
from hardwon.core.values.dream import DreamState

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from hardwon.core.values.dream import Dream, Edit
    from hardwon.engine.runtime import Runtime
    from hardwon.learn.maintenance.consolidation import Consolidation

_LISTED = 25
_TITLES = {
    "merged": "Merged",
    "promoted": "Promoted to all projects",
    "reworded": "Reworded",
    "disputed": "Contradictions",
    "retired": "Retired",
}


def report(row: Dream, work: Consolidation, applied: Sequence[Edit]) -> str:
    """What the dream found and did, in sections; empty ones are left out."""
    parts = [
        [_head(row, work)],
        *(_section(title, kind, applied, work.engine) for kind, title in _TITLES.items()),
        _list("Nearly the same; keep both or delete one", [f"#{a} ↔ #{b}" for a, b in work.near]),
        _list("Failure patterns", [f"{p.kind} ×{p.times}  {p.text}" for p in work.patterns]),
        _list("Proposed improvements", work.improvements),
        _list("Troubles", work.troubles),
        [f"Reflection: {row.reflection}"] if row.reflection else [],
    ]
    return "\n\n".join("\n".join(part) for part in parts if part)


def _head(row: Dream, work: Consolidation) -> str:
    kind = "Dry run (nothing was changed)" if work.dry_run else f"Dream {row.id[:8]}"
    ending = ", woken before its end" if row.state == DreamState.WOKEN else ""
    return (
        f"{kind} of {row.scope.tenant}/{row.scope.agent},"
        f" {row.started_at:%Y-%m-%d %H:%M} UTC, {row.duration_seconds:.1f} s{ending}\n"
        f"Looked at {work.describe_past()}, {plural(len(work.projects), 'project')}."
    )


def _section(title: str, kind: str, applied: Iterable[Edit], engine: Runtime) -> list[str]:
    edits = [edit for edit in applied if edit.kind == kind]
    lines = [_edit_line(edit, engine) for edit in edits[:_LISTED]]
    return _list(title, lines, total=len(edits))


def _list(title: str, lines: Sequence[str], *, total: int = 0) -> list[str]:
    if not lines:
        return []
    total = total or len(lines)
    remainder = [f"  … and {total - _LISTED} more"] if total > _LISTED else []
    return [
        f"{title} ({total})",
        *(f"  {one_line(line, 200)}" for line in lines[:_LISTED]),
        *remainder,
    ]


def _edit_line(edit: Edit, engine: Runtime) -> str:
    sign = " ↔ " if edit.tag else " + "
    numbers = sign.join(f"#{number}" for _, number in edit.lessons[:8])
    more = " + …" if len(edit.lessons) > 8 else ""
    try:
        words = clip(one_line(engine.store.lessons.get(*edit.lessons[0]).correction), 80)
    except NotFound:
        words = ""
    return f"{numbers}{more} ({edit.reason})  {words}"
