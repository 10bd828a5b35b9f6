"""Trials: attempt, verify with the real tools, reflect, try again with what was learnt."""

from __future__ import annotations

import shutil
from contextlib import suppress
from typing import TYPE_CHECKING

from hardwon.core.errors import HardwonError
from hardwon.learn.trials import files
from hardwon.learn.trials.files import LoopFolder
from hardwon.learn.trials.loops import Loops, options_of, root_of
from hardwon.learn.trials.roles import Functions

if TYPE_CHECKING:
    from hardwon.engine.runtime import Runtime

__all__ = ["Functions", "Loops", "forget", "options_of"]


def forget(engine: Runtime, tenant: str) -> None:
    """Remove the loops of a tenant."""
    root = root_of(engine)
    for name in files.loop_ids(root):
        folder = LoopFolder(root, name)
        with suppress(HardwonError):
            if folder.exists() and files.read_summary(folder).scope.tenant == tenant:
                shutil.rmtree(folder.path, ignore_errors=True)
