"""What a release consists of agrees with itself."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from zipfile import ZipFile

import pytest

import hardwon
from hardwon.core._extras import EXTRAS
from hardwon.core.errors import MissingExtra

ROOT = Path(__file__).parent.parent
PLUGIN = "plugins/claude-code/.claude-plugin/plugin.json"
PACKAGES = ["pyproject.toml", "packages/extras/pyproject.toml", "packages/minilm/pyproject.toml"]
IMPORT_ALL = """
import sys
for name in sys.stdin.read().split():
    try:
        __import__(name)
    except ModuleNotFoundError as error:  # a framework of an integration
        assert not error.name.startswith("hardwon"), (name, error)
"""


def _project(path: str) -> dict[str, object]:
    project: dict[str, object] = tomllib.loads((ROOT / path).read_text())["project"]
    return project


def _built(folder: Path, kind: str, to: Path) -> ZipFile:
    """The wheel that this target of the project in the folder builds."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", str(to)]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    return ZipFile(next(to.glob("*.whl")))


def _files(wheel: ZipFile) -> set[str]:
    return {name for name in wheel.namelist() if name.startswith("hardwon/")}


@pytest.fixture(scope="module")
def core(tmp_path_factory: pytest.TempPathFactory) -> ZipFile:
    return _built(ROOT, "custom", tmp_path_factory.mktemp("core"))


@pytest.fixture(scope="module")
def alone(core: ZipFile, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """An environment where hardwon is installed without any extra."""
    folder = tmp_path_factory.mktemp("alone")
    core.extractall(folder)
    return {**os.environ, "PYTHONPATH": str(folder), "HARDWON_HOME": str(folder / "home")}


@pytest.mark.parametrize("path", PACKAGES)
def test_packages_have_one_version(path: str) -> None:
    assert _project(path)["version"] == hardwon.__version__


def test_the_plugin_and_the_citation_have_that_version() -> None:
    cited = re.search(r"^version: (\S+)$", (ROOT / "CITATION.cff").read_text(), re.M)

    assert json.loads((ROOT / PLUGIN).read_text())["version"] == hardwon.__version__
    assert cited is not None
    assert cited[1] == hardwon.__version__


def test_the_core_needs_one_package() -> None:
    assert _project("pyproject.toml")["dependencies"] == ["click>=8.1"]


def test_what_needs_an_extra_is_shipped_apart_and_nothing_is_lost(
    core: ZipFile, tmp_path: Path
) -> None:
    everything = _files(_built(ROOT, "wheel", tmp_path / "all"))

    apart = _files(_built(ROOT / "packages/extras", "wheel", tmp_path / "extras"))

    assert not _files(core) & apart
    assert _files(core) | apart == everything


def test_the_parts_shipped_apart_have_an_extra_each() -> None:
    targets = tomllib.loads((ROOT / PACKAGES[1]).read_text())["tool"]["hatch"]["build"]["targets"]
    parts = targets["wheel"]["force-include"].values()

    assert [part.removesuffix(".py").replace("/", ".") for part in parts] == list(EXTRAS)
    assert set(EXTRAS.values()) <= set(_project("pyproject.toml")["optional-dependencies"])  # type: ignore[call-overload]


def test_the_page_of_an_index_links_to_no_file_of_the_repository(core: ZipFile) -> None:
    (metadata,) = (core.read(name) for name in core.namelist() if name.endswith("METADATA"))
    description = metadata.decode().partition("\n\n")[2]

    assert description.startswith("# hardwon\n\n**An agent makes a mistake once.**")
    assert "pip install '.[serve]'" in description
    assert "[`hardwon report`]" not in description
    assert "`hardwon report`" in description
    assert re.findall(r"!?\[[^\]]*\]\((?!https?://)", description) == []
    assert not description.rstrip().endswith("licence")


def test_both_halves_of_a_release_ask_for_the_same_version(core: ZipFile) -> None:
    (metadata,) = (core.read(name) for name in core.namelist() if name.endswith("METADATA"))
    asked = re.findall(
        r"^Requires-Dist: hardwon-extras==(\S+); extra == '(\w+)'$", metadata.decode(), re.M
    )

    assert _project(PACKAGES[1])["dependencies"] == [f"hardwon=={hardwon.__version__}"]
    assert {*EXTRAS.values(), "all"} <= {extra for _, extra in asked}
    assert {version for version, _ in asked} == {hardwon.__version__}


def test_the_released_wheel_is_small(core: ZipFile) -> None:
    assert Path(str(core.filename)).stat().st_size < 900_000


def test_no_module_of_the_core_imports_what_is_shipped_apart(
    core: ZipFile, alone: dict[str, str]
) -> None:
    modules = [name[:-3].replace("/", ".") for name in _files(core) if name.endswith(".py")]
    names = "\n".join(name.removesuffix(".__init__") for name in modules if "__main__" not in name)

    subprocess.run([sys.executable, "-c", IMPORT_ALL], input=names.encode(), env=alone, check=True)


@pytest.mark.parametrize(
    ("command", "extra"),
    [
        ("serve", "serve"),
        ("open", "serve"),
        ("mcp", "mcp"),
        ("session list", "sessions"),
        ("copy a b", "postgres"),
        ("migrate --home postgresql://127.0.0.1:1/none", "postgres"),
        ("lesson list --home postgresql://127.0.0.1:1/none", "postgres"),
        ("lesson embed", "vectors"),
    ],
)
def test_without_an_extra_a_command_names_it(
    command: str, extra: str, alone: dict[str, str]
) -> None:
    called = [sys.executable, "-m", "hardwon", *command.split()]

    done = subprocess.run(called, env=alone, capture_output=True, text=True)

    assert done.returncode == 1
    assert f"pip install 'hardwon[{extra}]'" in done.stderr


def test_the_extra_of_the_embedding_model_names_its_package_in_a_clone() -> None:
    assert "(./packages/minilm '.[vectors]' in a clone)" in str(MissingExtra("vectors"))
    assert "('.[serve]' in a clone)" in str(MissingExtra("serve"))
