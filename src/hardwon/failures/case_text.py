"""One failure as a text for a model: the call, its output, and what worked afterwards."""

from __future__ import annotations

from hardwon._cold import json
from hardwon.failures.signature import fold
from hardwon.text.clean import clip, clip_middle, one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from hardwon.values.step import Step

CASE_LIMIT = 1800
_CALL, _OUTPUT, _BETWEEN = 500, 400, 160
_FOLLOWING = 6  # steps after the failure that may show the way out


def case_text(steps: Sequence[Step], at: int) -> str:
    """The failing step `at` and the steps that followed it, as a text of limited length."""
    following = steps[at + 1 : at + 1 + _FOLLOWING]
    rows = [_failing(steps[at]), *(_next(step) for step in following)]
    return clip("\n".join(rows), CASE_LIMIT)


def _failing(step: Step) -> str:
    return f"FAILED: {clip_middle(_call(step), _CALL)}\n  it said: {_excerpt(step)}"


def _next(step: Step) -> str:
    if step.failed:
        error = clip(_line(step), _BETWEEN)
        return f"then FAILED: {clip(one_line(_call(step)), _BETWEEN)} → {error}"
    return f"then ok: {clip_middle(_call(step), _CALL)}"


def _excerpt(step: Step) -> str:
    """An excerpt of a failing call's output that always holds its error line."""
    line = _line(step)
    if _fields(step) is not None:
        return clip_middle(line, _OUTPUT)
    excerpt = clip_middle(step.output.strip()[-2 * _OUTPUT :], _OUTPUT)
    return excerpt if line in excerpt else f"{clip_middle(line, _OUTPUT)}\n… {excerpt}"


def _line(step: Step) -> str:
    """The error line; values are folded if the call has named arguments."""
    line = step.failure.line if step.failure else one_line(step.output)
    return line if _fields(step) is None else fold(line)


def _call(step: Step) -> str:
    """The call as typed; of named arguments only the names, not the values."""
    fields = _fields(step)
    if fields is None:
        return step.args
    return f"{step.tool}({', '.join(f'{name}={_masked(name, fields[name])}' for name in fields)})"


def _fields(step: Step) -> dict[str, Any] | None:
    if not step.args.startswith("{"):
        return None
    try:
        fields = json.loads(step.args)
    except ValueError:
        return None
    return fields if isinstance(fields, dict) else None


def _masked(name: str, value: Any) -> str:
    """A value without anything personal: texts and numbers become `<field name>`."""
    if isinstance(value, bool) or value is None:
        return json.dumps(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {_masked(key, value[key])}" for key in value) + "}"
    if isinstance(value, list):
        return f"[{len(value)} × {_masked(name, value[0])}]" if value else "[]"
    return f"<{name}>"
