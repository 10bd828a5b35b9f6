"""Six tasks with a real command that fails, and a model that heeds what it is told in time."""

from __future__ import annotations

import shutil
import subprocess
from typing import Any, NamedTuple

from tests.e2e.agents import Driven, Lab
from tests.e2e.scripted import Move, ScriptedModel, results, scripted, texts

DENIAL = "[PITFALL OF THIS CALL"


class Task(NamedTuple):
    """What is asked for, the call that fails, words of its error, and the calls that work."""

    prompt: str
    fails: str
    error: str
    works: tuple[str, ...]


TASKS = (
    Task(
        "Make the folder for the nightly report",
        "mkdir out/nightly",
        "cannot create directory",
        ("mkdir -p out/nightly",),
    ),
    Task("Run the tests of this project", "make test", "No rule to make target", ("make check",)),
    Task(
        "Import the new orders",
        "sh import.sh orders.csv",
        "orders.csv: the dialect is not given",
        ("sh import.sh --dialect excel orders.csv",),
    ),
    Task(
        "Go to the branch of the release",
        "git checkout release",
        "did not match any file(s) known to git",
        ("git checkout release/2.0",),
    ),
    Task(
        "Print the report of the month",
        "python3 tools/report.py --month 05",
        "No module named 'shop'",
        ("PYTHONPATH=lib python3 tools/report.py --month 05",),
    ),
    Task(
        "Put the new version on the stage",
        "sh deploy.sh stage",
        "deploy: there is no plan",
        ("sh plan.sh stage", "sh deploy.sh stage"),
    ),
)

_FILES = {
    "Makefile": "check:\n\t@echo all checks passed\n",
    "orders.csv": "number;sum\n1;20\n",
    "import.sh": '[ "$1" = --dialect ] || { echo "$1: the dialect is not given" >&2; exit 2; }\n'
    "echo imported 1 order\n",
    "tools/report.py": "import shop\nprint(shop.REPORT)\n",
    "lib/shop.py": "REPORT = 'sum 20'\n",
    "plan.sh": "touch .plan; echo planned\n",
    "deploy.sh": "[ -f .plan ] || { echo 'deploy: there is no plan' >&2; exit 1; }\n"
    "echo deployed\n",
}


def prepare(lab: Lab) -> None:
    """A project in which each of the tasks fails at first."""
    for name, text in _FILES.items():
        path = lab.project / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.com")
    for words in (
        ("init", "-q", "-b", "main"),
        ("add", *_FILES),
        (*identity, "commit", "-q", "-m", "first"),
        ("branch", "release/2.0"),
    ):
        subprocess.run(["git", *words], cwd=lab.project, check=True)


def _reset(lab: Lab) -> None:
    """Undo what the tasks did, so that each fails again."""
    shutil.rmtree(lab.project / "out", ignore_errors=True)
    (lab.project / ".plan").unlink(missing_ok=True)
    subprocess.run(["git", "checkout", "-q", "main"], cwd=lab.project, check=True)


class _Heeding:
    """Makes the failing call, unless what works was told: at the start, or as it was denied."""

    def __init__(self, model: ScriptedModel, agent: Driven, task: Task, *, start: bool) -> None:
        self._play = model.move
        self._agent = agent
        self._task = task
        self._heeds_start = start
        self._calls: list[str] | None = None

    def __call__(self, turn: int, request: dict[str, Any]) -> Move:
        if not request.get("tools"):
            return self._play(turn, request)
        if self._calls is None:
            told = " ".join(texts(request))
            is_told = f"`{self._task.works[0]}`" in told
            first = [] if is_told and self._heeds_start else [self._task.fails]
            self._calls = [*first, *self._task.works]
        return self._agent.shell(self._calls.pop(0)) if self._calls else "done"


class Session(NamedTuple):
    """What one session of a task came to."""

    failed: bool  # the failing call was carried out
    denied: bool


def run_task(agent: Driven, lab: Lab, task: Task, *, heeds_start: bool) -> Session:
    """One session of the real agent."""
    with scripted([]) as model:
        heeding = _Heeding(model, agent, task, start=heeds_start)
        model.move = heeding  # type: ignore[method-assign]
        agent.run(lab, model, task.prompt)
    lab.hardwon("work", "--drain")
    _reset(lab)
    said = [text for request in model.requests for text in results(request)]
    denied = any(DENIAL in text for text in said)
    failed = any(task.error in text and DENIAL not in text for text in said)
    return Session(failed, denied)
