"""Lessons: list, search, show, change, undo, export and import.

The verbs see all lessons of the tenant, or those of the `agent` and `project` in the query. With
`view=agent` they see what the agent sees in the project: its own lessons and those that apply
everywhere.
"""

from __future__ import annotations

import os
import tempfile
from typing import TYPE_CHECKING, Any, TypeVar

from starlette.responses import Response

from hardwon.errors import InvalidInput, NotFound
from hardwon.pipeline import inject
from hardwon.surfaces.serve.api import views
from hardwon.surfaces.serve.api.verbs import Verb, listed
from hardwon.surfaces.serve.principal import Right
from hardwon.text.clean import required
from hardwon.values.lesson import Status
from hardwon.values.listing import Page

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hardwon import Lesson
    from hardwon.lessons import Lessons
    from hardwon.surfaces.serve.api.ask import Ask
    from hardwon.values.history import Change
    from hardwon.values.listing import Mark

Numbered = TypeVar("Numbered", "Lesson", "Change")

_READ, _CHANGE = (Right.LESSONS,), (Right.CHANGE,)
_WRITE = (Right.DOOR, Right.CHANGE)
_EDITABLE = ("situation", "mistake", "correction", "tags", "status", "importance", "confidence")
_ADDED = ("situation", "correction", "mistake", "tags", "importance", "confidence")
_MOST = 10_000  # lessons in an agent's view
_LARGEST = 2**53  # JSON keeps no larger number exactly
_BUDGET = 10_000  # tokens: more than an agent gets
_FORMS = {"jsonl": "application/jsonl", "markdown": "text/markdown"}


def every(ask: Ask) -> Any:
    """A page of lessons, newest-consulted first; with `q` those that contain it."""
    status, limit, after = ask.query("status", Status.ACTIVE), ask.number("limit", 50), ask.cursor()
    if _is_of_agent(ask):
        text = ask.query("q")
        lessons = _matching(ask.agent.lessons, text, status)
        return listed(_after(lessons, after, limit), views.lesson)
    page = ask.tenant.lessons(status=status, text=ask.query("q"), after=after, limit=limit)
    return listed(page, views.lesson)


def show(ask: Ask) -> Any:
    """One lesson."""
    return views.lesson(_readable(ask)[1])


def add(ask: Ask) -> Any:
    """Add a lesson in a person's own words."""
    details = {name: value for name, value in ask.fields.items() if name in _ADDED[2:]}
    texts = ask.text("situation"), ask.text("correction")
    return views.lesson(ask.agent.lessons.add(*texts, **_typed(details)))


def edit(ask: Ask) -> Any:
    """Change the fields of a lesson."""
    if not ask.fields:
        raise InvalidInput(f"nothing to change; this takes {', '.join(_EDITABLE)}")
    handle, lesson = _readable(ask)
    return views.lesson(handle.edit(lesson.id, **_typed(ask.fields)))


def delete(ask: Ask) -> None:
    """Remove a lesson; `undo` brings it back."""
    handle, lesson = _readable(ask)
    handle.delete(lesson.id)


def approve(ask: Ask) -> Any:
    """Release a lesson from quarantine."""
    handle, lesson = _readable(ask)
    return views.lesson(handle.approve(lesson.id))


def retire(ask: Ask) -> Any:
    """Stop showing a lesson; `undo` reverts it."""
    handle, lesson = _readable(ask)
    return views.lesson(handle.edit(lesson.id, status=Status.RETIRED))


def guard(ask: Ask) -> Any:
    """Forbid the calls of a lesson, or allow them again."""
    handle, lesson = _readable(ask)
    is_on = ask.flag("on") is not False
    call, tool = ask.text("call", ""), ask.text("tool", "bash")
    return views.lesson(handle.guard(lesson.id, call=call, tool=tool, on=is_on))


def undo(ask: Ask) -> Any:
    """Undo the newest change of a lesson, also of a deleted one."""
    number = _number(ask)
    for handle in _handles(ask):
        if handle.history(number):
            return views.lesson(handle.undo(number))
    raise NotFound("change to take back", number)


def undo_newest(ask: Ask) -> Any:
    """Undo the newest change of the agent's lessons."""
    return views.lesson(ask.agent.lessons.undo())


def history(ask: Ask) -> Any:
    """The changes of a lesson, newest first."""
    number = _number(ask)
    changes = [change for handle in _handles(ask) for change in handle.history(number)]
    unique = {change.id: change for change in changes}.values()
    if not unique:
        _readable(ask)  # NotFound if the lesson never existed
    return {"items": [views.change(change) for change in unique]}


def all_history(ask: Ask) -> Any:
    """A page of the changes of an agent's lessons, newest first."""
    changes = ask.agent.lessons.history()
    return listed(_after(changes, ask.cursor(), ask.number("limit", 50)), views.change)


def exposures(ask: Ask) -> Any:
    """Where a lesson was shown, and what happened then."""
    handle, lesson = _readable(ask)
    return {"items": handle.exposures(lesson.id)}


def verdict(ask: Ask) -> Any:
    """The verdict of the hold-out on a lesson; null while there is none."""
    handle, lesson = _readable(ask)
    judged = handle.verdict(lesson.id)
    return {"verdict": views.described("Verdict", judged) if judged else None}


def revoke(ask: Ask) -> Any:
    """Remove every lesson of an origin, and every lesson merged from one of them."""
    origin = required(ask.text("origin"), "origin")
    removed = {lesson.id: lesson for handle in _handles(ask) for lesson in handle.revoke(origin)}
    return {"items": [views.lesson(lesson) for lesson in removed.values()]}


