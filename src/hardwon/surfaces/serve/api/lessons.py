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

from hardwon.core.errors import InvalidInput, NotFound
from hardwon.core.text.clean import required
from hardwon.core.values.lesson import Change, Status
from hardwon.core.values.report import Mark, Page
from hardwon.engine.pipeline import inject
from hardwon.surfaces.serve.api import views
from hardwon.surfaces.serve.api.verbs import Verb, listed
from hardwon.surfaces.serve.principal import Right

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hardwon import Lesson
    from hardwon.api.lessons import Lessons
    from hardwon.surfaces.serve.api.request import ApiRequest

Numbered = TypeVar("Numbered", "Lesson", "Change")

_READ, _CHANGE = (Right.LESSONS,), (Right.CHANGE,)
_WRITE = (Right.DOOR, Right.CHANGE)
_EDITABLE = ("situation", "mistake", "correction", "tags", "status", "importance", "confidence")
_ADDED = ("situation", "correction", "mistake", "tags", "importance", "confidence")
_MOST = 10_000  # lessons in an agent's view
_LARGEST = 2**53  # JSON keeps no larger number exactly
_BUDGET = 10_000  # tokens: more than an agent gets
_FORMS = {"jsonl": "application/jsonl", "markdown": "text/markdown"}


def every(request: ApiRequest) -> Any:
    """A page of lessons, newest-consulted first; with `q` those that contain it."""
    status, limit, after = (
        request.query("status", Status.ACTIVE),
        request.number("limit", 50),
        request.cursor(),
    )
    if _is_of_agent(request):
        text = request.query("q")
        lessons = _matching(request.lessons, text, status)
        return listed(_after(lessons, after, limit), views.lesson)
    page = request.tenant.lessons(status=status, text=request.query("q"), after=after, limit=limit)
    return listed(page, views.lesson)


def show(request: ApiRequest) -> Any:
    """One lesson."""
    return views.lesson(_readable(request)[1])


def add(request: ApiRequest) -> Any:
    """Add a lesson in a person's own words."""
    details = {name: value for name, value in request.fields.items() if name in _ADDED[2:]}
    texts = request.text("situation"), request.text("correction")
    return views.lesson(request.lessons.add(*texts, **_typed(details)))


def edit(request: ApiRequest) -> Any:
    """Change the fields of a lesson."""
    if not request.fields:
        raise InvalidInput(f"nothing to change; this takes {', '.join(_EDITABLE)}")
    handle, lesson = _readable(request)
    return views.lesson(handle.edit(lesson.id, **_typed(request.fields)))


def delete(request: ApiRequest) -> None:
    """Remove a lesson; `undo` brings it back."""
    handle, lesson = _readable(request)
    handle.delete(lesson.id)


def approve(request: ApiRequest) -> Any:
    """Release a lesson from quarantine."""
    handle, lesson = _readable(request)
    return views.lesson(handle.approve(lesson.id))


def retire(request: ApiRequest) -> Any:
    """Stop showing a lesson; `undo` reverts it."""
    handle, lesson = _readable(request)
    return views.lesson(handle.edit(lesson.id, status=Status.RETIRED))


def guard(request: ApiRequest) -> Any:
    """Forbid the calls of a lesson, or allow them again."""
    handle, lesson = _readable(request)
    is_on = request.flag("on") is not False
    call, tool = request.text("call", ""), request.text("tool", "bash")
    return views.lesson(handle.guard(lesson.id, call=call, tool=tool, on=is_on))


def undo(request: ApiRequest) -> Any:
    """Undo the newest change of a lesson, also of a deleted one."""
    number = _number(request)
    for handle in _handles(request):
        if handle.history(number):
            return views.lesson(handle.undo(number))
    raise NotFound("change to undo", number)


def undo_newest(request: ApiRequest) -> Any:
    """Undo the newest change of the agent's lessons."""
    return views.lesson(request.lessons.undo())


