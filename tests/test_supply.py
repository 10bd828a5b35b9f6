"""What the product is made of: packages pinned by hash, none with a known hole, no unsafe call."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

ROOT = Path(__file__).parents[1]
LOCKS = sorted((ROOT / "requirements").glob("*.txt"))
# The first versions without a hole that anybody has reported.
SOUND = {
    "mcp": "1.23",
    "fastmcp": "3.4.3",
    "langgraph-checkpoint-sqlite": "3.0.1",
    "jinja2": "3.1.6",
    "starlette": "0.49.1",
    "h11": "0.16.0",
    "urllib3": "2.6.0",
    "requests": "2.32.4",
    "cryptography": "44.0.1",
    "pyyaml": "5.4",
}
UNSAFE = {
    *("eval", "exec", "compile", "__import__", "os.system", "os.popen", "runpy.run_path"),
    *("pickle.load", "pickle.loads", "marshal.load", "marshal.loads", "shelve.open"),
    *("dill.load", "dill.loads", "joblib.load", "torch.load", "yaml.load", "yaml.load_all"),
    *("yaml.unsafe_load", "yaml.full_load", "tempfile.mktemp", "ssl._create_unverified_context"),
    *("xml.etree.ElementTree.parse", "xml.etree.ElementTree.fromstring", "xml.dom.minidom.parse"),
}
EXCEPT = {
    ("ahead.py", "pickle.load"),  # between a process and the one that it started
    ("insights.py", "yaml.load"),  # with a loader that makes plain values
}


def pinned(lock: Path) -> Iterator[tuple[str, str, str]]:
    """The name, the version and the hashes of each package."""
    for entry in re.split(r"\n(?=\S)", lock.read_text().replace("\\\n", " ")):
        if found := re.match(r"([\w.-]+)(?:\[.*?\])?==([\w.!+-]+)", entry):
            yield found[1].lower(), found[2], entry


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.name)
def test_every_package_is_pinned_by_its_hashes(lock: Path) -> None:
    packages = list(pinned(lock))

    assert packages
    assert [name for name, _, entry in packages if "--hash=sha256:" not in entry] == []
    lines = [line for line in lock.read_text().splitlines() if re.match(r"[\w.-]", line)]
    assert len(lines) == len(packages), "a line that pins nothing"


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.name)
def test_no_package_has_a_hole_that_the_card_names(lock: Path) -> None:
    old = [
        (name, version)
        for name, version, _ in pinned(lock)
        if name in SOUND and Version(version) < Version(SOUND[name])
    ]

    assert old == []


def test_the_extras_allow_no_version_with_such_a_hole() -> None:
    text = (ROOT / "pyproject.toml").read_text()
    extras = text.partition("[project.optional-dependencies]")[2].partition("\n[")[0]
    allowed = [Requirement(one) for one in re.findall(r'"([^"\[]+(?:\[\w+\][^"]*)?)"', extras)]

    mcp = next(one for one in allowed if one.name == "mcp")
    assert not mcp.specifier.contains("1.22")
    assert not next(one for one in allowed if one.name == "jinja2").specifier.contains("3.0")


def calls(path: Path) -> Iterator[tuple[str, ast.Call]]:
    """Every call with the name of what is called."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call):
            yield ast.unparse(node.func), node


def is_unsafe(name: str, call: ast.Call) -> bool:
    set_to = {one.arg: ast.unparse(one.value) for one in call.keywords}
    is_told = {set_to.get("shell", "False"), set_to.get("allow_pickle", "False")} != {"False"}
    return name in UNSAFE or is_told


def test_no_source_makes_an_unsafe_call() -> None:
    found = {
        (path.name, name)
        for path in [*(ROOT / "src").rglob("*.py"), *(ROOT / "packages").rglob("*.py")]
        for name, call in calls(path)
        if is_unsafe(name, call)
    }

    assert found == EXCEPT
