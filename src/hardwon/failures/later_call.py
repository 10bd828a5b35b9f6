"""The fix that a run already holds: the later call that did what the failing one tried."""

from __future__ import annotations

from collections.abc import Sequence

from hardwon._cold import json, re
from hardwon._cold.lazy import lazy
from hardwon.failures.call_diff import changes
from hardwon.failures.mistakes import is_mistake
from hardwon.failures.shell import Command, parse, working_part
from hardwon.failures.signature import Signature, signature
from hardwon.text.clean import clip, one_line
from hardwon.values.episode import Episode
from hardwon.values.step import Step

TYPE_CHECKING = False
if TYPE_CHECKING:
    import difflib
    from typing import Any, NamedTuple
else:
    difflib = lazy("difflib")
    from hardwon._cold.namedtuple import NamedTuple

_LOOKED_AHEAD = 60
_ALIKE = 0.85
_READERS = {
    *("cat", "head", "tail", "less", "more", "nl", "ls", "find", "grep", "rg", "egrep", "fgrep"),
    *("sed", "awk", "wc", "file", "stat", "which", "tree", "diff", "pwd", "echo", "printf", "type"),
    *("git diff", "git log", "git show", "git status", "git grep", "git blame", "ack", "ag"),
}
_MOVERS = {"rm", "cp", "mv", "touch", "chmod", "mkdir", "tee", "vim", "nano", "ln", "tar", "du"}
_TESTED = (
    r"(?m)\b\d+ (?:failed|errors?|exceptions)\b|^FAIL(?:ED|URES?)?\b|--- FAIL"
    r"|\bTests: +\d+ failed"
)
_TESTERS = {"pytest", "py.test", "unittest", "nose2", "tox"}
_MAKERS = {
    *(
        "pip install",
        "pip3 install",
        "npm install",
        "npm ci",
        "yarn add",
        "yarn install",
        "install",
    ),
    *("apt-get install", "apt install", "brew install", "uv add", "uv sync", "uv pip", "go get"),
    *("conda install", "poetry install", "poetry add", "cargo add", "go mod", "pnpm install"),
    *("mkdir", "chmod", "chown", "export", "git add", "git commit", "git stash", "git checkout"),
    *("git pull", "git fetch", "git config", "docker build", "docker compose", "make", "mv", "cp"),
    *("rm", "ln", "touch", "kill", "patch", "git apply", "systemctl start", "service", "npm run"),
}
_PATH_KEYS = ("file_path", "path", "filename", "file", "notebook_path", "url", "uri", "target_file")
_REWRITES = r"\.write\(|\.writelines\(|\.write_text\(|writeFile"
_NAMED_FILE = r"['\"]([\w.-]+/[\w./-]{1,200}\.\w{1,6})['\"]"
_EDITORS = r"(?i:edit|write|replace|patch|create|insert|notebook)"
_VIEWERS = r"(?i:read|view|open)"


class Fix(NamedTuple):
    """The call that worked, what it did differently, and what was done before it."""

    at: int  # which step worked
    step: Step
    changed: tuple[str, ...]  # in words that follow "you": "added `-p`"
    after: tuple[str, ...] = ()  # what had to be done before it: "`pip install numpy`"
    confidence: float = 0.8

    @property
    def words(self) -> str:
        """What changed between the failing call and the one that worked."""
        changed = list(self.changed)
        if self.after:
            changed.append(f"first {' and '.join(self.after)}")
        return ", ".join(changed)


def find_fix(steps: Sequence[Step], index: int) -> Fix | None:
    """The first later step that achieves what step `index` tried; None when the run has none."""
    failed = steps[index]
    for at in range(index + 1, min(len(steps), index + 1 + _LOOKED_AHEAD)):
        step = steps[at]
        if step.failed or step.tool != failed.tool:
            continue
        found = _fixed_by(failed, step)
        if found and (fix := _explained(steps, index, at, *found)):
            return fix
    return None


def _explained(
    steps: Sequence[Step], index: int, at: int, changed: tuple[str, ...], confidence: float
) -> Fix | None:
    """What made the difference: the call itself, or what was done since it last failed so."""
    failed, step = steps[index], steps[at]
    if any(one.failed and one.args == step.args for one in steps[index + 1 : at]):
        changed = ()  # the other call failed as well, so it was not the call
    whole = steps[index + 1 : at]
    parts = [whole] if changed else [_turn(steps, index, at), whole]
    for part in parts:
        after = _preparations(part, failed, is_changed=bool(changed))
        if changed or after:
            return Fix(at, step, changed, after, _sure(confidence, changed, after))
    return None


