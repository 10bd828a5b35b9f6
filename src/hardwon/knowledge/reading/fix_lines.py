"""The fix that adds lines to a script so that it works."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hardwon.core.values.lesson import Fix
from hardwon.knowledge.reading.authored import edits_source, is_coined
from hardwon.knowledge.reading.fix_blocks import (
    LINES,
    LineBlock,
    added_blocks,
    as_code,
    closed,
    end_of,
    outside_calls,
    until,
)
from hardwon.knowledge.reading.fix_case import (
    Case,
    is_gone,
    is_own_check,
    is_personal,
    names_in,
    word_set,
)
from hardwon.knowledge.reading.fix_script import (
    DEFINED,
    MOVED,
    Scripts,
    code_run,
    failing_line,
    frames,
    lines_run,
    moved_fix,
    place_of,
    scripts_of,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hardwon.core.values.run import Step

_LIMIT = 460
_LAST = 1_000_000  # beyond any line
_LATE = 12  # after this many steps a script is another experiment
_TELLING = 3  # the score of a block that is about the error
_FEW, _SHORT = 4, 5  # so few lines are taken without choosing
_OWN_SLIPS = (  # typing mistakes, which teach nothing
    r"^(?:E +)?(?:NameError|IndentationError|TabError|UnboundLocalError|SyntaxError|ReferenceError)"
)
_OWN_DATA = (  # the script should have made these rows itself
    r"^(?:E +)?(?:[\w.]+\.)?(?:\w*DoesNotExist|RecordNotFound|NoResultFound)\b"
)
_NO_DATA = r"(?i:no such (?:table|column|index)|unknown column|relation)[ :'\"]+([\w.]+)"
_NOISE = (
    r"\s*(?:#|//|/\*|--|\*|print\(|print |console\.|echo |puts |fmt\.Print|log(?:ger|ging)?\."
    r"|\"\"\"|'''|pass$|else:?$|try:$|except\b.*:$|[\])}]+[,;]?$|return$|sys\.exit|exit\(|assert\b"
    r"|raise\b|if __name__)"
)
_IMPORT = (
    r"\s*(?:from\s+\S+\s+import\b|import\b|require\(|use\s|const .* = require\(|using\s|#include)"
)
_CALL = r"(?<!\w)([A-Za-z_]\w*+)\s*+\("
_PASSED = r"[(,]\s*([a-z_]\w*)=(?!=)"
_KEYWORD = r"\b([A-Za-z_]\w{2,})\s*=(?!=)"
_QUOTED = r"['\"]([a-z][\w-]{3,30})['\"]"
_PLAIN_CALLS = word_set(
    "print str int len list dict set tuple open range type repr isinstance getattr setattr hasattr "
    "super sorted format join append main run if for while with return def class lambda and or not "
    "in abs enumerate zip map filter exec eval any all bool float input next iter "
    "__init__ function func async await assertEqual assertTrue exists remove unlink rmtree "
    "makedirs mkdir isfile isdir"
)


def lines_fix(case: Case) -> Fix | None:
    """The added or moved lines that explain why the script works now."""
    if _is_explained_otherwise(case):
        return None
    scripts = scripts_of(case) if is_gone(case) else None
    if scripts is None or case.line in scripts.old or _misnames(case, scripts):
        return None  # the script prints the error itself, or had mistyped a name
    if any(edits_source(step, case.steps) for step in case.between):
        return None  # the code that the script runs was changed as well
    return _added(case, scripts) or moved_fix(case, scripts)


def _is_explained_otherwise(case: Case) -> bool:
    """Whether too many steps lie in between, or the error is a slip of the script."""
    if len(case.between) > _LATE or is_own_check(case):
        return True
    return bool(re.match(_OWN_SLIPS, case.line) or re.match(_OWN_DATA, case.line))


def _misnames(case: Case, scripts: Scripts) -> bool:
    """Whether the failing line itself names the table or column that does not exist."""
    missing = re.search(_NO_DATA, case.line)
    return missing is not None and missing[1] in failing_line(case, scripts)


def _added(case: Case, scripts: Scripts) -> Fix | None:
    """The fix that adds lines, or moves them up."""
    if raised := _moved_up(case, scripts):
        return _moved_up_fix(raised)
    chosen = _chosen(case, scripts)
    lines = [chosen[place] for place in sorted(chosen)]
    code = as_code(chosen)
    if not _is_telling(lines) or _is_homemade(lines, case, scripts) or is_personal(code):
        return None
    names = _names(lines, scripts, case)
    if not names or len(code) > _LIMIT:
        return None
    where = "In the script" if scripts.name else "In the code"
    text = f"{where}, with your own names:\n{code}"
    return Fix("lines", text, f"lines {' '.join(names)}", "", _removed(chosen, scripts))


def _moved_up_fix(lines: list[str]) -> Fix:
    """The fix that says which calls have to come first."""
    calls = [
        call
        for line in lines
        for call in re.findall(r"(?<!\w)([A-Za-z_][\w.]{0,200}+\(\)?)", line)[:1]
    ]
    shown = [call if call.endswith(")") else f"{call}…)" for call in dict.fromkeys(calls)]
    names = {call.split("(")[0].rsplit(".", 1)[-1] for call in calls}
    listed = ", then ".join(f"`{call}`" for call in shown)
    text = f"First call {listed}; only then comes the line that fails."
    return Fix("lines", text, f"lines first {' '.join(sorted(names))}", "", "it came too late")


def applies_lines(key: str, step: Step) -> bool:
    """Whether a call holds what the key of a fix names."""
    if key == MOVED:
        return "__init__.py" in step.args
    return _holds(key, step.args)


def is_in_code(key: str, steps: Sequence[Step]) -> bool:
    """Whether the code that the last step runs holds the lines that the key of a fix names."""
    if key == MOVED or key.startswith("first "):
        return False  # these keys name no words of the code
    return _holds(key, code_run(steps))


def _holds(key: str, text: str) -> bool:
    return all(name in text for name in key.split() if name != "first")


def _is_telling(lines: list[str]) -> bool:
    """Whether a line calls or assigns something."""
    return any(re.search(r"[(=]", line) for line in lines)


def _is_homemade(lines: list[str], case: Case, scripts: Scripts) -> bool:
    """Whether the error is about the script's own names, or the lines define functions."""
    if any(re.match(r"\s*(?:async )?(?:def|function|func|fn)\s", line) for line in lines):
        return True
    bases = [base for line in lines for base in re.findall(r"^\s*class \w+\(([\w.]*)", line)]
    if any(base.rsplit(".", 1)[-1] not in case.line for base in bases):
        return True
    missing = re.search(r"attribute '(\w+)'", case.line)
    if missing and any(f".{missing[1]} = " in line for line in lines):
        return True
    own_names = set(re.findall(DEFINED, scripts.old))
    is_slip = re.match(r"(?:E +)?(?:AttributeError|TypeError)\b", case.line)
    return bool(is_slip and own_names & set(re.findall(r"\w+", case.line)))


