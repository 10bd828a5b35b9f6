"""Snapshots of a git work tree, taken without touching its index, stash or objects.

Trees are written into the loop's own object store; the repository is only read.
"""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING, NamedTuple

from hardwon.core.errors import InvalidInput
from hardwon.core.text.clean import clean, clip_middle
from hardwon.learn.trials.values import Action, ActionType, ActorOutput, Changes, ChangeStats

if TYPE_CHECKING:
    from collections.abc import Sequence

_DIFF_KEPT = 4000
_PATCH_LIMIT = 4 << 20
_MOST_FILES = 200
# The repository's settings must not start programs while its files are read.
_QUIET = (
    *("-c", "core.quotepath=off"),
    *("-c", "core.fsmonitor=false"),
    *("-c", "core.hooksPath=/dev/null"),
)
_DIFF = ("diff", "--no-color", "--no-ext-diff", "--no-renames")
_LIMIT = 120.0  # seconds; a huge repository must not hang the loop


class Difference(NamedTuple):
    """What changed between two snapshots."""

    actions: tuple[Action, ...] = ()
    stats: ChangeStats = ChangeStats()
    patch: str = ""

    def applied_to(self, output: ActorOutput) -> ActorOutput:
        """The attempt with these changes to files."""
        names = tuple(action.file_path for action in self.actions if action.file_path)
        actions = (*output.actions, *self.actions)
        return output._replace(actions=actions, files_modified=names, total_changes=self.stats)


class Repository:
    """The work tree around a directory, seen by one loop."""

    def __init__(self, top: str, store: str) -> None:
        self.top = top
        self._store = store
        common = _git(["rev-parse", "--git-path", "objects"], cwd=top).strip()
        self._env = {
            **os.environ,
            "GIT_INDEX_FILE": os.path.join(store, "index"),
            "GIT_OBJECT_DIRECTORY": os.path.join(store, "objects"),
            "GIT_ALTERNATE_OBJECT_DIRECTORIES": os.path.join(top, common),
            "GIT_OPTIONAL_LOCKS": "0",
        }
        os.makedirs(os.path.join(store, "objects"), mode=0o700, exist_ok=True)

    def snapshot(self) -> str:
        """The id of the tree as it is now, without ignored files."""
        # Hardwon's own files are not the actor's work, even inside the tree.
        home = os.path.abspath(os.path.join(self._store, "..", "..", ".."))
        inside = os.path.relpath(os.path.realpath(home), self.top)
        own = [] if inside.startswith("..") else [f":(exclude,top){inside}"]
        self._run(["add", "--all", "--", ":/", *own])
        return self._run(["write-tree"]).strip()

    def difference(self, before: str, after: str) -> Difference:
        """The changes between two snapshots, file by file."""
        if before == after:
            return Difference()
        patch = self._run([*_DIFF, "--binary", before, after])
        counts = self._run([*_DIFF, "--numstat", "-z", before, after])
        return _difference(counts, patch)

    def restore(self, tree: str) -> None:
        """Restore the work tree to a snapshot; the user's index stays as it is."""
        patch = self._run([*_DIFF, "--binary", "--full-index", self.snapshot(), tree])
        if patch:
            _git(["apply", "--whitespace=nowarn", "-"], cwd=self.top, stdin=patch)

    def _run(self, arguments: Sequence[str]) -> str:
        return _git(arguments, cwd=self.top, env=self._env)


def repository(cwd: str, store: str) -> Repository | None:
    """The git work tree around `cwd`; None without one, or for an empty `cwd`."""
    if not cwd:
        return None
    try:
        top = _git(["rev-parse", "--show-toplevel"], cwd=cwd).strip()
        return Repository(top, store) if top else None
    except InvalidInput:
        return None


def _git(
    arguments: Sequence[str], *, cwd: str, env: dict[str, str] | None = None, stdin: str = ""
) -> str:
    try:
        completed = subprocess.run(
            ["git", *_QUIET, *arguments],
            cwd=cwd,
            env=env,
            input=stdin.encode("utf-8", "surrogateescape"),
            capture_output=True,
            timeout=_LIMIT,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise InvalidInput(f"git {arguments[0]}: {error}") from error
    if completed.returncode:
        problem = completed.stderr.decode("utf-8", "replace").strip()
        raise InvalidInput(f"git {arguments[0]} failed: {problem}")
    return completed.stdout.decode("utf-8", "surrogateescape")


def _difference(counts: str, patch: str) -> Difference:
    parts = ("\n" + patch).split("\ndiff --git ")[1:]
    diffs = {part.split("\n", 1)[0].rpartition(" b/")[2]: f"diff --git {part}" for part in parts}
    rows = [row.split("\t") for row in counts.split("\0") if row.count("\t") == 2]
    actions = [_action(name, added, deleted, diffs.get(name, "")) for added, deleted, name in rows]
    changes = [action.changes for action in actions if action.changes]
    stats = ChangeStats(
        len(actions), sum(c.additions for c in changes), sum(c.deletions for c in changes)
    )
    short_patch = patch if len(patch) <= _PATCH_LIMIT else ""
    return Difference(tuple(actions[:_MOST_FILES]), stats, short_patch)


def _action(name: str, added: str, deleted: str, diff: str) -> Action:
    more, less = (int(count) if count.isdigit() else 0 for count in (added, deleted))
    head = diff[:1000].split("\n@@", 1)[0]
    kind: ActionType = "code_modification"
    verb = "changed"
    if "\nnew file mode" in head:
        kind, verb = "file_creation", "created"
    elif "\ndeleted file mode" in head:
        kind, verb = "file_deletion", "deleted"
    path = clean(name)
    changes = Changes(more, less, clip_middle(clean(diff), _DIFF_KEPT))
    return Action(kind, f"{verb} {path} (+{more} -{less})", file_path=path, changes=changes)
