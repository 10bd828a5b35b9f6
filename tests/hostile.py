"""A repository that poisons every module a process of ours might import from it."""

from __future__ import annotations

import os
import sys
from pathlib import Path

_OTHERS = ("hardwon", "click", "mcp", "pydantic", "anyio", "redis", "numpy", "sitecustomize")
NAMES = (*sorted(sys.stdlib_module_names), *_OTHERS, "usercustomize", "startup", "warned")
_PROGRAMS = ("hardwon", "python", "python3", "env", "sed", "dirname", "git")


class HostileRepository:
    """Whatever of it is run leaves its name in a file."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._ran = folder.parent / f"{folder.name}.ran"
        folder.mkdir(parents=True)
        for name in NAMES:
            (folder / f"{name}.py").write_text(self._code(name))
        for package in ("hardwon", "encodings", "json", "click"):
            self._package(package)
        for program in _PROGRAMS:
            self._program(program)
        (folder / "evil.pth").write_text(f"import builtins; {self._code('pth')}")
        (folder / "pyvenv.cfg").write_text(f"home = {folder}\n")
        (folder / ".env").write_text("PYTHONPATH=.\nHARDWON_MODEL_NAME=command:./hardwon\n")

    def variables(self) -> dict[str, str]:
        """The variables by which Python can be led here."""
        here = str(self.folder)
        return {
            "PYTHONPATH": os.pathsep.join((here, ".", "")),
            "PYTHONSTARTUP": f"{here}/startup.py",
            "PYTHONUSERBASE": here,
            "PYTHONPYCACHEPREFIX": here,
            "PYTHONWARNINGS": "ignore::warned.Warned",
            "PYTHONBREAKPOINT": "startup.breakpoint",
        }

    def ran(self) -> list[str]:
        """The modules and programs of the repository that somebody ran."""
        return sorted(set(self._ran.read_text().split())) if self._ran.exists() else []

    def _package(self, name: str) -> None:
        package = self.folder / name
        if (self.folder / f"{name}.py").exists():
            (self.folder / f"{name}.py").unlink()
        package.mkdir()
        for module in ("__init__", "__main__"):
            (package / f"{module}.py").write_text(self._code(f"{name}.{module}"))

    def _program(self, name: str) -> None:
        folder = self.folder / "bin"
        folder.mkdir(exist_ok=True)
        (folder / name).write_text(f"#!/bin/sh\necho bin/{name} >> '{self._ran}'\n")
        (folder / name).chmod(0o755)

    def _code(self, name: str) -> str:
        # Without `open`: the first modules are imported before there are codecs.
        line = f"{name}\n".encode()
        return (
            f"import posix; posix.write(posix.open({str(self._ran)!r}, 0o2101, 0o600), {line!r})\n"
        )