def _chosen(case: Case, scripts: Scripts) -> dict[int, str]:
    """The added lines that are about the error, by line number."""
    failing = failing_line(case, scripts)
    place = place_of(scripts.new, failing)
    old_words = set(re.findall(r"\w+", scripts.old))
    blocks = _blocks_above(case, scripts)
    scores = [
        _score(block, case, old_words, failing=failing if place < 0 else "") for block in blocks
    ]
    if max(scores, default=0) >= _TELLING:
        scored = zip(blocks, scores, strict=True)
        best = [
            _relevant(block, case, old_words) for block, score in scored if score == max(scores)
        ]
        return _gathered(best, scripts, case)
    fresh = [
        _relevant(block, case, old_words) for block in blocks if _fresh(block.lines, old_words)
    ]
    is_small = sum(map(len, fresh)) <= _FEW and "No module named" not in case.line
    return _gathered(fresh, scripts, case) if place >= 0 and is_small else {}


def _blocks_above(case: Case, scripts: Scripts) -> list[LineBlock]:
    """The added lines that can have run before the place where the script failed."""
    places = [place_of(scripts.new, line) for line in lines_run(case, scripts)]
    reached = frames(case.last, scripts.name) if case.last.failed else []
    if reached and max(reached) < max(places, default=0):
        return []  # the next run did not get as far
    end = max((end_of(scripts.new, place) for place in places if place >= 0), default=_LAST)
    if reached:  # lines below the next failure have not run either
        end = min(end, end_of(scripts.new, min(max(reached), scripts.new.count("\n"))))
    return [until(b, end) for b in added_blocks(scripts.old, scripts.new) if b.places[0] <= end]


def _moved_up(case: Case, scripts: Scripts) -> list[str]:
    """Lines about the error that were moved from below the failing line to above it."""
    failing = failing_line(case, scripts)
    old, new = scripts.old.splitlines(), scripts.new.splitlines()
    place, before = place_of(scripts.new, failing), place_of(scripts.old, failing)
    if place < 0 or before < 0:
        return []
    below = {line.strip() for line in old[before + 1 :]} - {line.strip() for line in old[:before]}
    moved = [
        line
        for line in new[:place]
        if line.strip() in below and re.match(r"\s*[A-Za-z_][\w.]*\(", line)
        if not re.match(_NOISE, line)
    ]
    is_about = any(_related(names_in(line), case.names) for line in moved)
    return moved if is_about and len(moved) <= _FEW else []


def _gathered(blocks: list[list[tuple[int, str]]], scripts: Scripts, case: Case) -> dict[int, str]:
    """The lines of the blocks, up to `LINES`, with the imports that they need."""
    lines: dict[int, str] = {}
    for block in blocks:
        completed = closed(_within(block, scripts), scripts.new)
        if len(lines | completed) <= LINES:
            lines |= completed
    old_lines = {line.strip() for line in scripts.old.splitlines()}
    imports = {
        at: line
        for at, line in enumerate(scripts.new.splitlines())
        if re.match(_IMPORT, line) and line.strip() not in old_lines
    }
    return _without_unused_imports(imports | outside_calls(lines, scripts.new), case)


