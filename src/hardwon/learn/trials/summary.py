"""A short summary of a loop for lists and analytics, written when the loop ends."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from hardwon.errors import HardwonError
from hardwon.learn.trials import files
from hardwon.learn.trials.codec import Misfit, from_json, to_json
from hardwon.learn.trials.state import LoopState, Options, Trial
from hardwon.values.scope import Scope

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from hardwon.learn.trials.files import LoopFolder


def write(folder: LoopFolder, state: LoopState) -> None:
    """Write the summary of an ended loop next to its journal."""
    fields = {**to_json(state), "scope": list(state.scope), "stamp": _stamp(folder)}
    text = json.dumps(fields, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    files.write(folder.at(files.SUMMARY), text.encode())


def read(folder: LoopFolder) -> LoopState:
    """The state of a loop: from its summary if that is up to date, else from the journal."""
    content = files.read(folder.at(files.SUMMARY))
    if content is not None:
        try:
            fields = json.loads(content)
            if fields["stamp"] == _stamp(folder):
                return _state(fields)
        except (ValueError, KeyError, TypeError, RecursionError):
            pass  # the journal has everything
    return folder.state()


def _state(fields: dict[str, object]) -> LoopState:
    scope = fields["scope"]
    trials = fields.get("trials", [])
    if not isinstance(scope, list) or not isinstance(trials, list):
        raise Misfit("summary")
    return LoopState(
        loop_id=str(fields["loop_id"]),
        scope=Scope(*scope),
        options=from_json(Options, fields["options"]),
        created_at=str(fields["created_at"]),
        tree=str(fields.get("tree", "")),
        status=fields["status"],  # type: ignore[arg-type]
        reason=str(fields["reason"]),
        ended_at=str(fields["ended_at"]),
        trials=tuple(from_json(Trial, trial) for trial in trials),
        kind=str(fields.get("kind", "")),
    )


def every(
    root: str, scope: Scope, *, watch: Callable[[], None] = lambda: None
) -> Iterator[LoopState]:
    """The loops visible from a scope, in no order; unreadable ones are skipped."""
    for loop_id in files.loop_ids(root):
        watch()
        try:
            state = read(files.LoopFolder(root, loop_id))
        except (HardwonError, OSError):
            continue
        if is_visible(state, scope):
            yield state


def is_visible(state: LoopState, scope: Scope) -> bool:
    """Whether a loop is visible: a scope without a project sees all loops of its agent."""
    is_same_agent = (state.scope.tenant, state.scope.agent) == (scope.tenant, scope.agent)
    return is_same_agent and scope.project in (None, state.scope.project)


def _stamp(folder: LoopFolder) -> list[int]:
    """The journal's size; it differs once the journal has grown."""
    return list(files.stamp(folder.at(files.JOURNAL))[1:2])
