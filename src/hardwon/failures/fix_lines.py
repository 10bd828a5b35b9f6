"""The changed lines: what was added to a script so that it works."""

from __future__ import annotations

from hardwon._cold import re
from hardwon.failures.authored import is_shell, tail, text_of
from hardwon.failures.fix_case import (
    Case,
    blamed,
    command,
    is_gone,
    is_own_check,
    is_personal,
    names_in,
    word_set,
)
from hardwon.values.fix import Fix

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import NamedTuple

    from hardwon.values.step import Step
else:
    from hardwon._cold.namedtuple import NamedTuple

_LINES, _LIMIT = 8, 460
_NEAR = 15  # lines above the one that failed
_SCRIPT = r"[\w.-]+\.(?:py|js|ts|mjs|cjs|sh|rb|pl|php|go|sql|r|R|jl|lua|exs?|tsx?|java|kt|rs)"
_OWN_SLIPS = (  # what an author mistyped, not what is to be known
    r"^(?:E +)?(?:NameError|IndentationError|TabError|UnboundLocalError|SyntaxError|ReferenceError)"
)
_NOISE = (
    r"\s*(?:#|//|/\*|--|\*|print\(|print |console\.|echo |puts |fmt\.Print|log(?:ger|ging)?\."
    r"|\"\"\"|'''|pass$|else:?$|try:$|except\b.*:$|[\])}]+[,;]?$|return$|sys\.exit|exit\(|assert\b"
    r"|raise\b|if __name__)"
)
_IMPORT = (
    r"\s*(?:from\s+\S+\s+import\b|import\b|require\(|use\s|const .* = require\(|using\s|#include)"
)
_CALL = r"([A-Za-z_][\w]*)\s*\("
_KEYWORD = r"\b([A-Za-z_]\w*)\s*=(?!=)"
_QUOTED = r"['\"]([a-z][\w-]{3,30})['\"]"
_DEFINED = r"(?m)^\s*(?:async\s+)?(?:def|class|function|func|fn|type|struct)\s+(\w+)"
_PLAIN_CALLS = word_set(
    "print str int len list dict set tuple open range type repr isinstance getattr setattr hasattr "
    "super sorted format join append main run if for while with return def class lambda and or not "
    "in abs enumerate zip map filter exec eval any all bool float input next iter "
    "__init__ function func async await assertEqual assertTrue"
)


class Block(NamedTuple):
    """Lines that were added beside each other, with their places."""

    places: tuple[int, ...]
    lines: tuple[str, ...]


class Scripts(NamedTuple):
    """Two versions of the code that a call runs."""

    old: str
    new: str
    name: str  # of the file; "" for code given with the call


def lines_fix(case: Case) -> Fix | None:
    """The added lines that explain why the script works now."""
    if is_own_check(case) or re.match(_OWN_SLIPS, case.line) or not is_gone(case):
        return None
    scripts = _scripts(case)
    if scripts is None or scripts.old.strip() == scripts.new.strip():
        return None
    chosen = _chosen(case, scripts)
    if not chosen:
        return None
    names = _names(chosen, scripts, case)
    code = _code(chosen, scripts)
    if not names or is_personal(code) or len(code) > _LIMIT or _is_homemade(chosen, case, scripts):
        return None
    where = "In the script" if scripts.name else "In the code"
    text = f"{where}, with your own names:\n{code}"
    return Fix("lines", text, f"lines {' '.join(names)}", "", _removed(case, scripts))


def _is_homemade(lines: list[str], case: Case, scripts: Scripts) -> bool:
    """Whether the error is about a class of the script itself, or the lines define functions."""
    if any(re.match(r"\s*(?:async )?(?:def|function|func|fn)\s", line) for line in lines):
        return True
    own = set(re.findall(_DEFINED, scripts.old))
    is_slip = re.match(r"(?:E +)?(?:AttributeError|TypeError)\b", case.line)
    return bool(is_slip and own & set(re.findall(r"\w+", case.line)))


