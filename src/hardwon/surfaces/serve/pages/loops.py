"""Loops: trials until the work is verified, with the rewards of each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hardwon.core.errors import NotFound
from hardwon.core.text.clean import clip, one_line
from hardwon.surfaces.serve.pages.addresses import agents_of
from hardwon.surfaces.serve.pages.views import View, page

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.routing import Route

    from hardwon.learn.trials.values import LoopState

_ROWS = 50
_TASK = 200  # characters


def routes() -> list[Route]:
    """All loops, and one of them."""
    return [*page("/loops", loops), *page("/loops/{loop}", loop, name="loops")]


def loops(request: Request) -> View:
    """The newest loops of all agents."""
    states = [state for agent in agents_of(request) for state in agent.loops.list(limit=_ROWS)]
    states.sort(key=lambda state: state.created_at, reverse=True)
    return View("loops.html", "Loops", {"rows": [row(state) for state in states[:_ROWS]]})


def row(state: LoopState) -> dict[str, Any]:
    """A loop in the list."""
    return {
        "id": state.loop_id,
        "task": clip(one_line(state.task), _TASK),
        "status": "passed" if state.passed else state.status,
        "agent": state.scope.agent,
        "project": state.scope.project or "",
        "trials": len(state.trials),
        "rewards": [trial.reward for trial in state.trials],
        "at": state.created_at,
    }


def loop(request: Request) -> View:
    """One loop with its trials and their lessons."""
    wanted = request.path_params["loop"]
    for agent in agents_of(request):
        try:
            state = agent.loops.get(wanted)
        except NotFound:
            continue
        values = {
            "loop_": row(state) | {"task": state.task, "reason": state.reason},
            "trials": [_trial(trial) for trial in state.trials],
        }
        return View("loop.html", "Loop", values)
    raise NotFound("loop", wanted)


def _trial(trial: Any) -> dict[str, Any]:
    return {
        "number": trial.number,
        "outcome": trial.outcome,
        "reward": trial.reward,
        "errors": trial.errors,
        "seconds": trial.seconds,
        "failure": trial.failure,
        "change": trial.change,
        "lessons_used": trial.lessons_used,
        "lessons_learned": trial.lessons_learned,
    }
