"""Dreams: what each dream changed, its report, and undo."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hardwon.api.operations import Right
from hardwon.core.errors import NotFound
from hardwon.core.values.dream import DreamState
from hardwon.surfaces.serve.pages.addresses import after_form, agents_of
from hardwon.surfaces.serve.pages.views import View, action, page

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.routing import Route

    from hardwon import Agent
    from hardwon.core.values.dream import Dream
    from hardwon.surfaces.serve.pages.views import Fields

_ROWS = 50


def routes() -> list[Route]:
    """All dreams, one of them, and its undo."""
    return [
        *page("/dreams", dreams, right=Right.DREAMS),
        *page("/dreams/{dream}", dream, name="dreams", right=Right.DREAMS),
        action("/dreams/{dream}/undo", _undo, right=Right.UNDO_DREAMS),
    ]


def dreams(request: Request) -> View:
    """The latest dreams of all agents."""
    rows = [row(dream) for agent in agents_of(request) for dream in agent.dreams.list(limit=_ROWS)]
    rows.sort(key=lambda row_values: str(row_values["at"]), reverse=True)
    return View("dreams.html", "Dreams", {"rows": rows[:_ROWS]})


def row(dream: Dream) -> dict[str, Any]:
    """A dream in the list."""
    return {
        "id": dream.id,
        "agent": dream.scope.agent,
        "at": dream.started_at.isoformat(),
        "seconds": dream.duration_seconds,
        "consolidated": dream.memories_consolidated,
        "reflection": dream.reflection,
        "state": dream.state,
    }


def dream(request: Request) -> View:
    """One dream with its report and its changes."""
    agent, dream = _dream_of(request)
    changes = [
        change._asdict() | {"tags": list(change.tags)} for change in agent.dreams.changes(dream.id)
    ]
    values = {
        "dream": row(dream),
        "report": dream.report,
        "improvements": list(dream.improvements),
        "changes": changes,
        "can_undo": bool(changes) and dream.state in (DreamState.DONE, DreamState.WOKEN),
    }
    return View("dream.html", f"Dream {dream.id[:8]}", values)


def _dream_of(request: Request) -> tuple[Agent, Dream]:
    wanted = request.path_params["dream"]
    for agent in agents_of(request):
        try:
            return agent, agent.dreams.get(wanted)
        except NotFound:
            continue
    raise NotFound("dream", wanted)


def _undo(request: Request, fields: Fields) -> str:
    agent, dream = _dream_of(request)
    _, restored, _ = agent.dreams.undo(dream.id)
    page_path = request.url.path.rpartition("/")[0]
    return after_form(request, fields.one("next") or page_path, f"dream:{restored}")
