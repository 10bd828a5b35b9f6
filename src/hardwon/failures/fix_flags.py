"""Flags that the later of two calls has, or no longer has."""

from __future__ import annotations

from hardwon._cold import re
from hardwon.failures.fix_pair import CallChange, Pair, valued
from hardwon.failures.programs import INTERPRETERS
from hardwon.failures.shell import flag_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hardwon.failures.fix_case import Case
    from hardwon.failures.shell import Command

_QUIET = (
    r"-[vqshx]{1,3}|-r[A-Z]|--verbose|--quiet|--tb(?:=\w+)?|--no-header|--colou?r\S*|--no-colou?r|--help"
    r"|-\d+|--maxfail\S*|--capture\S*|--version|--progress\S*|--dry-run|--showlocals|--durations\S*"
)
_NARROWER = r"-k|--filter\S*|--grep\S*|--deselect\S*|--exclude\S*"  # fewer tests or files
_WEAKER = (
    r"--ignore(?!-scripts)\S*|--skip\S*|-DskipTests\S*"
    r"|--no-verify|--lf|--no-check\S*|--allow-empty|--exit-zero|--passWithNoTests|--continue-on\S*"
    r"|--nocheck|--no-strict\S*|--force-with-lease|--keep-going|-i|--cached-only|--no-fail\S*"
)
# Flags that are treated as one with their short form
_SHORT_FORMS = {
    "--set-upstream": "-u",
    "--recursive": "-r",
    "--force": "-f",
    "--parents": "-p",
    "--signoff": "-s",
}
_BUNDLE = r"-[a-z]{2,3}"  # flags of one letter, typed as one
# Flags that create what the call did not find
_MAKING = {("git checkout", "-b"), ("git switch", "-c"), ("git switch", "--create")}
_ASKS = r"(?i:\b(?:specify|provide|set|choose) (?:an? |the )?([a-z]{4,20})\b)"


def flag_changes(case: Case, pair: Pair) -> list[CallChange]:
    """The flags that explain why the later call worked."""
    added = _only_in(pair.new, pair.old)
    dropped = [flag for flag in _only_in(pair.old, pair.new) if _is_in_error(flag, case)]
    telling = bare_flags(added)
    if pair.new.name == "rm" and "Is a directory" not in case.line:
        telling &= {"-f"}  # `-r` explains nothing here
        added = ["-f"]
    if not (telling or dropped) or any(_is_weaker(flag, case, pair.new) for flag in added):
        return []
    owner = pair.new.name if _is_of_program(added, case) else pair.new.does
    key = " ".join((owner, *sorted(telling), *sorted(f"no{flag}" for flag in dropped)))
    return [CallChange(_flag_words(case, pair, added, dropped), f"flags {key}")]


def _only_in(part: Command, other: Command) -> list[str]:
    """The flags that the other call lacks, without flags about output."""
    known = {*other.flags, *(own for flag in other.flags for own in _single(flag))}
    flags = (own for flag in part.flags for own in _parted(flag, known))
    return [flag for flag in flags if flag not in known and not is_about_output(flag, part.does)]


def _parted(flag: str, known: set[str]) -> list[str]:
    """The single flags of `-qam`, if some of them are known; else the flag as it is."""
    return [flag] if known.isdisjoint(_single(flag)) else _single(flag)


def _single(flag: str) -> list[str]:
    """The flags of one letter that are typed as one; empty for any other flag."""
    return [f"-{letter}" for letter in flag[1:]] if re.fullmatch(_BUNDLE, flag) else []


def _flag_words(case: Case, pair: Pair, added: list[str], dropped: list[str]) -> str:
    values = dict(valued(pair.old, pair.new))
    shown = _with_values(added, values)
    with_flags = f" with `{shown}`{_also(case, pair, values)}" if added else ""
    without_flags = (
        f"{' instead of' if added else ' without'} `{' '.join(dropped)}`" if dropped else ""
    )
    why = ": it skips what is missing" if (pair.new.name, shown) == ("rm", "-f") else ""
    when = "If it is to be new: call" if (pair.new.does, shown) in _MAKING else "Call"
    call = pair.new.program if _is_of_program(added, case) else _with_script(pair.new)
    return f"{when} `{call}`{with_flags}{without_flags}{why}."


def _with_script(part: Command) -> str:
    """How a program is started; with the script that an interpreter is given."""
    script = part.operands[0] if part.operands and part.name in INTERPRETERS else ""
    return f"{part.call} {script}" if re.search(r"\.\w{1,4}$", script) else part.call


def _is_of_program(flags: list[str], case: Case) -> bool:
    """Whether the error asks for the flag by name, so that it holds for every sub-command."""
    names = [flag_name(flag).lstrip("-") for flag in flags if flag.startswith("--")]
    request = re.search(_ASKS, case.line)
    return bool(request and len(flags) == 1 and request[1].lower() in names)


def _also(case: Case, pair: Pair, values: dict[str, str]) -> str:
    """Words about a new operand that the error shows; its value belongs to the run."""
    new_words = {*pair.new.operands} - {*pair.old.operands} - {*values.values()}
    return (
        " and the name that the error shows" if any(word in case.line for word in new_words) else ""
    )


def _with_values(flags: list[str], values: dict[str, str]) -> str:
    """Flags with their values."""
    return " ".join(f"{flag} {values[flag]}" if flag in values else flag for flag in flags)


def bare_flags(flags: list[str]) -> set[str]:
    """The flags without their values; `-rf` is `-r` and `-f`."""
    single = [own for flag in flags for own in _single(flag)]
    others = (flag for flag in flags if not re.fullmatch(_BUNDLE, flag))
    long_flags = [flag_name(flag) for flag in others]
    return {_SHORT_FORMS.get(flag, flag) for flag in (*single, *long_flags)}


def is_about_output(flag: str, does: str = "") -> bool:
    """Whether a flag only changes what is printed; `git commit -s` signs."""
    return bool(re.fullmatch(_QUIET, flag)) and (does, flag) != ("git commit", "-s")


def _is_weaker(flag: str, case: Case, part: Command) -> bool:
    """Whether a flag overrides a refusal, or makes the call do less without being asked for."""
    if (part.verb == "push" and flag in {"-f", "--force"}) or re.fullmatch(_WEAKER, flag):
        return True
    return bool(re.fullmatch(_NARROWER, flag)) and not _is_in_error(flag, case)


def _is_in_error(flag: str, case: Case) -> bool:
    """Whether the error names the flag."""
    name = flag_name(flag)
    return name in case.line or (len(name) > 3 and name.lstrip("-") in case.line)
