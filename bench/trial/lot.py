"""A whole trial: training in each arm, then tasks and arms in an order drawn by lot.

The plan is kept beside the runs. One program works it off with an agent (`run`), or several agents
take the next run of it by hand (`next`); a run that has a result is not repeated.
"""

from __future__ import annotations

import json
import os
import random
import re
import shlex
import shutil
import signal
import subprocess
import sys
from contextlib import redirect_stdout
from dataclasses import asdict, dataclass, field
from itertools import product
from pathlib import Path
from zlib import crc32

from bench.trial.live import ARMS, Run, find_project
from bench.trial.memories import locked
from bench.trial.recorded import play
from bench.trial.results import save

_LEARNING = ("hooks", "how", "store")  # arms that can learn from a recorded run


@dataclass(frozen=True, kw_only=True)
class Step:
    """A run of the plan, and the memory from which it starts."""

    run: Run
    memory: Path | None = None

    @property
    def state(self) -> str:
        """done, begun, open, or waits for the run whose memory it takes."""
        if (self.run.folder / "result.json").exists():
            return "done"
        if (self.run.folder / "prompt.txt").exists():
            return "begun"
        teacher = self.memory.parent if self.memory else None
        if teacher and teacher.is_relative_to(self.run.work / "run"):
            return "open" if (teacher / "result.json").exists() else "waits"
        return "open"

    @property
    def commands(self) -> tuple[str, str]:
        """How to begin the run by hand, and how to end it."""
        run = self.run
        trial = ["python", "-m", "bench", "trial", "--work", str(run.work)]
        begin = [*trial, "begin", run.project, str(run.task), run.name, "--arm", run.arm]
        begin += ["--label", run.label] if run.label not in ("", run.arm) else []
        begin += ["--memory", str(self.memory)] if self.memory else []
        begin += ["--changed"] if run.is_changed else []
        begin += ["--train"] if run.is_training else []
        return shlex.join(begin), shlex.join([*trial, "end", run.name])


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What is run. An arm is named in the table by its label: `ARM` or `LABEL:ARM`."""

    projects: list[str]
    tasks: list[int]
    arms: list[str]
    training: list[int]
    changed: list[str] = field(default_factory=list)  # projects that are tried in both forms
    repeats: int = 1
    seed: int = 1
    memories: dict[str, str] = field(default_factory=dict)  # by label; {project} is filled in
    is_recorded: bool = False  # arms that can learn from recorded runs do

    @classmethod
    def open(cls, work: Path) -> Plan:
        """The plan that was kept."""
        file = work / "plan.json"
        if not file.exists():
            raise SystemExit("trial: no plan yet; make one with `lot --projects …`")
        return cls(**json.loads(file.read_text()))

    def keep(self, work: Path) -> None:
        """Keep the plan, and make what its arms learn from recorded runs."""
        work.mkdir(parents=True, exist_ok=True)
        for project, (label, arm) in product(self.projects, self._arms()):
            if self._is_played(label, arm):
                self._play(work, project, label=label, arm=arm)
        (work / "plan.json").write_text(json.dumps(asdict(self), indent=1) + "\n")

    def steps(self, work: Path) -> list[Step]:
        """Training in order, then the tests by lot."""
        memories: dict[tuple[str, str], Path] = {}
        chains: dict[tuple[str, str], list[Step]] = {}  # arms with two labels are trained once
        for project, (label, arm) in product(self.projects, self._arms()):
            if label in self.memories:
                memories[project, label] = Path(self.memories[label].format(project=project))
            elif self._is_played(label, arm):
                memories[project, label] = self._played(work, project, label)
            elif arm != "none":
                chain = chains[project, arm] = self._train(work, project, arm)
                if chain:
                    memories[project, label] = chain[-1].run.memory
        training = [step for chain in chains.values() for step in chain]
        return training + [
            Step(run=run, memory=memories.get((run.project, run.label)))
            for run in self._draw_tests(work)
        ]

    def _arms(self) -> list[tuple[str, str]]:
        """Label and arm of each."""
        split = [name.rpartition(":") for name in self.arms]
        pairs = [(label or arm, arm) for label, _, arm in split]
        if unknown := {arm for _, arm in pairs} - set(ARMS):
            raise SystemExit(f"trial: no arm {', '.join(sorted(unknown))}; {', '.join(ARMS)}")
        return pairs

    def _is_played(self, label: str, arm: str) -> bool:
        return self.is_recorded and arm in _LEARNING and label not in self.memories

    def _played(self, work: Path, project: str, label: str) -> Path:
        tasks = "".join(map(str, self.training))
        return work / "memory" / re.sub(r"\W+", "-", f"{project}-{label}-{tasks}")

    def _play(self, work: Path, project: str, *, label: str, arm: str) -> None:
        """Make a memory from the recorded runs of the training tasks, once."""
        kept = self._played(work, project, label)
        folder = find_project(project).parents[1] / "recorded"
        files = [folder / f"{project}-a{task}.jsonl" for task in self.training]
        if missing := [str(file) for file in files if not file.exists()]:
            raise SystemExit(f"trial: no recorded run {', '.join(missing)}; choose --train anew")
        if kept.exists():
            return
        with redirect_stdout(sys.stderr):
            memory = play(work, project, arm=arm, files=files, memory=None, learn=True)
        if memory:
            shutil.copytree(memory, kept, ignore=shutil.ignore_patterns("*.sock", "*.lock"))

    def _train(self, work: Path, project: str, arm: str) -> list[Step]:
        """Runs of which each starts with the memory of the one before.

        A longer training goes on from a shorter one in the same place.
        """
        steps: list[Step] = []
        for number, task in enumerate(self.training, 1):
            run = Run(
                work=work,
                name=self._name(project, f"training{number}", arm),
                project=project,
                task=task,
                arm=arm,
                is_training=True,
            )
            steps.append(Step(run=run, memory=steps[-1].run.memory if steps else None))
        return steps

    def _name(self, project: str, task: int | str, label: str, number: int = 1) -> str:
        """The name of a run; agents see it in paths, so it does not tell the arm."""
        mark = crc32(f"{self.seed} {project} {task} {label} {number}".encode())
        return f"{project}-{task}-{mark:08x}"

    def _draw_tests(self, work: Path) -> list[Run]:
        forms = [(project, False) for project in self.projects]
        forms += [(project, True) for project in self.changed]
        numbers = range(1, self.repeats + 1)
        runs = [
            Run(
                work=work,
                name=self._name(f"{project}{'-changed' * is_changed}", task, label, number),
                project=project,
                task=task,
                arm=arm,
                label=label,
                is_changed=is_changed,
            )
            for (project, is_changed), task, (label, arm), number in product(
                forms, self.tasks, self._arms(), numbers
            )
        ]
        random.Random(self.seed).shuffle(runs)
        return runs


def take_next(work: Path) -> Step | None:
    """Begin the first run of the plan that can be begun; several may ask at the same time."""
    with locked(work / "plan.lock"):
        steps = Plan.open(work).steps(work)
        step = next((step for step in steps if step.state == "open"), None)
        if step:
            step.run.begin(step.memory)
    return step


def work_off(work: Path, *, agent: str, limit: float) -> None:
    """Give every run of the plan that is not done to the agent, in order."""
    if not shutil.which(shlex.split(agent)[0]):
        raise SystemExit(f"trial: no program {agent!r}")
    for step in Plan.open(work).steps(work):
        if step.state != "done":
            step.run.begin(step.memory)
            _hand_over(step.run, agent=agent, limit=limit)
            print(save(work, step.run.end(learn=False)), flush=True)


def _hand_over(run: Run, *, agent: str, limit: float) -> None:
    """Give the prompt to the agent in an empty folder and wait for it."""
    desk = run.folder / "agent"
    desk.mkdir()
    with run.prompt.open() as prompt, (run.folder / "answer.txt").open("w") as answer:
        process = subprocess.Popen(
            shlex.split(agent),
            stdin=prompt,
            stdout=answer,
            stderr=subprocess.STDOUT,
            cwd=desk,
            start_new_session=True,  # its children end with it
        )
        try:
            process.wait(limit)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
