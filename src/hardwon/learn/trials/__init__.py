"""Trials: attempt, verify with the real tools, reflect, try again with what was learnt."""

from __future__ import annotations

import asyncio
import os
import shutil
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from hardwon.errors import HardwonError
from hardwon.learn.trials import summary
from hardwon.learn.trials.files import LoopFolder
from hardwon.learn.trials.library import root_of
from hardwon.learn.trials.loops import Functions, Loops, options_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from hardwon.learn.trials.state import State
    from hardwon.runtime import Runtime
    from hardwon.values.scope import Scope

__all__ = ["Functions", "Loops", "forget", "options_of", "run", "run_async"]


def forget(engine: Runtime, tenant: str) -> None:
    """Remove the loops of a tenant."""
    root = root_of(engine)
    for name in os.listdir(root) if os.path.isdir(root) else ():
        folder = LoopFolder(root, name)
        with suppress(HardwonError):
            if folder.exists() and summary.read(folder).scope.tenant == tenant:
                shutil.rmtree(folder.path, ignore_errors=True)


def run(engine: Runtime, scope: Scope, task: str, **given: Any) -> State:
    """A loop run to its end by this thread."""
    return asyncio.run(run_async(engine, scope, task, threads=False, **given))


async def run_async(
    engine: Runtime,
    scope: Scope,
    task: str,
    *,
    actor: Callable[[Any], Any] | str,
    evaluate: Callable[[Any], Any] | None = None,
    threads: bool = True,
    resume: str | None = None,
    loop_id: str | None = None,
    **given: Any,
) -> State:
    """A loop run to its end; with `threads` plain functions do not hold up the event loop."""
    is_command = isinstance(actor, str)
    functions = Functions(None if is_command else actor, evaluate, threads=threads)  # type: ignore[arg-type]
    loops = Loops(engine, scope)
    if resume is not None:
        return await loops.resume(resume, functions, **given)
    if is_command:
        given.setdefault("cwd", os.getcwd())
    options = options_of(task, engine.settings.trials, actor=actor if is_command else "", **given)
    return await loops.run(options, functions, loop_id=loop_id)
