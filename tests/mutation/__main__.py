"""Runs the tests against small wrong changes: `make mutants`, or with some files' names.

Every mutant is tried in a copy of the sources, by those tests that run its statement. One that
none of them notices survives. What was judged before stands in `.mutants.json`.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tests.mutation.mutants import SOURCES, Mutant, listed, own_tests
from tests.mutation.near import Reach, Tracer, chosen, read
from tests.mutation.operators import drawn, sampled
from tests.mutation.sandbox import Sandbox
from tests.mutation.verdicts import Verdicts

_LONGEST = 3600.0  # seconds for the tests without a change
_PATIENCE, _SLOWER = 30.0, 10.0  # a mutant that takes so much longer never ends: it is noticed


def main(options: argparse.Namespace) -> int:
    """Try the mutants whose file has one of the names; how many survived."""
    is_made = options.sample or options.total
    mutants = _made(options) if is_made else _listed(options.names)
    verdicts = Verdicts(is_new=options.again)
    unknown = [mutant for mutant in mutants if verdicts.find(mutant) is None]
    if unknown:
        with tempfile.TemporaryDirectory() as place:
            _judge(unknown, Sandbox(Path(place)), verdicts)
    survivors = [mutant for mutant in mutants if not verdicts.find(mutant)]
    _print_table(mutants, survivors)
    return len(survivors)


def _listed(names: list[str]) -> list[Mutant]:
    """The mutants of the list whose text is still there; says so of the others."""
    found = [mutant for mutant in listed() if _is_named(mutant.file, names)]
    for mutant in found:
        if mutant.at < 0:
            print("stale   ", mutant)
    return [mutant for mutant in found if mutant.at >= 0]


def _made(options: argparse.Namespace) -> list[Mutant]:
    files = (str(path.relative_to(SOURCES)) for path in sorted(SOURCES.rglob("*.py")))
    named = [file for file in files if _is_named(file, options.names)]
    if options.total:
        return drawn(named, options.total, options.seed)
    return [mutant for file in named for mutant in sampled(file, options.sample, options.seed)]


def _is_named(file: str, names: list[str]) -> bool:
    """Whether a file is one of the names, or has a part of that name."""
    parts = [name for name in names if not (SOURCES / name).is_file()]
    return not names or file in names or any(part in file for part in parts)


def _judge(mutants: list[Mutant], sandbox: Sandbox, verdicts: Verdicts) -> None:
    """Try each with the tests of its file's name, which are quick, then with all near it."""
    own = [mutant._replace(tests=own_tests(mutant.file)) for mutant in mutants]
    for mutant, noticed, _ in _tried([mutant for mutant in own if mutant.tests], sandbox):
        if noticed:
            _keep(mutant, noticed, verdicts)
    rest = [mutant for mutant in mutants if verdicts.find(mutant) is None]
    for mutant, noticed, count in _tried(rest, sandbox):
        _keep(mutant, noticed, verdicts, count)


def _tried(mutants: list[Mutant], sandbox: Sandbox) -> Iterator[tuple[Mutant, str, int]]:
    """Each mutant with the test that noticed it, and how many tests there were."""
    for tests in dict.fromkeys(mutant.tests for mutant in mutants):
        group = [mutant for mutant in mutants if mutant.tests == tests]
        reached = _traced(sandbox, tests, {mutant.file for mutant in group})
        for mutant in group:
            only = chosen(mutant, reached)
            limit = _limit(only, reached)
            with sandbox.changed(mutant):
                yield mutant, sandbox.failing(tests, only, limit=limit), len(only)


def _limit(only: list[str], reached: dict[str, Reach]) -> float:
    """The seconds that a mutant's tests may take, by what they took without it."""
    return _PATIENCE + _SLOWER * sum(reached[test].seconds for test in only or reached)


def _keep(mutant: Mutant, noticed: str, verdicts: Verdicts, count: int = 0) -> None:
    verdicts.add(mutant, noticed)
    print("killed  " if noticed else "SURVIVED", mutant, noticed or count, flush=True)


def _traced(sandbox: Sandbox, tests: tuple[str, ...], files: set[str]) -> dict[str, Reach]:
    """What each test runs; without a change all have to pass, else nothing is known."""
    out = sandbox.copy.parent / "reached.json"
    tracer = Tracer(sandbox.copy / "src" / "hardwon", files, out)
    if failed := sandbox.failing(tests, plugin=tracer, limit=_LONGEST):
        raise SystemExit(f"the tests fail without any change: {failed}")
    return read(out)


def _print_table(mutants: list[Mutant], survivors: list[Mutant]) -> None:
    run = Counter(_package(mutant) for mutant in mutants)
    alive = Counter(_package(mutant) for mutant in survivors)
    for mutant in survivors:
        print("survived", mutant)
    for package in sorted(run):
        print(f"{package:24} {run[package]:4} run {run[package] - alive[package]:4} killed")
    killed = len(mutants) - len(survivors)
    print(f"{'all':24} {len(mutants):4} run {killed:4} killed")


def _package(mutant: Mutant) -> str:
    return str(Path(mutant.file).parent) if "/" in mutant.file else mutant.file


if __name__ == "__main__":
    parser = argparse.ArgumentParser("make mutants", description=__doc__)
    parser.add_argument("names", nargs="*", help="parts of file names")
    parser.add_argument("--sample", type=int, metavar="N", help="N made mutants of every file")
    parser.add_argument("--total", type=int, metavar="N", help="N made mutants of all these files")
    parser.add_argument("--seed", default="", help="any text, for another sample")
    parser.add_argument("--again", action="store_true", help="forget what was judged before")
    raise SystemExit(1 if main(parser.parse_args()) else 0)
