"""A whole trial: training in each arm, then tasks and arms in an order drawn by lot."""

from __future__ import annotations

import os
import random
import shlex
import shutil
import signal
import subprocess
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

from bench.trial.live import Run
from bench.trial.results import save

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, kw_only=True)
class Trial:
    """Runs of one agent. Those that have a result are not repeated, so a trial can be resumed."""

    work: Path
    agent: str
    limit: float
    memories: dict[str, Path]

    def run(
        self,
        projects: list[str],
        *,
        tasks: list[int],
        training: list[int],
        arms: list[str],
        repeats: int,
        seed: int,
    ) -> None:
        """Train each arm in each project, then run every task in every arm."""
        if not shutil.which(shlex.split(self.agent)[0]):
            raise SystemExit(f"trial: no program {self.agent!r}")
        memories = {
            (project, arm): self.memories.get(arm) or self._train(project, training, arm=arm)
            for project, arm in product(projects, arms)
            if arm != "none"
        }
        lots = list(product(projects, tasks, arms, range(1, repeats + 1)))
        random.Random(seed).shuffle(lots)
        for project, task, arm, number in lots:
            name = f"{project}-{task}-{arm}-{number}"
            run = Run(work=self.work, name=name, project=project, task=task, arm=arm)
            self._work(run, memories.get((project, arm)))

    def _train(self, project: str, tasks: list[int], *, arm: str) -> Path | None:
        """What the arm has learnt after these tasks, each with the memory of those before."""
        memory = None
        for task in tasks:
            run = Run(
                work=self.work,
                name=f"{project}-{task}-{arm}-training",
                project=project,
                task=task,
                arm=arm,
                label=f"{arm}, training",
            )
            self._work(run, memory, learn=True)
            memory = run.memory
        return memory

    def _work(self, run: Run, memory: Path | None, *, learn: bool = False) -> None:
        """One run from its prompt to its result."""
        if (run.folder / "result.json").exists():
            return
        run.begin(memory)
        self._hand_over(run)
        print(save(self.work, run.end(learn=learn)), flush=True)

    def _hand_over(self, run: Run) -> None:
        """Give the prompt to the agent in an empty folder and wait for it."""
        desk = run.folder / "agent"
        desk.mkdir()
        with run.prompt.open() as prompt, (run.folder / "answer.txt").open("w") as answer:
            agent = subprocess.Popen(
                shlex.split(self.agent),
                stdin=prompt,
                stdout=answer,
                stderr=subprocess.STDOUT,
                cwd=desk,
                start_new_session=True,  # its children end with it
            )
            try:
                agent.wait(self.limit)
            except subprocess.TimeoutExpired:
                os.killpg(agent.pid, signal.SIGKILL)
                agent.wait()