def history(request: ApiRequest) -> Any:
    """The changes of a lesson, newest first."""
    number = _number(request)
    changes = [change for handle in _handles(request) for change in handle.history(number)]
    unique = {change.id: change for change in changes}.values()
    if not unique:
        _readable(request)  # NotFound if the lesson never existed
    return {"items": [views.change(change) for change in unique]}


def all_history(request: ApiRequest) -> Any:
    """A page of the changes of an agent's lessons, newest first."""
    changes = request.lessons.history()
    return listed(_after(changes, request.cursor(), request.number("limit", 50)), views.change)


def exposures(request: ApiRequest) -> Any:
    """Where a lesson was shown, and what happened then."""
    handle, lesson = _readable(request)
    return {"items": handle.exposures(lesson.id)}


def verdict(request: ApiRequest) -> Any:
    """The verdict of the hold-out on a lesson; null while there is none."""
    handle, lesson = _readable(request)
    judged = handle.verdict(lesson.id)
    return {"verdict": views.described("Verdict", judged) if judged else None}


def revoke(request: ApiRequest) -> Any:
    """Remove every lesson of an origin, and every lesson merged from one of them."""
    origin = required(request.text("origin"), "origin")
    removed = {
        lesson.id: lesson for handle in _handles(request) for lesson in handle.revoke(origin)
    }
    return {"items": [views.lesson(lesson) for lesson in removed.values()]}


def export(request: ApiRequest) -> Any:
    """The active lessons that an agent sees, as a pack."""
    form = request.query("form", "jsonl")
    if form not in _FORMS:
        raise InvalidInput(f"unknown format of a pack: {form!r}; one of {', '.join(_FORMS)}")
    return Response(request.lessons.export(form=form), media_type=_FORMS[form])


def import_pack(request: ApiRequest) -> Any:
    """Import a pack, all or nothing; its lessons wait for approval."""
    is_lines = request.body.lstrip()[:1] == b"{"
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "upload.jsonl" if is_lines else "upload.md")
        with open(path, "wb") as file:
            file.write(request.body)
        imported = request.lessons.import_from(path, trust=request.is_on("trust"))
    return {"items": [views.lesson(lesson) for lesson in imported]}


def recall(request: ApiRequest) -> Any:
    """What a door would show; with `explain` every candidate and its verdict."""
    door, tool = request.query("door", "turn"), request.query("tool", "bash")
    judged = request.agent.explain(door, required(request.query("text"), "text"), tool=tool)
    shown = [candidate.match.lesson for candidate in judged if not candidate.verdict]
    block = inject.render(shown, door=door, budget=_BUDGET)
    answer = {"text": block.text, "lessons": [views.lesson(lesson) for lesson in block.lessons]}
    if request.is_on("explain"):
        answer["candidates"] = [views.candidate(candidate) for candidate in judged]
    return answer


def _is_of_agent(request: ApiRequest) -> bool:
    view = request.query("view", "all")
    if view not in {"all", "agent"}:
        raise InvalidInput(f"the parameter 'view' is 'all' or 'agent', not {view!r}")
    return view == "agent"


def _number(request: ApiRequest) -> int:
    number: int = request.path("id")
    if number > _LARGEST:
        raise NotFound("lesson", number)
    return number


def _readable(request: ApiRequest) -> tuple[Lessons, Lesson]:
    """A lesson that the caller may see, and the handle to change it."""
    number = _number(request)
    if _is_of_agent(request):
        return request.lessons, request.lessons.get(number)
    lesson = request.tenant.lesson(number)
    return request.lessons_of(lesson.scope), lesson


def _handles(request: ApiRequest) -> list[Lessons]:
    """The lesson handles of every scope that the request covers."""
    if _is_of_agent(request):
        return [request.lessons]
    return [request.lessons_of(scope) for scope in request.tenant.scopes()]


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
    Verb("POST", "/v1/lessons/import", _CHANGE, import_pack, takes_pack=True),
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