def _score(block: LineBlock, case: Case, old_words: set[str], *, failing: str) -> int:
    """How closely a block is related to the error."""
    text = "\n".join(line for line in block.lines if not re.match(_NOISE, line))
    is_near = _related(names_in(text), case.names) or (failing and _replaces(block, failing))
    return _TELLING * bool(is_near) + bool(_fresh(block.lines, old_words))


def _fresh(lines: Sequence[str], old_words: set[str]) -> list[str]:
    """Functions and keywords in the lines that the old script does not mention."""
    text = "\n".join(line for line in lines if not re.match(_NOISE, line))
    words = [*re.findall(_CALL, text), *re.findall(_PASSED, text)]
    return [word for word in words if word not in old_words and word not in _PLAIN_CALLS]


def _without_unused_imports(lines: dict[int, str], case: Case) -> dict[int, str]:
    """The lines without unused imports."""
    code = " ".join(line for line in lines.values() if not re.match(_IMPORT, line))
    if not code:
        return lines if re.search(r"(?i:import|module|require)", case.line) else {}
    words = set(re.findall(r"\w+", code))
    return {
        place: line
        for place, line in lines.items()
        if not re.match(_IMPORT, line) or words & set(re.findall(r"\w+", line.split("import")[-1]))
    }


def _related(words: set[str], names: frozenset[str]) -> set[str]:
    return {
        word
        for word in words
        for name in names
        if word == name or (min(len(word), len(name)) >= 4 and (word in name or name in word))
    }


def _replaces(block: LineBlock, failing: str) -> bool:
    """Whether a line of the block replaced the failing line: most of its words are there."""
    words = set(re.findall(r"\w{3,}", failing))
    return any(
        len(words & set(re.findall(r"\w{3,}", line))) * 2 > len(words) for line in block.lines
    )


def _within(lines: list[tuple[int, str]], scripts: Scripts) -> list[tuple[int, str]]:
    """The lines with the head of the added block around them: a `with`, an `if`."""
    new_lines, old_lines = (
        scripts.new.splitlines(),
        {line.strip() for line in scripts.old.splitlines()},
    )
    chosen = dict(lines)
    for at, line in lines:
        margin = len(line) - len(line.lstrip())
        above = (
            place
            for place in range(at - 1, -1, -1)
            if new_lines[place].strip()
            and len(new_lines[place]) - len(new_lines[place].lstrip()) < margin
        )
        opener = next(above, -1)
        if (
            opener >= 0
            and new_lines[opener].rstrip().endswith(":")
            and (
                new_lines[opener].strip() not in old_lines
                or re.match(r"\s+class ", new_lines[opener])
            )
            and not re.match(_NOISE, new_lines[opener])
        ):
            chosen[opener] = new_lines[opener]
    return sorted(chosen.items())


def _relevant(block: LineBlock, case: Case, old_words: set[str]) -> list[tuple[int, str]]:
    """The relevant lines of a block with their line numbers; of a short one all but noise."""
    lines = list(zip(block.places, block.lines, strict=True))
    lines = [(at, line) for at, line in lines if not re.match(_NOISE, line)]
    if len(lines) <= _SHORT:
        return lines
    telling = [(at, line) for at, line in lines if _fresh([line], old_words)]
    about_case = [(at, line) for at, line in telling if _related(names_in(line), case.names)]
    return (about_case or telling)[:_SHORT] if len(lines) <= LINES else about_case[:_SHORT]


def _names(lines: list[str], scripts: Scripts, case: Case) -> list[str]:
    """The names that are new in the added lines: the key of the fix."""
    text = "\n".join(line for line in lines if not re.match(_IMPORT, line))
    own_names = set(re.findall(DEFINED, f"{scripts.new}\n{scripts.old}"))
    before = set(re.findall(r"\w+", scripts.old))
    imports = set(re.findall(r"import\s+(\w+)", "\n".join(lines)))
    calls = set(re.findall(_CALL, text)) - own_names - _PLAIN_CALLS
    keywords = set(re.findall(_KEYWORD, text)) - own_names
    named_in_error = {word for word in keywords if word in case.line}
    quoted = set(re.findall(_QUOTED, text))
    candidates = (
        calls - before,
        named_in_error | (keywords - before),
        quoted - before,
        imports - before,
        calls,
    )
    chosen = next((names for names in candidates if names), set[str]())
    return sorted(name for name in chosen if not is_coined(name, case.steps))[:4]


def _removed(chosen: dict[int, str], scripts: Scripts) -> str:
    """The calls that were removed where the lines were added, in words."""
    old, new = scripts.old.splitlines(), scripts.new.splitlines()
    import difflib

    changes = difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    gone = [
        line.strip()
        for tag, first, last, start, end in changes
        if tag in {"replace", "delete"} and any(start <= place <= end for place in chosen)
        for line in old[first:last]
        if line.strip() not in set(map(str.strip, new)) and "(" in line
        if not re.match(_NOISE, line) and not re.match(_IMPORT, line)
    ]
    telling = [line for line in gone if len(line) <= 120 and not is_personal(line)]
    return "; ".join(f"`{line}`" for line in telling[:2] if "`" not in line)
