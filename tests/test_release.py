"""What a release consists of agrees with itself."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from zipfile import ZipFile

import click
import pytest

import hardwon
from hardwon.core.errors import MissingExtra
from tests.integrations.environments import python_with

ROOT = Path(__file__).parent.parent
PLUGIN = "plugins/claude-code/.claude-plugin/plugin.json"
PACKAGES = ["pyproject.toml", "packages/minilm/pyproject.toml"]
PYTHON = [sys.executable, "-S"]  # without the packages of this environment
IMPORT_ALL = """
import sys
from hardwon.core.errors import MissingExtra
for name in sys.stdin.read().split():
    try:
        __import__(name)
    except MissingExtra:
        pass
    except ModuleNotFoundError as error:  # a framework, or a part behind the door of an extra
        assert not error.name.startswith("hardwon"), (name, error)
"""


def _project(path: str) -> dict[str, object]:
    project: dict[str, object] = tomllib.loads((ROOT / path).read_text())["project"]
    return project


def _files(wheel: ZipFile) -> set[str]:
    return {name for name in wheel.namelist() if name.startswith("hardwon/")}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> ZipFile:
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    return ZipFile(next(folder.glob("*.whl")))


@pytest.fixture(scope="module")
def alone(wheel: ZipFile, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """An environment where hardwon is installed without any extra."""
    folder = tmp_path_factory.mktemp("alone")
    wheel.extractall(folder)
    shutil.copytree(Path(click.__file__).parent, folder / "click")
    return {**os.environ, "PYTHONPATH": str(folder), "HARDWON_HOME": str(folder / "home")}


@pytest.mark.parametrize("path", PACKAGES)
def test_packages_have_one_version(path: str) -> None:
    assert _project(path)["version"] == hardwon.__version__


def test_plugin_mcp_server_and_citation_have_that_version() -> None:
    server = json.loads((ROOT / "server.json").read_text())
    cited = re.search(r"^version: (\S+)$", (ROOT / "CITATION.cff").read_text(), re.M)

    assert json.loads((ROOT / PLUGIN).read_text())["version"] == hardwon.__version__
    assert [server["version"], server["packages"][0]["version"]] == [hardwon.__version__] * 2
    assert len(server["description"]) <= 100  # what a registry takes
    assert cited is not None
    assert cited[1] == hardwon.__version__


def test_the_core_needs_one_package() -> None:
    assert _project("pyproject.toml")["dependencies"] == ["click>=8.1"]


def test_the_page_of_an_index_links_to_no_file_of_the_repository(wheel: ZipFile) -> None:
    (metadata,) = (wheel.read(name) for name in wheel.namelist() if name.endswith("METADATA"))
    description = metadata.decode().partition("\n\n")[2]

    assert description.startswith("# hardwon\n\nhardwon captures the failures")
    assert "pip install '.[serve]'" in description
    assert "[`hardwon report`]" not in description
    assert "`hardwon report`" in description
    assert re.findall(r"!?\[[^\]]*\]\((?!https?://)", description) == []
    assert not description.rstrip().endswith("licence")


def test_the_released_wheel_is_small(wheel: ZipFile) -> None:
    assert Path(str(wheel.filename)).stat().st_size < 1_200_000


def test_every_module_lacks_at_most_a_package_of_others(
    wheel: ZipFile, alone: dict[str, str]
) -> None:
    modules = [name[:-3].replace("/", ".") for name in _files(wheel) if name.endswith(".py")]
    names = "\n".join(name.removesuffix(".__init__") for name in modules if "__main__" not in name)

    subprocess.run([*PYTHON, "-c", IMPORT_ALL], input=names.encode(), env=alone, check=True)


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
    called = [*PYTHON, "-m", "hardwon", *command.split()]

    done = subprocess.run(called, env=alone, capture_output=True, text=True)

    assert done.returncode == 1
    assert f"'hardwon[{extra}]' where hardwon is installed" in done.stderr


def test_the_extra_of_the_embedding_model_names_its_package() -> None:
    model = "pip install ./hardwon_minilm-*.whl 'hardwon[vectors]' where hardwon is installed"
    assert model in str(MissingExtra("vectors"))
    assert "(in a clone: pip install ./packages/minilm '.[vectors]')" in str(
        MissingExtra("vectors")
    )
    assert "pip install 'hardwon[serve]' where hardwon is installed" in str(MissingExtra("serve"))
    assert "(in a clone: pip install '.[serve]')" in str(MissingExtra("serve"))


def test_a_tree_with_changes_is_not_released(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "--quiet", tmp_path], check=True)
    (tmp_path / "new").touch()

    done = subprocess.run(
        ["sh", ROOT / ".ci/release"], cwd=tmp_path, capture_output=True, text=True
    )

    assert done.returncode == 1
    assert "?? new" in done.stderr


def _sbom(file: Path) -> str:
    command = [sys.executable, str(ROOT / ".ci/sbom.py"), str(file)]
    env = {**os.environ, "SOURCE_DATE_EPOCH": "1700000000"}
    return subprocess.run(command, env=env, check=True, capture_output=True, text=True).stdout


def test_the_list_of_packages_names_each_with_its_version(tmp_path: Path) -> None:
    (tmp_path / "a.whl").write_bytes(b"wheel")

    text = _sbom(tmp_path / "a.whl")

    found = json.loads(text)
    own = found["metadata"]["component"]
    assert (own["name"], own["version"]) == ("hardwon", hardwon.__version__)
    assert own["components"][0]["hashes"][0]["content"] == sha256(b"wheel").hexdigest()
    names = {one["name"]: one["purl"] for one in found["components"]}
    assert names["click"] == f"pkg:pypi/click@{version('click')}"
    needs = {one["ref"]: one["dependsOn"] for one in found["dependencies"]}
    assert names["click"] in needs[own["bom-ref"]]
    assert text == _sbom(tmp_path / "a.whl")


@pytest.mark.adapters
def test_the_list_of_packages_is_cyclonedx(tmp_path: Path) -> None:
    (tmp_path / "a.whl").write_bytes(b"wheel")
    code = """
import sys
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
print(JsonStrictValidator(SchemaVersion.V1_5).validate_str(sys.stdin.read()))
"""
    command = [python_with("cyclonedx"), "-c", code]

    done = subprocess.run(command, input=_sbom(tmp_path / "a.whl"), capture_output=True, text=True)

    assert done.stdout == "None\n", done.stdout + done.stderr
