"""A trial with live agents: the same tasks in small projects with quirks, with and without memory.

    python -m bench trial run --agent "claude -p --allowedTools Bash"

draws tasks and arms by lot, hands each prompt to a command that reads it on standard input and
has a shell, and prints the table. Several agents by hand: `lot` prints the plan of the runs, `next`
begins the next one and prints the file with its prompt, `end` checks the result and counts, `table`
prints means with intervals. `begin` makes a single run, `play` learns from recorded ones.

Arms: `none`; `hooks`, every event goes through the hooks that `hardwon install claude-code`
writes; `notes`, a file that the agents keep themselves; `how`, a command that searches past
sessions by words; `store`, the memories of mem0 nearest to the task, in the prompt. A model reads
the runs of `hooks` when HARDWON_MODEL_NAME names one. Projects stand in `projects/` and in the
folders of TRIAL_PROJECTS, recorded runs in `recorded/` beside each of these folders.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

from bench.trial.live import ARMS, Run
from bench.trial.lot import Plan, take_next, work_off
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
        is_training=given.train,
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
        arm=given.arm,
        files=given.recorded,
        memory=given.memory,
        learn=not given.no_learn,
    )


def _table(given: argparse.Namespace) -> None:
    print(tables(load(given.results or [given.work / "results.jsonl"])))


def _past(given: argparse.Namespace) -> None:
    print(Run.open(given.work, given.run).search(" ".join(given.words)))


def _lot(given: argparse.Namespace) -> None:
    if given.projects:
        _plan(given).keep(given.work)
    for step in Plan.open(given.work).steps(given.work):
        begin, end = step.commands
        print(f"{step.state:5}  {step.run.name}\n       {begin}\n       {end}")


def _next(given: argparse.Namespace) -> None:
    step = take_next(given.work)
    if step:
        print(step.run.prompt, step.commands[1], sep="\n")
        return
    left = Counter(step.state for step in Plan.open(given.work).steps(given.work))
    sys.exit("trial: nothing to begin; " + ", ".join(f"{left[state]} {state}" for state in left))


def _run(given: argparse.Namespace) -> None:
    given.projects = given.projects or ["atlas", "freight"]
    _plan(given).keep(given.work)
    work_off(given.work, agent=given.agent, limit=given.limit * 60)
    print(tables(load([given.work / "results.jsonl"])))


def _plan(given: argparse.Namespace) -> Plan:
    return Plan(
        projects=given.projects,
        tasks=given.tasks,
        arms=given.arms,
        training=given.train,
        changed=given.changed,
        repeats=given.repeats,
        seed=given.seed,
        memories=dict(given.memory),
        is_recorded=given.recorded,
    )


def _arm_memory(text: str) -> tuple[str, str]:
    label, _, folder = text.partition("=")
    if not folder:
        raise argparse.ArgumentTypeError(f"{text!r} is not ARM=DIR")
    return label, str(Path(folder).resolve())


def _add_plan(verb: argparse.ArgumentParser) -> None:
    add = verb.add_argument
    add("--projects", nargs="+", default=[], metavar="PROJECT")
    add("--train", nargs="*", type=int, default=[1, 2, 3], metavar="TASK")
    add("--tasks", nargs="+", type=int, default=[4, 5, 6], metavar="TASK")
    add("--arms", nargs="+", default=["none", "hooks"], metavar="[LABEL:]ARM")
    add("--changed", nargs="*", default=[], metavar="PROJECT", help="tried in both forms")
    add("--repeats", type=int, default=1, help="runs of each task in each arm")
    add("--seed", type=int, default=1, help="of the order of the runs")
    add(
        "--memory",
        nargs="*",
        type=_arm_memory,
        default=[],
        metavar="LABEL=DIR",
        help="no training of this arm; {project} in DIR is filled in",
    )
    add(
        "--recorded",
        action="store_true",
        help="hooks, how and store learn from the recorded training runs; notes are kept live",
    )


def _parser() -> argparse.ArgumentParser:
    layout = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser("bench trial", description=__doc__, formatter_class=layout)
    parser.add_argument("--work", type=Path, default=Path("trial-work"), help="where runs are kept")
    verbs = parser.add_subparsers(required=True, metavar="VERB")

    verb = verbs.add_parser("run", help="a whole trial with any agent")
    verb.add_argument("--agent", required=True, help="reads a prompt on standard input")
    _add_plan(verb)
    verb.add_argument("--limit", type=float, default=20, help="minutes for one run")
    verb.set_defaults(go=_run)

    verb = verbs.add_parser("lot", help="make a plan (with --projects), print it and what is done")
    _add_plan(verb)
    verb.set_defaults(go=_lot)

    verb = verbs.add_parser("next", help="begin the next run of the plan, print prompt and end")
    verb.set_defaults(go=_next)

    verb = verbs.add_parser("begin", help="make a workspace, print the file with the prompt")
    verb.add_argument("project")
    verb.add_argument("task", type=int)
    verb.add_argument("run")
    verb.add_argument("--arm", choices=ARMS, default="hooks")
    verb.add_argument("--label", default="", help="name of the arm in the table")
    verb.add_argument("--memory", type=Path, help="what earlier runs left; it is copied")
    verb.add_argument("--changed", action="store_true", help="the project in its second form")
    verb.add_argument("--train", action="store_true", help="its memory is for later runs")
    verb.set_defaults(go=_begin)

    verb = verbs.add_parser("do", help="the agent's shell: a command on standard input")
    verb.add_argument("run")
    verb.set_defaults(go=_do)

    verb = verbs.add_parser("end", help="check the result, count, print one line of JSON")
    verb.add_argument("run")
    verb.add_argument(
        "--learn", action="store_true", help="also learn from a run that is no training"
    )
    verb.set_defaults(go=_end)

    verb = verbs.add_parser("past", help="what the command `past` of the arm `how` finds")
    verb.add_argument("run")
    verb.add_argument("words", nargs="*")
    verb.set_defaults(go=_past)

    verb = verbs.add_parser("play", help="learn from recorded runs: is each cure told?")
    verb.add_argument("project")
    verb.add_argument("--arm", choices=("hooks", "how", "store"), default="hooks")
    verb.add_argument("recorded", nargs="+", type=Path)
    verb.add_argument("--memory", type=Path, help="what earlier runs left; it is copied")
    verb.add_argument("--no-learn", action="store_true", help="each run with the same memory")
    verb.set_defaults(go=_play)

    verb = verbs.add_parser("table", help="means and intervals by arm")
    verb.add_argument("results", nargs="*", type=Path)
    verb.set_defaults(go=_table)
    return parser