def _sure(confidence: float, changed: tuple[str, ...], after: tuple[str, ...]) -> float:
    """An edit that made a call work belongs to one task; it teaches the next one little."""
    only_edits = not changed and all(words.startswith(("edited ", "wrote ")) for words in after)
    return min(confidence, 0.5) if only_edits else confidence


def _turn(steps: Sequence[Step], index: int, at: int) -> Sequence[Step]:
    """What was done between the last time the call failed this way and its next try."""
    failed, calls = steps[index], {steps[index].args, steps[at].args}
    error = signature(failed.tool, failed.output)
    tries = [k for k in range(index, at + 1) if steps[k].args in calls]
    same = [k for k in tries if steps[k].failed and _name(steps[k]) == error]
    last = same[-1] if same else index
    return steps[last + 1 : next(k for k in tries if k > last)]


def _name(step: Step) -> Signature:
    return signature(step.tool, step.output)


def focus(episode: Episode) -> int | None:
    """The failing step that a run should be remembered for; None when no step failed."""
    steps = episode.steps
    failing = [at for at, step in enumerate(steps) if step.failed and is_mistake(step, steps[:at])]
    if not failing:
        return None
    named = [at for at in failing if _is_named(episode.steps[at], episode.error)]
    fixed = [at for at in failing if find_fix(episode.steps, at)]
    return (named or fixed or failing)[-1]


def _is_named(step: Step, error: str) -> bool:
    last = step.output.strip().rsplit("\n", 1)[-1].strip()
    return len(last) > 8 and last in error


def _command(args: str) -> Command:
    """The working part with the code that the call carries, wherever it stands."""
    command = working_part(args)
    scripts = (each.script for each in parse(args) if each.script)
    return command if command.script else command._replace(script=next(scripts, ""))


def _fixed_by(failed: Step, step: Step) -> tuple[tuple[str, ...], float] | None:
    if has_fields(failed) and has_fields(step):
        return _fixed_fields(_fields(failed.args), _fields(step.args))
    old, new = _command(failed.args), _command(step.args)
    if old.operands != new.operands and re.search(_TESTED, failed.output[-4000:]):
        return None  # a failing test is not mended by running another one
    if old.does in _TESTERS and old.does != new.does and not step.output.strip():
        return None  # tests that ran would have said so
    return _fixed_command(old, new)


def _fixed_command(old: Command, new: Command) -> tuple[tuple[str, ...], float] | None:
    """How `new` does what `old` tried, and how sure that is; None when it does something else."""
    if not old.program or not new.program:
        return None
    shared = bool(set(old.operands) & set(new.operands)) or _same_file(old, new)
    sureness = _sureness(old, new, shared=shared)
    return (changes(old, new), sureness) if sureness else None


def _sureness(old: Command, new: Command, *, shared: bool) -> float:
    """How sure it is that `new` does what `old` tried; 0 when it does something else."""
    if old.does != new.does:
        return 0.8 if shared and not (_is_bystander(new) or _is_bystander(old)) else 0.0
    if shared:
        return 0.85
    if _is_wordless(old, new) or old.does.count(" "):
        return 0.7
    return 0.55 if _is_alike(old, new) else 0.0


def _is_wordless(old: Command, new: Command) -> bool:
    """Whether both work on nothing that is named: two scripts, or two plain calls."""
    return not (old.operands or new.operands) and bool(old.script) == bool(new.script)


def _same_file(old: Command, new: Command) -> bool:
    """Whether both work on a file of the same name, in whatever directory."""
    files = {word.split("::")[0].rsplit("/", 1)[-1] for word in old.operands if "." in word}
    return any(word.split("::")[0].rsplit("/", 1)[-1] in files for word in new.operands)


def _is_alike(old: Command, new: Command) -> bool:
    """The same program on a target that is spelt almost the same, or on a corrected script."""
    if old.script and new.script:
        lines = {line.strip() for line in old.script.splitlines() if len(line.strip()) > 8}
        again = sum(line.strip() in lines for line in new.script.splitlines())
        return again * 2 >= max(1, len(lines))
    if old.script or new.script:
        return False
    pairs = [(a, b) for a in old.operands[:5] for b in new.operands[:5]]
    return any(_is_spelt_alike(a, b) or _names_alike(a, b) for a, b in pairs)


def _names_alike(a: str, b: str) -> bool:
    """Whether one file name holds the words of the other: `orders.csv`, `customer-orders.csv`."""
    parts = [set(re.findall(r"[^\W_\d]{3,}", path.rsplit("/", 1)[-1].lower())) for path in (a, b)]
    return "." in a and all(parts) and (parts[0] <= parts[1] or parts[1] <= parts[0])