def export(ask: Ask) -> Any:
    """The active lessons that an agent sees, as a pack."""
    form = ask.query("form", "jsonl")
    if form not in _FORMS:
        raise InvalidInput(f"unknown format of a pack: {form!r}; one of {', '.join(_FORMS)}")
    return Response(ask.agent.lessons.export(form=form), media_type=_FORMS[form])


def import_pack(ask: Ask) -> Any:
    """Import a pack, all or nothing; its lessons wait for approval."""
    is_lines = ask.body.lstrip()[:1] == b"{"
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "upload.jsonl" if is_lines else "upload.md")
        with open(path, "wb") as file:
            file.write(ask.body)
        imported = ask.agent.lessons.import_from(path, trust=ask.is_on("trust"))
    return {"items": [views.lesson(lesson) for lesson in imported]}


def recall(ask: Ask) -> Any:
    """What a door would show; with `explain` every candidate and its verdict."""
    door, tool = ask.query("door", "turn"), ask.query("tool", "bash")
    judged = ask.agent.explain(door, required(ask.query("text"), "text"), tool=tool)
    shown = [candidate.match.lesson for candidate in judged if not candidate.verdict]
    block = inject.render(shown, door=door, budget=_BUDGET)
    answer = {"text": block.text, "lessons": [views.lesson(lesson) for lesson in block.lessons]}
    if ask.is_on("explain"):
        answer["candidates"] = [views.candidate(candidate) for candidate in judged]
    return answer


def _is_of_agent(ask: Ask) -> bool:
    view = ask.query("view", "all")
    if view not in {"all", "agent"}:
        raise InvalidInput(f"the parameter 'view' is 'all' or 'agent', not {view!r}")
    return view == "agent"


def _number(ask: Ask) -> int:
    number: int = ask.path("id")
    if number > _LARGEST:
        raise NotFound("lesson", number)
    return number


def _readable(ask: Ask) -> tuple[Lessons, Lesson]:
    """A lesson that the caller may see, and the handle to change it."""
    number = _number(ask)
    if _is_of_agent(ask):
        return ask.agent.lessons, ask.agent.lessons.get(number)
    lesson = ask.tenant.lesson(number)
    return _handle(ask, lesson.scope), lesson


def _handles(ask: Ask) -> list[Lessons]:
    """The lesson handles of every scope that the request covers."""
    if _is_of_agent(ask):
        return [ask.agent.lessons]
    return [_handle(ask, scope) for scope in ask.tenant.scopes()]


def _handle(ask: Ask, scope: Any) -> Lessons:
    agent = ask.hw.agent(scope.agent, project=scope.project, tenant=ask.principal.tenant)
    return agent.lessons


def _matching(lessons: Lessons, text: str, status: str) -> Sequence[Lesson]:
    return lessons.search(text, limit=200) if text else lessons.list(limit=_MOST, status=status)


def _after(listing: Sequence[Numbered], after: Mark | None, limit: int) -> Page[Numbered]:
    """The page after a row; the first page if that row is gone."""
    numbers = [str(row.id) for row in listing]
    begin = numbers.index(after[1]) + 1 if after and after[1] in numbers else 0
    rows = tuple(listing[begin : begin + limit])
    is_more = len(listing) > begin + limit
    return Page(rows, (0.0, str(rows[-1].id)) if is_more else None)


def _typed(fields: Any) -> dict[str, Any]:
    """The fields of a lesson; InvalidInput names one of the wrong type."""
    for name, value in fields.items():
        kind, word = _KINDS.get(name, (str, "a text"))
        if not isinstance(value, kind) or isinstance(value, bool):
            raise InvalidInput(f"the field {name!r} must be {word}")
    if not all(isinstance(tag, str) for tag in fields.get("tags", ())):
        raise InvalidInput("the field 'tags' must be a list of texts")
    return dict(fields)


_KINDS: dict[str, tuple[Any, str]] = {
    "tags": (list, "a list of texts"),
    "importance": ((int, float), "a number"),
    "confidence": ((int, float), "a number"),
}
_LESSON = "/v1/lessons/{id:int}"
VERBS = (
    Verb("GET", "/v1/lessons", _READ, every),
    Verb("POST", "/v1/lessons", _WRITE, add, takes=_ADDED, status=201),
    Verb("GET", "/v1/lessons/export", _READ, export),
    Verb("POST", "/v1/lessons/import", _CHANGE, import_pack),
    Verb("POST", "/v1/lessons/revoke", _CHANGE, revoke, takes=("origin",)),
    Verb("GET", _LESSON, _READ, show),
    Verb("PATCH", _LESSON, _CHANGE, edit, takes=_EDITABLE),
    Verb("DELETE", _LESSON, _CHANGE, delete, status=204),
    Verb("POST", f"{_LESSON}/approve", _CHANGE, approve),
    Verb("POST", f"{_LESSON}/retire", _CHANGE, retire),
    Verb("POST", f"{_LESSON}/guard", _CHANGE, guard, takes=("call", "tool", "on")),
    Verb("POST", f"{_LESSON}/undo", _CHANGE, undo),
    Verb("GET", f"{_LESSON}/history", _READ, history),
    Verb("GET", f"{_LESSON}/exposures", _READ, exposures),
    Verb("GET", f"{_LESSON}/verdict", _READ, verdict),
    Verb("GET", "/v1/history", _READ, all_history),
    Verb("POST", "/v1/history/undo", _CHANGE, undo_newest),
    Verb("GET", "/v1/recall", _READ, recall),
)
