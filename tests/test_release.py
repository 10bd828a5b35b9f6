"""What a release consists of agrees with itself."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest

import hardwon

ROOT = Path(__file__).parent.parent
PLUGIN = "plugins/claude-code/.claude-plugin/plugin.json"


def _project(path: str) -> dict[str, object]:
    project: dict[str, object] = tomllib.loads((ROOT / path).read_text())["project"]
    return project


@pytest.mark.parametrize("path", ["pyproject.toml", "packages/minilm/pyproject.toml"])
def test_packages_have_one_version(path: str) -> None:
    assert _project(path)["version"] == hardwon.__version__


def test_the_plugin_and_the_citation_have_that_version() -> None:
    cited = re.search(r"^version: (\S+)$", (ROOT / "CITATION.cff").read_text(), re.M)

    assert json.loads((ROOT / PLUGIN).read_text())["version"] == hardwon.__version__
    assert cited is not None
    assert cited[1] == hardwon.__version__


def test_the_core_needs_one_package() -> None:
    assert _project("pyproject.toml")["dependencies"] == ["click>=8.1"]