def _is_spelt_alike(a: str, b: str) -> bool:
    short, long = sorted((_tail(a), _tail(b)), key=len)
    if len(short) > 4 and short in long:
        return True
    if min(len(a), len(b)) < 5 or abs(len(a) - len(b)) > 8 or max(len(a), len(b)) > 200:
        return False
    matcher = difflib.SequenceMatcher(None, a, b, autojunk=False)
    return matcher.real_quick_ratio() > _ALIKE and matcher.ratio() > _ALIKE


def _is_bystander(command: Command) -> bool:
    """Whether it only looks at files or moves them about."""
    names = {command.does, command.name}
    return bool(names & (_READERS | _MOVERS)) or command.does.startswith("git ")


def _fields(args: str) -> dict[str, Any]:
    try:
        found = json.loads(args)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _fixed_fields(old: dict[str, Any], new: dict[str, Any]) -> tuple[tuple[str, ...], float] | None:
    """The same for a tool with named arguments: the same file, other values."""
    target = next((key for key in _PATH_KEYS if key in old and key in new), None)
    if target is None:
        same = set(old) & set(new) and any(old[k] == new[k] for k in old if k in new)
        return (_field_changes(old, new), 0.6) if same else None
    if old[target] == new[target]:
        return _field_changes(old, new), 0.8
    if _tail(old[target]) == _tail(new[target]):
        return (f"used `{new[target]}` instead of `{old[target]}`",), 0.8
    return None


def _tail(value: object) -> str:
    return str(value).rstrip("/").rsplit("/", 1)[-1]


def _field_changes(old: dict[str, Any], new: dict[str, Any]) -> tuple[str, ...]:
    added = [key for key in new if key not in old]
    dropped = [key for key in old if key not in new]
    other = [key for key in new if key in old and old[key] != new[key]]
    return (
        *(f"gave `{key}` as `{_shown(new[key])}`" for key in other[:3]),
        *(f"added `{key}`: `{_shown(new[key])}`" for key in added[:2]),
        *(f"left out `{key}`" for key in dropped[:2]),
    )


def _shown(value: object) -> str:
    return clip(one_line(str(value)), 100).replace("`", "'")


def _preparations(between: Sequence[Step], failed: Step, *, is_changed: bool) -> tuple[str, ...]:
    """What was done on the way that may have made the difference.

    Edits count only when the call itself stayed the same: else they belong to the agent's task.
    """
    found = [words for step in between if not step.failed and (words := _preparation(step, failed))]
    if is_changed:
        found = [words for words in found if words.startswith("ran ")]
    return tuple(dict.fromkeys(found))[-2:]


def _preparation(step: Step, failed: Step) -> str:
    if has_fields(step):
        return _use_of_file(step, path_of(step), failed)
    command = _command(step.args)
    path = _edited(command)
    if path is not None:
        return f"edited `{_shown(path)}`" if path else ""
    if command.writes and command.script:
        return _written(command.writes[-1], failed)
    return f"ran `{_shown(step.args)}`" if command.does in _MAKERS else ""


def _use_of_file(step: Step, path: str, failed: Step) -> str:
    """An edit of a file, or a look into the one that could not be edited."""
    if path and re.search(_EDITORS, step.tool):
        return f"edited `{_shown(path)}`"
    is_look = re.search(_VIEWERS, step.tool) and re.search(_EDITORS, failed.tool)
    return f"read `{_shown(path)}`" if is_look and path and path == path_of(failed) else ""


def _edited(command: Command) -> str | None:
    """The file that a command edits in place, "" when it is not named; None when it edits none."""
    if command.does == "sed" and any(flag.startswith("-i") for flag in command.flags):
        return command.operands[-1] if command.operands else ""
    if command.script and re.search(_REWRITES, command.script):
        rewritten = re.search(_NAMED_FILE, command.script)
        return rewritten[1] if rewritten else ""
    return None


def has_fields(step: Step) -> bool:
    """Whether the call has named arguments, not a command line."""
    return step.args.startswith("{")


def path_of(step: Step) -> str:
    """The file or address that a call with named arguments works on; "" when it names none."""
    return next((str(v) for k, v in _fields(step.args).items() if k in _PATH_KEYS and v), "")


def _written(path: str, failed: Step) -> str:
    """A file that was written; not a script on the side that the failing call never named."""
    if re.fullmatch(r"[^/]+\.(?:py|sh|js)", path) and path not in failed.args:
        return ""
    return f"wrote `{_shown(path)}`"
