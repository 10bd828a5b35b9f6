"""Undo one integration; later changes by others stay."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hardwon.core.errors import NotFound
from hardwon.core.values.lesson import Evidence, Kind
from hardwon.core.values.scope import Scope
from hardwon.learn.transcripts.state import IntegrationReport
from hardwon.storage.stores.markdown import insights as notes
from hardwon.storage.stores.markdown import memory as memory_md
from hardwon.storage.stores.markdown import update

if TYPE_CHECKING:
    from hardwon.engine.runtime import Runtime
    from hardwon.learn.transcripts.state import MiningState


def undo(engine: Runtime, state: MiningState, identity: str) -> IntegrationReport:
    """Undo one integration; later changes by others stay."""
    record = state.load(identity)
    scope = Scope(*record["scope"])
    files = [
        path
        for path, before, after, root in reversed(record["changes"])
        if _restore_file(path, before, after, root, record)
    ]
    for number, is_new in record["lessons"]:
        _forget(engine, scope, number, is_new, record["session"])
    state.unnote(record["mined"])
    state.forget(identity)
    return IntegrationReport(
        identity, tuple(dict.fromkeys(files)), tuple(number for number, _ in record["lessons"])
    )


def _restore_file(
    path: str, before: str | None, after: str | None, root: str, record: dict[str, Any]
) -> bool:
    """Restore the file if it is unchanged since, else remove only what was added."""

    def change(text: str | None) -> str | None:
        if text == after or text is None:
            return before if text == after else None
        return _cleansed(text, path, record)

    file_change = update(path, change, root=root)
    return file_change.before != file_change.after


def _cleansed(text: str, path: str, record: dict[str, Any]) -> str:
    for key, title, summary in record["keys"]:
        if notes.has(text, key):
            document = notes.parse(text, path)
            added = notes.Added(key, title, summary, record["session"])
            text = notes.without(document, added).text()
        text = memory_md.without(text, key)
    return text


def _forget(engine: Runtime, scope: Scope, number: int, is_new: bool, session: str) -> None:
    """Remove a lesson that the integration made, or what it added to an older one."""
    try:
        lesson = engine.store.lessons.get(scope, number)
    except NotFound:
        return
    remaining = tuple(piece for piece in lesson.evidence if not _is_of(piece, session))
    if is_new and all(piece.kind == Kind.ABOUT for piece in remaining):  # no other run met it
        engine.store.lessons.delete(scope, number)
    elif len(remaining) < len(lesson.evidence):
        engine.store.lessons.update(
            lesson._replace(
                evidence=remaining, met=max(1, lesson.met - 1), updated_at=engine.clock()
            )
        )


def _is_of(piece: Evidence, session: str) -> bool:
    return piece.kind == Kind.SESSION and piece.value.startswith(f"{session}:")