def _scripts(case: Case) -> Scripts | None:
    """The code as it failed and as it works; None when the calls run something else."""
    old_name, old_body = _run(case.failed, case)
    if not old_name and not old_body:
        return None
    new_name, new_body = _run(case.last, case)
    if bool(old_body) != bool(new_body) or not (new_name or new_body):
        return None
    if old_body:
        return Scripts(old_body, new_body, "") if _shared(old_body, new_body) >= 0.3 else None
    old = text_of(old_name, case.steps[: case.at + 1])
    new = text_of(new_name, case.steps)
    if not old or not new or (old_name != new_name and not _is_copy(case, old, new)):
        return None
    return Scripts(old, new, new_name)


def _is_copy(case: Case, old: str, new: str) -> bool:
    """Whether the other script is the next version of the one that failed."""
    return len(case.between) <= 3 and _shared(old, new) >= 0.6


def _run(step: Step, case: Case) -> tuple[str, str]:
    """The script that a call runs, by its name, and the code that it is given."""
    if not is_shell(step):
        is_code = not step.args.startswith("{")
        return ("", step.args) if is_code else ("", "")
    parts = command(step)
    at = blamed(step, case.line if step is case.failed else "")
    if at < 0:
        return "", ""
    for part in (parts[at], *reversed(parts)):
        if part.script and not part.writes and part.program not in {"cat", "tee"}:
            return "", part.script
        words = (part.program, *part.operands)
        named = [word for word in words if re.fullmatch(_SCRIPT, tail(word))]
        if named and not part.writes and part.program not in {"cat", "rm", "sed"}:
            return tail(named[0]), ""
    return "", ""


def _shared(old: str, new: str) -> float:
    """Which share of the shorter text's lines stands in the other too."""
    first, second = (
        {s for line in text.splitlines() if (s := line.strip())} for text in (old, new)
    )
    return len(first & second) / max(1, min(len(first), len(second)))


def _blocks(old: str, new: str) -> list[Block]:
    """The added lines in groups; blank lines and a single known line do not part them."""
    known = {line.strip() for line in old.splitlines()}
    blocks, current, apart = list[Block](), list[tuple[int, str]](), 0
    for at, line in enumerate(new.splitlines()):
        if line.strip() and line.strip() not in known:
            if current and apart > 1:
                blocks.append(_block(current))
                current = []
            current.append((at, line))
            apart = 0
        else:
            apart += bool(line.strip())
    return [*blocks, _block(current)] if current else blocks


def _block(lines: list[tuple[int, str]]) -> Block:
    places, texts = zip(*lines, strict=True)
    return Block(places, texts)


def _chosen(case: Case, scripts: Scripts) -> list[str]:
    """The added lines that have to do with the error, in their order."""
    failing = _failing_line(case, scripts)
    place = _place(scripts.new, failing)
    known = set(re.findall(r"\w+", scripts.old))
    scored = [
        (score, block)
        for block in _blocks(scripts.old, scripts.new)
        if (score := _score(block, case, known, failing=failing, place=place)) >= 3
    ]
    scored.sort(key=lambda pair: (-pair[0], pair[1].places))
    lines: dict[int, str] = {}
    for _, block in scored:
        kept = _closed(_kept(block, case, known), scripts.new)
        if len(lines | kept) <= _LINES:
            lines |= kept
    return _used([line for _, line in sorted(lines.items())], case)


def _score(block: Block, case: Case, known: set[str], *, failing: str, place: int) -> int:
    """How much a block has to do with the error."""
    text = "\n".join(line for line in block.lines if not re.match(_NOISE, line))
    words = names_in(text)
    fresh = [w for w in re.findall(_CALL, text) if w not in known and w not in _PLAIN_CALLS]
    score = 3 * bool(_meets(words, case.names)) + bool(fresh)
    if failing and place >= 0 and fresh:
        score += 2 * (place - _NEAR <= block.places[-1] <= place)
    if failing and place < 0 and _replaces(block, failing):
        score += 3
    return score


def _closed(lines: list[tuple[int, str]], new: str) -> dict[int, str]:
    """The lines with what closes their brackets and the first of their body; nothing cut."""
    whole = new.splitlines()
    chosen: dict[int, str] = {}
    for at, line in lines:
        end, depth = at, _depth(line)
        while depth > 0 and end + 1 < len(whole) and end - at < _LINES:
            end += 1
            depth += _depth(whole[end])
        if depth != 0:
            continue
        if whole[end].rstrip().endswith((":", "{")):
            end = next((k for k in range(end + 1, len(whole)) if whole[k].strip()), end)
            if _depth(whole[end]) != 0:
                continue
        chosen |= {k: whole[k] for k in range(at, end + 1) if whole[k].strip()}
    return chosen


