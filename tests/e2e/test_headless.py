"""The real coding agents word a lesson in their headless mode."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from hardwon.models.command import AGENTS as COMMANDS
from tests.e2e.agents import AGENTS, Driven, Lab, program
from tests.e2e.scripted import ScriptedModel, scripted

pytestmark = pytest.mark.e2e

LESSON = (
    "<situation>When you run the nightly report</situation>\n"
    "<mistake>The folder was missing</mistake>\n"
    "<correction>Run mkdir -p out/nightly first</correction>\n"
    "<tags>report, mkdir</tags>"
)


class _Settled(Lab):
    """Notes how the agent finds the scripted model, instead of running the agent."""

    def run(self, command: list[str], environ: dict[str, str]) -> str:
        (self.root / "environ.json").write_text(json.dumps(environ))
        return ""


def _settings(agent: Driven, lab: Lab, model: ScriptedModel) -> dict[str, str]:
    """The agent's way to the scripted model, for every folder it may run in."""
    agent.run(_Settled(lab.root), model, "anything")
    for name, place in (
        ("opencode.json", ".config/opencode/opencode.json"),
        (".gemini/settings.json", ".gemini/settings.json"),
    ):
        if (lab.project / name).exists():
            (lab.home / place).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(lab.project / name, lab.home / place)
    environ: dict[str, str] = json.loads((lab.root / "environ.json").read_text())
    return environ


@pytest.mark.parametrize(
    "agent", [agent for agent in AGENTS if agent.name in COMMANDS], ids=lambda agent: agent.name
)
def test_an_agent_words_a_lesson_without_a_person(
    agent: Driven, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lab = Lab(tmp_path)
    folder = Path(program(COMMANDS[agent.name].split(" ")[0])).parent

    with scripted([LESSON]) as model:
        monkeypatch.setattr(model, "move", lambda turn, request: LESSON)
        environ = _settings(agent, lab, model)
        environ["PATH"] = f"{folder}:{lab.environ['PATH']}"
        environ["HARDWON_MODEL_NAME"] = f"agent:{agent.name}"
        lab.run(_captured(), environ)
        lab.run(["hardwon", "work", "--drain"], environ)

    assert "mkdir -p out/nightly" in lab.hardwon("lesson", "list")
    assert model.seen("TASK:")


def _captured() -> list[str]:
    code = (
        "import hardwon; hw = hardwon.open(); hw.agent('default').after_run("
        "task='Make the nightly report', attempt='I ran report.sh',"
        " error='report.sh: out/nightly: No such file or directory')"
    )
    return ["python", "-c", code]
