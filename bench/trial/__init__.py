"""A trial with live agents: the same tasks in small projects with quirks, with and without memory.

    python -m bench trial run --agent "claude -p --allowedTools Bash"

draws tasks and arms by lot, hands each prompt to a command that reads it on standard input and
has a shell, and prints the table. The other verbs do the same by hand: `begin` makes a workspace
and prints the file with the prompt, `end` checks the result and counts, `play` sends recorded runs
through the hooks, `table` prints means with intervals.

Arms: `none`; `hooks`, every event goes through the hooks that `hardwon install claude-code`
writes; `notes`, a file that the agents keep themselves. A model reads the runs of `hooks` when
HARDWON_MODEL_NAME names one. Projects stand in `projects/` and in the folders of TRIAL_PROJECTS.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from bench.trial.live import ARMS, Run
from bench.trial.lot import Trial
from bench.trial.recorded import play
from bench.trial.results import load, save, tables


def main(arguments: list[str]) -> None:
    """Run one verb."""
    given = _parser().parse_args(arguments)
    given.work = given.work.resolve()
    given.go(given)


def _begin(given: argparse.Namespace) -> None:
    run = Run(
        work=given.work,
        name=given.run,
        project=given.project,
        task=given.task,
        arm=given.arm,
        label=given.label,
        is_changed=given.changed,
    )
    run.begin(given.memory)
    print(run.prompt)


def _do(given: argparse.Namespace) -> None:
    sys.exit(Run.open(given.work, given.run).do(sys.stdin.read()))


def _end(given: argparse.Namespace) -> None:
    print(save(given.work, Run.open(given.work, given.run).end(learn=given.learn)))


def _play(given: argparse.Namespace) -> None:
    play(
        given.work,
        given.project,
        files=given.recorded,
        memory=given.memory,
        learn=not given.no_learn,
    )


def _table(given: argparse.Namespace) -> None:
    print(tables(load(given.results or [given.work / "results.jsonl"])))


def _run(given: argparse.Namespace) -> None:
    trial = Trial(
        work=given.work,
        agent=given.agent,
        limit=given.limit * 60,
        memories=dict(given.memory),
    )
    trial.run(
        given.projects,
        tasks=given.tasks,
        training=given.train,
        arms=given.arms,
        repeats=given.repeats,
        seed=given.seed,
    )
    print(tables(load([given.work / "results.jsonl"])))


def _arm_memory(text: str) -> tuple[str, Path]:
    arm, _, folder = text.partition("=")
    if arm not in ARMS or not folder:
        raise argparse.ArgumentTypeError(f"{text!r} is not ARM=DIR")
    return arm, Path(folder)


def _parser() -> argparse.ArgumentParser:
    layout = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser("bench trial", description=__doc__, formatter_class=layout)
    parser.add_argument("--work", type=Path, default=Path("trial-work"), help="where runs are kept")
    verbs = parser.add_subparsers(required=True, metavar="VERB")

    verb = verbs.add_parser("run", help="a whole trial with any agent")
    verb.add_argument("--agent", required=True, help="reads a prompt on standard input")
    verb.add_argument("--projects", nargs="+", default=["atlas", "freight"], metavar="PROJECT")
    verb.add_argument("--train", nargs="*", type=int, default=[1, 2, 3], metavar="TASK")
    verb.add_argument("--tasks", nargs="+", type=int, default=[4, 5, 6], metavar="TASK")
    verb.add_argument("--arms", nargs="+", choices=ARMS, default=["none", "hooks"])
    verb.add_argument("--repeats", type=int, default=1, help="runs of each task in each arm")
    verb.add_argument("--seed", type=int, default=1, help="of the order of the runs")
    verb.add_argument("--limit", type=float, default=20, help="minutes for one run")
    verb.add_argument(
        "--memory",
        nargs="*",
        type=_arm_memory,
        default=[],
        metavar="ARM=DIR",
        help="no training of this arm",
    )
    verb.set_defaults(go=_run)

    verb = verbs.add_parser("begin", help="make a workspace, print the file with the prompt")
    verb.add_argument("project")
    verb.add_argument("task", type=int)
    verb.add_argument("run")
    verb.add_argument("--arm", choices=ARMS, default="hooks")
    verb.add_argument("--label", default="", help="name of the arm in the table")
    verb.add_argument("--memory", type=Path, help="what earlier runs left; it is copied")
    verb.add_argument("--changed", action="store_true", help="the project in its second form")
    verb.set_defaults(go=_begin)

    verb = verbs.add_parser("do", help="the agent's shell: a command on standard input")
    verb.add_argument("run")
    verb.set_defaults(go=_do)

    verb = verbs.add_parser("end", help="check the result, count, print one line of JSON")
    verb.add_argument("run")
    verb.add_argument("--learn", action="store_true", help="work the queue until it is empty")
    verb.set_defaults(go=_end)

    verb = verbs.add_parser("play", help="recorded runs through the hooks: is each cure told?")
    verb.add_argument("project")
    verb.add_argument("recorded", nargs="+", type=Path)
    verb.add_argument("--memory", type=Path, help="what earlier runs left; it is copied")
    verb.add_argument("--no-learn", action="store_true", help="each run with the same memory")
    verb.set_defaults(go=_play)

    verb = verbs.add_parser("table", help="means and intervals by arm")
    verb.add_argument("results", nargs="*", type=Path)
    verb.set_defaults(go=_table)
    return parser
