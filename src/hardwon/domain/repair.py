"""Which later call does what a failed one wanted, and how that is said."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hardwon.domain.calls import PROGRAM, TARGET, blamed_keys, call_keys
from hardwon.domain.signature import error_line
from hardwon.domain.text import clip, one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hardwon.domain.episode import Step

_CALL, _LINE, _REPAIR = 100, 120, 240
_BETWEEN = 3  # calls named when the same call works later
# They look at files or change them; that they work says nothing about another program.
_HANDLERS = (
    "awk cat chmod cp diff echo ed edit find git grep head less ls mv nl patch read rg rm sed tail"
    " tee touch tree vi wc write"
)
_HANDLING = frozenset(_HANDLERS.split())


def is_repair(failure: Step, later: Step) -> bool:
    """Whether the later call does what the failed one wanted, and works."""
    if later.failed or later.tool != failure.tool:
        return False
    if _same_words(failure, later):
        return True
    wanted = blamed_keys(failure.tool, failure.args, error_line(failure.output))
    done = _main_keys(later)
    own, other = _program(wanted), _program(done)
    if own != other and _HANDLING & {own.split(" ")[0], other.split(" ")[0]}:
        return False
    about, named = _targets(wanted), _targets(done)
    if not about or about & named:
        return bool(about) or own == other
    return own == other and bool(_name_parts(about) & _name_parts(named))


def first_repair(failure: Step, later: Sequence[Step]) -> tuple[Step, list[Step]] | None:
    """The first of the later steps that repairs the failure, and what worked before it."""
    for place, step in enumerate(later):
        if is_repair(failure, step):
            return step, [one for one in later[:place] if not one.failed]
    return None


def way_around(failure: Step, repair: Step, between: Sequence[Step]) -> str:
    """What to do instead, in words."""
    fails = fails_with(error_line(failure.output))
    if not _same_words(failure, repair):
        return f"{fails}. Use `{clip(one_line(repair.args), _REPAIR)}` instead."
    done = "; ".join(quoted(step) for step in between if _is_change(step))
    return f"{fails}. It worked after {done}." if done else f"{fails}. Trying again worked."


def fails_with(error: str) -> str:
    """The error as the beginning of a sentence about the call."""
    return f"It fails with “{clip(one_line(error), _LINE)}”"


def quoted(step: Step) -> str:
    """The call, short, in back quotes."""
    return f"`{clip(one_line(step.args), _CALL)}`"


def _same_words(one: Step, other: Step) -> bool:
    return one.args.split() == other.args.split()


def _main_keys(step: Step) -> tuple[str, ...]:
    """The keys of that part of a chain which does the work."""
    return blamed_keys(step.tool, step.args, "")


def _program(keys: Sequence[str]) -> str:
    return next((key[2:] for key in keys if key[0] == PROGRAM), "")


def _targets(keys: Sequence[str]) -> set[str]:
    """The names of the files and folders a call is about; a script that is run is one of them."""
    paths = [key.rsplit(" ", 1)[-1] for key in keys if key[0] == TARGET]
    paths += [key[2:] for key in keys if key[0] == PROGRAM and "/" in key]
    return {path.split("::")[0].rstrip("/").rsplit("/", 1)[-1] for path in paths}


def _name_parts(names: set[str]) -> set[str]:
    """The words in file names, without extensions: `orders` in `customer-orders.csv`."""
    stems = (name.rsplit(".", 1)[0] for name in names)
    found = {part for stem in stems for part in re.findall(r"[a-z]{3,}", stem.lower())}
    return found - {"test", "tests"}


def _is_change(step: Step) -> bool:
    """Whether the step may have changed something: more than looking."""
    looking = {"cat", "find", "grep", "head", "less", "ls", "nl", "read", "rg", "tail", "wc"}
    programs = {key[2:] for key in call_keys(step.tool, step.args) if key[0] == PROGRAM}
    return bool(programs - looking)
