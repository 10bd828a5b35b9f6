"""The fix that installs a missing module or program, whatever the run did with it afterwards."""

from __future__ import annotations

from hardwon.failures.fix_case import Case, commands_of
from hardwon.failures.fix_preparation import prepared, unversioned
from hardwon.failures.kind import missing_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hardwon.failures.shell import Command
    from hardwon.values.fix import Fix

_INSTALLS = frozenset(("install", "add", "i"))
_MANAGERS = frozenset(
    [
        *("pip", "pip3", "uv", "poetry", "pdm", "conda", "mamba", "npm", "pnpm", "yarn", "bun"),
        *("apt", "apt-get", "apk", "dnf", "yum", "brew", "gem", "bundle", "cargo", "go"),
        "composer",
    ]
)


def install_fix(case: Case) -> Fix | None:
    """The installation of just what the error misses, if the run could use it then."""
    name = missing_name(case.line)
    if not name or case.last.failed or name not in case.last.args:
        return None
    for step in reversed(case.between):
        for part in commands_of(step):
            if not step.failed and _installs(part, name):
                return prepared(case, [part])
    return None


def _installs(part: Command, name: str) -> bool:
    """Whether a package manager installs the package of this name."""
    is_install = part.name in _MANAGERS and part.does.split()[-1] in _INSTALLS
    return is_install and any(_plain(unversioned(word)) == _plain(name) for word in part.operands)


def _plain(name: str) -> str:
    return name.lower().replace("-", "_")
