"""What the documents say is what happens."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
EXAMPLES = [
    pytest.param(block, id=f"{page.relative_to(ROOT)}-{number}")
    for page in PAGES
    for number, block in enumerate(re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL))
]


@pytest.mark.parametrize("example", EXAMPLES)
def test_every_python_example_runs_as_written(example: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", example],
        env={**os.environ, "HOME": str(tmp_path)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )

    assert done.returncode == 0, done.stderr


def test_the_example_of_the_readme_prints_what_it_says(tmp_path: Path) -> None:
    example = str(EXAMPLES[0].values[0])

    printed = subprocess.check_output(
        [sys.executable, "-c", example], env={**os.environ, "HOME": str(tmp_path)}, text=True
    )

    assert f"```\n{printed}```" in (ROOT / "README.md").read_text()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_between_pages_leads_somewhere(page: Path) -> None:
    targets = re.findall(r"\]\(([^)#:\s]+)[^)]*\)", page.read_text())

    assert [t for t in targets if not (page.parent / t).exists()] == []


def test_every_promise_names_a_test_that_exists() -> None:
    rows = re.findall(r"^\|(.+)\|$", (ROOT / "docs/reference/seeds.md").read_text(), re.MULTILINE)
    promises = [row.split("|")[-1].strip(" `") for row in rows if "::" in row]
    named = [proof.split("::") for proof in promises]
    known = {file: (ROOT / "tests" / file).read_text() for file, _ in named}

    assert len(promises) > 150
    assert [(f, test) for f, test in named if f"def {test}(" not in known[f]] == []


def test_no_promise_is_kept_in_part_only() -> None:
    assert "partly" not in (ROOT / "docs/reference/seeds.md").read_text()
