"""The fix for what a run has to write itself: a file that it runs, or a package that it names."""

from __future__ import annotations

from hardwon._cold import re
from hardwon.failures.authored import is_shell, stem, tail, writings
from hardwon.values.fix import Fix

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hardwon.failures.fix_case import Case
    from hardwon.failures.shell import Command
    from hardwon.values.step import Step

NO_FILE = (
    r"can't open file|No such file or directory|cannot find the file|ENOENT|Cannot find module"
    r"|No such file|could not open|does not exist|\bis missing\b"
)
_NO_ROW = r"(?i:\b(?:column|relation|table|role|database|schema|function|type)\b)"  # of a database
_NO_MODULE = r"No module named '?(\w+)|Cannot find module '(\w+)|module <module '(\w+)'"


def package_fix(case: Case) -> Fix | None:
    """The fix for a missing module that the run then made as a package of its own."""
    match = re.search(_NO_MODULE, case.line)
    name = next((name for name in match.groups() if name), "") if match else ""
    paths = [
        writing.path
        for step in (*case.between, case.last)
        if name in step.args and not (step.failed and step is not case.last)
        for writing in writings(step.tool, step.args)
    ]
    if not name or not any(name in path.split("/") for path in paths):
        return None
    text = (
        "If the module that the error names is one of your own that was only named so far, make it "
        "a package before the call, a folder with an `__init__.py` in it "
        "(`mkdir NAME && touch NAME/__init__.py`)."
    )
    return Fix("preparation", text, "preparation package folder", "", "the module was only named")


def written_fix(case: Case, old: Command) -> Fix | None:
    """The fix for a file that was used before any step had written it."""
    is_file = re.search(NO_FILE, case.line) and not re.search(_NO_ROW, case.line)
    if not is_file or not is_shell(case.failed):
        return None
    missing = next((word for word in old.operands if tail(word) in case.line), "")
    if not missing or "." not in tail(missing):
        return None
    since = (*case.between, case.last)
    if not any(_writes(step, missing) for step in since if not step.failed):
        return None
    text = (
        "Write the file before you run it: no step had made it yet. One command does both: "
        "`cat <<'EOF' > FILE`, the text, `EOF`, and the call on the next line."
    )
    return Fix("preparation", text, "preparation write the file", "", "the file was not there yet")


def _writes(step: Step, name: str) -> bool:
    return stem(name) in step.args and any(
        tail(writing.path) == tail(name) and writing.text
        for writing in writings(step.tool, step.args)
    )
