"""The shell lines of the documents, run as they stand, page by page, in a home of their own."""

from __future__ import annotations

import gzip
import json
import re
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.learn.traces.sent import request, root_span, tool_span
from tests.learn.transcripts.transcripts import Claude

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
FENCED = r"^( *)```(\w*)\n(.*?)^\1```$"
INDENTED = r"(?:^    \S.*\n(?:^(?:    .*)?\n)*)"

# What is not run here, and what tries it instead.
LEFT_OUT = {
    r"^pip install|^\S*pip install|^python3 -m venv": "tests/test_release.py installs the wheel",
    r"^make |^HARDWON_BENCH|tests\.torture|^hardwon demo": "they run the tests or take minutes",
    r"^hardwon (?:open|serve|daemon)\b|--watch|--metrics-port|queue top|^hardwon work *(?:#|$)": (
        "they stay until they are stopped; tests/surfaces starts each"
    ),
    r"^\S*python -m bench trial": "tests/test_live_trial.py runs it with a script as its agent",
    r"redis|pg_dump|pg_restore|createdb|postgres|POSTGRES|^hardwon login": "they need a server",
    r"^claude |--actor claude|^podman|^curl|^useradd|^systemctl|^cp deploy": "programs of others",
    r"…|<id>|my-agent|\.sock|mcp add": "a reader fills in what is left open",
    r"HARDWON_MODEL_NAME|^hardwon work$": "it needs a model; tests/models has one",
}

TYPED_WHOLE = {"docs/tutorial/team.md": "tests/journeys/test_tutorials.py, with its server"}

# What a reader has and an empty home has not.
_FIRST_ID = """python3 -c 'import json, sys; print(json.load(sys.stdin)[0]["id"][:12])'"""
_ANSWERS = (
    """python3 -c 'import json; print(json.dumps({"run": json.load(open("run.json"))["run"]}))'"""
)
STANDS_FOR = {
    "docs/how-to/dreams.md": {"3f2a": f"$(hardwon dream list --agent coder --json | {_FIRST_ID})"},
    "docs/how-to/playbook.md": {"12": "1", "7": "2"},
    "docs/how-to/report.md": {"019a8c2f41d": f"$(hardwon run list --json | {_FIRST_ID})"},
    "docs/how-to/serve.md": {"3f9c0d1e2a4b": f"$(hardwon key list --json | {_FIRST_ID})"},
    "docs/how-to/sessions.md": {"> run.json": f"> run.json; {_ANSWERS} > answers.json"},
}


def _held_lessons(home: Path) -> None:
    """Eight lessons that wait for a person."""
    pack = home / "pack.jsonl"
    record = {"situation": "when building part {0}", "correction": "run step {0} of the list first"}
    lines = (json.dumps({k: v.format(n) for k, v in record.items()}) for n in range(1, 9))
    pack.write_text("\n".join(lines), encoding="utf-8")
    _shell(home, "hardwon lesson import pack.jsonl\n")


def _sessions(home: Path) -> None:
    """A session of this folder whose id begins with 3f2a, and runs of other agents."""
    talk = Claude(cwd=str(home), session="3f2a1111-2222-4333-8444-555555555555")
    talk.says("build the shop").run("npm test", "sh: 1: vitest: not found", failed=True)
    talk.run("npm ci").run("npm test", "12 passed").says("thanks")
    talk.write(home, session="3f2a1111-2222-4333-8444-555555555555")
    step = {"command": "make", "returncode": 2, "output": "make: *** No targets."}
    run = {"run": "1", "repo": "acme/api", "task": "build", "steps": [step]}
    with gzip.open(home / "runs.jsonl.gz", "wt") as out:
        out.write(json.dumps(run))


def _traces(home: Path) -> None:
    """A file of the collector."""
    failing = tool_span(7, 2, "make", "make: *** No targets. Stop.", failed=True)
    body = request([failing, root_span(7, "Build it")])
    (home / "traces.jsonl.gz").write_bytes(gzip.compress(body))


def _ended_run(home: Path) -> None:
    """A run of this folder that ended."""
    call = "'bash', 'make', output='make: *** No targets. Stop.', failed=True"
    program = (
        "import hardwon, os; a = hardwon.open().agent('default', project=os.getcwd());"
        f" a.after_action({call}); a.after_run(task='build', error='no')"
    )
    done = _shell(home, f'python3 -c "{program}"; hardwon work --drain')
    assert done.returncode == 0, done.stderr


def _items(home: Path) -> None:
    """Two items in the playbook of this folder."""
    for number in (1, 2):
        _shell(
            home, f"hardwon lesson add 'when refunding {number}' 'ask {number} people' --project ."
        )


STAGES: dict[str, Callable[[Path], None]] = {
    "docs/explanation/screening.md": _held_lessons,
    "docs/how-to/playbook.md": _items,
    "docs/how-to/report.md": _ended_run,
    "docs/how-to/sessions.md": _sessions,
    "docs/how-to/traces.md": _traces,
}


def shell_lines(page: Path) -> list[str]:
    """The lines of a page for a shell: fenced blocks first, then indented ones."""
    text = page.read_text(encoding="utf-8")
    fenced = [block for _, kind, block in re.findall(FENCED, text, re.M | re.S) if _is_shell(kind)]
    rest = re.sub(FENCED, "", text, flags=re.M | re.S)
    blocks = [*fenced, *re.findall(INDENTED, rest, re.M)]
    ours = [block for block in blocks if re.search(r"^ *(?:\$ )?hardwon ", block, re.M)]
    return [line for block in ours for line in textwrap.dedent(block).splitlines()]


def _is_shell(kind: str) -> bool:
    return kind in ("", "sh", "bash", "console")


def script(page: Path) -> str:
    """What a reader would type, without what cannot be tried here."""
    lines = (line.removeprefix("$ ") for line in shell_lines(page))
    kept = [line for line in lines if not any(re.search(sign, line) for sign in LEFT_OUT)]
    text = "\n".join(kept)
    for word, stand_in in STANDS_FOR.get(str(page.relative_to(ROOT)), {}).items():
        text = text.replace(word, stand_in)
    return text


def _shell(home: Path, text: str) -> subprocess.CompletedProcess[str]:
    told = "trap 'echo \"failed: $BASH_COMMAND\" >&2; exit 1' ERR\n"
    told += "exec < <(yes '')\n"  # a person who takes every default
    return subprocess.run(
        ["bash", "-c", told + text],
        cwd=home,
        env={
            "HOME": str(home),
            "PATH": f"{Path(sys.executable).parent}:/usr/local/bin:/usr/bin:/bin",
            "PIP_DISABLE_PIP_VERSION_CHECK": "1",
            "HARDWON_QUEUE_AUTOSTART": "off",
            "HARDWON_HOOKS_DAEMON": "off",
        },
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


SCRIPTS = [
    pytest.param(page, id=str(page.relative_to(ROOT)))
    for page in PAGES
    if "hardwon " in script(page) and str(page.relative_to(ROOT)) not in TYPED_WHOLE
]


@pytest.mark.parametrize("page", SCRIPTS)
def test_what_a_page_tells_to_type_works(
    page: Path, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    if "minilm" in script(page):
        request.getfixturevalue("weights")
    stage = STAGES.get(str(page.relative_to(ROOT)))
    if stage:
        stage(tmp_path)

    done = _shell(tmp_path, script(page))

    assert done.returncode == 0, f"{done.stdout[-2000:]}\n{done.stderr[-2000:]}"


def test_most_pages_with_commands_are_run() -> None:
    assert len(SCRIPTS) > len([page for page in PAGES if shell_lines(page)]) * 2 / 3