def _depth(line: str) -> int:
    """How many brackets a line opens and does not close."""
    plain = re.sub(r"'[^'\n]*'|\"[^\"\n]*\"|#.*", "", line)
    return sum(plain.count(c) for c in "([{") - sum(plain.count(c) for c in ")]}")


def _used(lines: list[str], case: Case) -> list[str]:
    """The lines without imports that nothing else there uses."""
    others = " ".join(line for line in lines if not re.match(_IMPORT, line))
    if not others:
        return lines if re.search(r"(?i:import|module|require)", case.line) else []
    words = set(re.findall(r"\w+", others))
    return [
        line
        for line in lines
        if not re.match(_IMPORT, line) or words & set(re.findall(r"\w+", line.split("import")[-1]))
    ]


def _meets(words: set[str], names: frozenset[str]) -> set[str]:
    return {
        word
        for word in words
        for name in names
        if word == name or (min(len(word), len(name)) >= 4 and (word in name or name in word))
    }


def _replaces(block: Block, failing: str) -> bool:
    """Whether a line of the block took the place of the failing one."""
    own = set(re.findall(r"\w{3,}", failing))
    return any(len(own & set(re.findall(r"\w{3,}", line))) * 2 > len(own) for line in block.lines)


def _failing_line(case: Case, scripts: Scripts) -> str:
    """The line of the script that the error points at."""
    name = scripts.name or "<st"
    found = ""
    for frame in re.finditer(r"File \"([^\"\n]{1,300})\", line (\d+)", case.failed.output):
        if tail(frame[1]).startswith(name):
            found = frame[2]
    lines = scripts.old.splitlines()
    at = int(found) - 1 if found else -1
    return lines[at].strip() if 0 <= at < len(lines) else ""


def _place(new: str, failing: str) -> int:
    if not failing:
        return -1
    return next((at for at, line in enumerate(new.splitlines()) if line.strip() == failing), -1)


def _kept(block: Block, case: Case, known: set[str]) -> list[tuple[int, str]]:
    """The telling lines of a block with their places; of a short one all but noise."""
    lines = list(zip(block.places, block.lines, strict=True))
    lines = [(at, line) for at, line in lines if not re.match(_NOISE, line)]
    if len(lines) <= 5:
        return lines
    telling = [
        (at, line)
        for at, line in lines
        if _meets(names_in(line), case.names)
        or any(w not in known and w not in _PLAIN_CALLS for w in re.findall(_CALL, line))
    ]
    return telling[:5]


def _names(lines: list[str], scripts: Scripts, case: Case) -> list[str]:
    """What the added lines call that the old ones did not: the identity of the fix."""
    own = set(re.findall(_DEFINED, scripts.new)) | set(re.findall(_DEFINED, scripts.old))
    before = set(re.findall(r"\w+", scripts.old))
    text = "\n".join(line for line in lines if not re.match(_IMPORT, line))
    calls = [w for w in re.findall(_CALL, text) if w not in own | before | _PLAIN_CALLS]
    keywords = [w for w in re.findall(_KEYWORD, text) if w in case.line or w not in before]
    imports = re.findall(r"import\s+(\w+)", "\n".join(lines))
    quoted = [w for w in re.findall(_QUOTED, text) if w not in before]
    chosen = calls or [w for w in keywords if w not in own] or quoted
    return sorted(set(chosen or [w for w in imports if w not in before]))[:4]


def _code(lines: Sequence[str], scripts: Scripts) -> str:
    """The lines without the indentation that all have in common."""
    margin = min(len(line) - len(line.lstrip()) for line in lines)
    return "\n".join(line[margin:].rstrip() for line in lines)


def _removed(case: Case, scripts: Scripts) -> str:
    """What stood there before, near the error."""
    known = {line.strip() for line in scripts.new.splitlines()}
    gone = [
        line.strip()
        for line in scripts.old.splitlines()
        if line.strip() and line.strip() not in known and not re.match(_NOISE, line)
    ]
    telling = [line for line in gone if len(line) <= 120 and not is_personal(line)]
    return "; ".join(f"`{line}`" for line in telling[:2] if "`" not in line)
