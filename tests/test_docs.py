"""What the documents say is what happens."""

from __future__ import annotations

import html
import os
import re
import shlex
import subprocess
import sys
import textwrap
from pathlib import Path

import click
import pytest

from hardwon.core.settings import RecallSettings
from hardwon.surfaces.cli import cli
from hardwon.surfaces.cli.demo import TASKS

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
PYTHON = r"^( *)```python\n(.*?)^\1```"  # a block within a list is indented as a whole
EXAMPLES = [
    pytest.param(textwrap.dedent(block), id=f"{page.relative_to(ROOT)}-{number}")
    for page in PAGES
    for number, (_, block) in enumerate(re.findall(PYTHON, page.read_text(), re.M | re.S))
]


@pytest.mark.parametrize("example", EXAMPLES)
def test_every_python_example_runs_as_written(
    example: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    if "minilm" in example:
        request.getfixturevalue("weights")
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


def test_the_limits_of_the_doors_are_those_of_the_settings() -> None:
    page = (ROOT / "docs" / "reference" / "recall.md").read_text()
    usual = RecallSettings()

    starts = re.findall(r"\| `recall\.(start_\w+)` \| (\d+) \|", page)
    rows = re.findall(r"\| `recall\.(\w+)_lessons`, `\w+_tokens` \| (\d+), (\d+) \|", page)

    assert [name for name, _ in starts] == ["start_tokens", "start_evidence_tokens"]
    assert [door for door, _, _ in rows] == ["turn", "action", "error"]
    for name, tokens in starts:
        assert getattr(usual, name) == int(tokens)
    for door, lessons, tokens in rows:
        limits = getattr(usual, f"{door}_lessons"), getattr(usual, f"{door}_tokens")
        assert limits == (int(lessons), int(tokens))


def test_the_picture_is_of_the_demo_that_runs() -> None:
    shown = html.unescape(re.sub(r"<[^>]*>", "", (ROOT / "docs" / "demo.svg").read_text()))

    first, last = TASKS[0].prompt, TASKS[0].other_prompt
    assert f"• {first}" in shown
    assert f"• {last}" in shown
    assert all(f"  {task.prompt} " in shown for task in TASKS)
    assert f"{len(TASKS)} failed calls became 0" in shown


def commands(page: Path) -> list[str]:
    """The lines of a page that call hardwon, in indented blocks and in fenced ones."""
    fenced = "".join(
        re.findall(r"^```(?:sh|console|bash)\n(.*?)^```", page.read_text(), re.M | re.S)
    )
    indented = "\n".join(re.findall(r"^    (.*)$", page.read_text(), re.M))
    shown = re.findall(r"^(?:\$ )?(hardwon .*)$", f"{fenced}\n{indented}", re.M)
    return [line for line in shown if "…" not in line]


def words_of(line: str) -> list[str]:
    """The arguments of a call; what a shell does with its output is left out."""
    words = shlex.split(line, comments=True)[1:]
    ends = [at for at, word in enumerate(words) if word in {"|", "||", "&", "&&", ">", "2>&1", ";"}]
    return words[: ends[0]] if ends else words


COMMANDS = [
    pytest.param(line, id=f"{page.relative_to(ROOT)}: {line[:60]}")
    for page in PAGES
    for line in commands(page)
]


@pytest.mark.parametrize("line", COMMANDS)
def test_every_command_of_the_documents_is_understood(line: str) -> None:
    """Read as when it is typed, and not carried out; files that it names need not be there."""
    command: click.Command = cli
    context, words = click.Context(cli, info_name="hardwon"), words_of(line)
    while isinstance(command, click.Group) and words and not words[0].startswith("-"):
        found = command.get_command(context, words[0])
        assert found is not None, f"no command {words[0]!r}"
        command, words = found, words[1:]
    try:
        command.make_context(line, words, parent=context)
    except click.BadParameter as error:
        if not re.search("does not exist|No such file", str(error)):
            raise
    except click.exceptions.NoArgsIsHelpError:
        return


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_between_pages_leads_somewhere(page: Path) -> None:
    targets = re.findall(r"\]\((?!https://)([^)#:\s]+)[^)]*\)", page.read_text())

    assert [t for t in targets if not (page.parent / t).exists()] == []


def test_the_menu_of_the_site_has_the_pages_in_the_order_of_the_first_one() -> None:
    menu = re.findall(r"^ +- (?:.*: )?(\S+\.md)$", (ROOT / "mkdocs.yml").read_text(), re.M)
    linked = re.findall(r"\]\((\S+\.md)\)", (ROOT / "docs" / "README.md").read_text())

    assert menu == ["README.md", *linked]
    assert set(menu) == {str(page.relative_to(ROOT / "docs")) for page in PAGES[1:]}


def test_every_promise_names_a_command_and_a_test_that_exists() -> None:
    page = (ROOT / "docs/reference/seeds.md").read_text()
    rows = [row.split(" | ") for row in re.findall(r"^\| (.+) \|$", page, re.M) if "::" in row]
    named = [proof.strip("`").split("::") for _, _, _, proof in rows]
    known = {file: (ROOT / "tests" / file).read_text() for file, _ in named}

    assert f"{len(rows)} in all" in page
    assert [(f, test) for f, test in named if f"def {test}(" not in known[f]] == []
    assert [command for _, _, command, _ in rows if command != "–" and " → " not in command] == []


def test_no_promise_is_kept_in_part_only() -> None:
    assert "partly" not in (ROOT / "docs/reference/seeds.md").read_text()
