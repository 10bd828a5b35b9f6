"""Systems on which hardwon says that it does not run."""

import subprocess
import sys

import pytest


@pytest.mark.parametrize("use", ["hardwon.open", "from hardwon.__main__ import main; main()"])
def test_windows_is_told_about_wsl(use: str) -> None:
    code = f"import hardwon, os, pathlib; os.name = 'nt'; {use}"

    tried = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)

    assert tried.returncode == 1
    assert "inside WSL" in tried.stderr
