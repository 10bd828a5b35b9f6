"""Fixes of well-known errors of calls: removed files, one-line code, a used port, a `#`."""

from __future__ import annotations

from hardwon._cold import re
from hardwon.failures.fix_case import REMOVED_IN_PART, Case, commands_of
from hardwon.failures.fix_pair import Pair, is_one_liner, is_other_number
from hardwon.values.fix import Fix


def removed_already(case: Case) -> Fix | None:
    """The fix for a repeated `rm`: the first one failed but did remove the other files."""
    if not case.line.startswith(REMOVED_IN_PART) or not case.last.failed:
        return None
    first, second = (
        {word for part in commands_of(step) if part.name == "rm" for word in part.operands}
        for step in (case.failed, case.last)
    )
    again = [word for word in second if f"remove '{word}'" in case.last.output]
    if not again or not second <= first or any(f"'{w}'" in case.failed.output for w in again):
        return None
    text = (
        "The other files were removed all the same. Call `rm` with `-f`: it skips what is missing."
    )
    return Fix("call", text, "call flags rm -f", "", "the call was repeated with fewer files")


def split_code(case: Case, pair: Pair) -> Fix | None:
    """The fix for a compound statement on one line: several lines for the same interpreter."""
    if not is_one_liner(pair.old) or "SyntaxError" not in case.line:
        return None
    if not re.search(r";\s*(?:class|def|for|while|with|try|if|async|@)\b", pair.old.script):
        return None
    if "\n" not in pair.new.script:
        return None
    name = pair.old.program
    text = (
        f"In a one-liner (`{name} -c`) a compound statement (`class`, `def`, `for`, `with`, `try`) "
        f"cannot follow `;`. Give it on several lines: in a here-document (`{name} - <<'EOF'`) or "
        "in a script file."
    )
    return Fix("call", text, "call lines for one-liner", "", "code on one line, joined by `;`")


def another_port(case: Case, pair: Pair) -> Fix | None:
    """The fix for a port in use: the same call with another port."""
    if not is_other_number(case, pair.old, pair.new):
        return None
    text = "Use another port: something else has the one in the call."
    return Fix("call", text, "call port another", "", "")


def quoted_mark(case: Case, pair: Pair) -> Fix | None:
    """The fix for an argument with `#` before it, which the shell takes for a comment."""
    is_comment = re.search(r"\s#\w", case.failed.args) and "#" not in pair.old.text
    if not is_comment or not re.search(r"[\"']#\w", pair.new.text):
        return None
    text = "Put quotes around an argument that begins with `#`: to the shell it is a comment."
    return Fix("call", text, "call quotes #", "", "an unquoted `#`")
