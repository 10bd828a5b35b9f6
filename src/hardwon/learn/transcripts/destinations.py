"""Where insights are written: which folder, which file, and which tree bounds them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from hardwon.engine.trust import project_for
from hardwon.learn.transcripts.questions import OWN_DOMAIN, OWN_PROJECT
from hardwon.learn.transcripts.related import SUMMARIES
from hardwon.learn.transcripts.rules.sentences import stack
from hardwon.storage.stores.markdown import insights as notes

if TYPE_CHECKING:
    from hardwon.core.values.scope import Scope
    from hardwon.engine.runtime import Runtime
    from hardwon.learn.transcripts.context import Context
    from hardwon.learn.transcripts.insight import Insight

_ARCHIVE = "memory-archive.md"


class Destinations:
    """The files and folders that one session's insights may go to."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def summaries(self) -> str:
        """The file of session summaries."""
        base = self._context.project_level or self._context.user_level
        return os.path.join(base, ".insights", SUMMARIES)

    def root(self, path: str) -> str:
        """The tree that the file must stay inside."""
        project = self._context.project_path
        if project and os.path.abspath(path).startswith(project.rstrip("/") + "/"):
            return project
        return self._context.user_level

    def folder(self, scope: str, insight: Insight) -> str:
        """The folder of the notes of a scope: user, project or domain."""
        base = self._context.user_level
        if scope == OWN_PROJECT and self._context.project_level:
            base = self._context.project_level
        if scope == OWN_DOMAIN:
            # The last tag is the program; the first may only be the shell that ran it.
            words = " ".join((*insight.tags[1:], insight.text, *insight.tags[:1]))
            domains = (*stack(words), *insight.tags, "general")
            return os.path.join(base, ".insights", "domain", domains[0])
        return os.path.join(base, ".insights")

    def memory_file(self, insight: Insight) -> str:
        """A free name for the file of an insight, next to MEMORY.md."""
        folder, name = os.path.dirname(self._context.memory), notes.slug(insight.title)
        is_free = not os.path.lexists(os.path.join(folder, name))
        return os.path.join(folder, name if is_free else f"{insight.key}-{name}")

    def archive(self) -> str:
        """The file of entries that had to leave MEMORY.md."""
        base = self._context.project_level or os.path.dirname(self._context.memory)
        return os.path.join(base, ".insights", _ARCHIVE)


def in_project(scope: Scope, context: Context, engine: Runtime) -> Scope:
    """The scope of the project that the session ran in."""
    home = "" if not engine.on_disk else engine.settings.home
    return scope._replace(project=project_for(context.project_path, home, tenant=scope.tenant))
