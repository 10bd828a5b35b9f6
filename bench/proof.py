"""Whether the proof can be trusted: years without effect, planted effects, wrong retirements.

`python -m bench proof` prints all three; `years`, `power` or `retirements` after it only one, and
`short` makes a tenth of all repetitions. Years go through a real store with a look a day, in
memory where the system has a folder for that. Effects are planted behind the real coin, and
counted as a store counts them.
"""

from __future__ import annotations

import os
import random
import sys
import tempfile
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from hardwon.core.values.delivery import Unit
from hardwon.core.values.report import Window
from hardwon.core.values.scope import Scope
from hardwon.engine.pipeline.hold_out import verdicts
from hardwon.knowledge.proof.effect import Arms, effect, toss
from hardwon.knowledge.proof.verdicts import RATES, RATIOS, REAL_CUT, Prior, to_retire
from hardwon.storage.ports import Store
from hardwon.storage.sql.logs import SqlUnits
from hardwon.storage.stores.sqlite import MemoryStore, SqliteStore

START = datetime(2026, 1, 1, tzinfo=UTC)
SCOPE = Scope("acme", "coder", "api")
EVER = Window(SCOPE, START)
LESSONS = 190
LOOKS = (50, 200, 500, 1000, 2000, 5000)
EVERY = 10  # runs from one look to the next
IN_MEMORY = "/dev/shm"  # a disk that flushes would take most of the time


class Door(NamedTuple):
    """What was measured at a door on 188 recorded runs."""

    name: str
    units: float  # a run
    rate: float  # of repeats, when nothing is shown


DOORS = (Door("turn", 2.8, 0.213), Door("action", 4.0, 0.072))


class World(NamedTuple):
    """How lessons change the rate of their failures: (share of the lessons, risk ratio)."""

    name: str
    lessons: tuple[tuple[float, float], ...]

    def drawn(self, chance: random.Random, count: int) -> list[float]:
        """The risk ratio of each of so many lessons."""
        weights, ratios = zip(*self.lessons, strict=True)
        return chance.choices(ratios, weights, k=count)


NOTHING = World("nothing helps", ((1.0, 1.0),))
GOOD = World("good", ((0.35, 1.0), (0.40, 0.5), (0.20, 0.2), (0.05, 1.3)))
ASSUMED = World("as the first prior assumes", tuple(zip(Prior().ratios, RATIOS, strict=True)))
WEAK = World("weak", ((0.50, 1.0), (0.30, 0.75), (0.15, 0.5), (0.05, 1.3)))


class Counted:
    """The counts of a store, without the store."""

    def __init__(self) -> None:
        self._arms: dict[str, list[int]] = {}
        self._last = "", False

    def log(self, unit: Unit) -> None:
        """Note a unit; what came of it follows."""
        self._last = unit.door, unit.withheld

    def settle(self, scope: Scope, run: str, family: str, outcome: str) -> None:
        """Count the unit that was noted last."""
        door, is_out = self._last
        arms = self._arms.setdefault(door, [0, 0, 0, 0])
        arms[2 * is_out] += 1
        arms[2 * is_out + 1] += outcome == "repeated"

    def strata(self) -> list[Arms]:
        """The counts of both arms at each door."""
        return [Arms(*arms) for arms in self._arms.values()]


class Team:
    """Runs of agents whose lessons change what happens as a world says."""

    def __init__(self, units: SqlUnits | Counted, world: World, *, share: float, seed: int) -> None:
        self._units = units
        self._salt = f"{seed}"
        self._share = share
        self._chance = random.Random(seed)
        self._ratios = world.drawn(self._chance, LESSONS)
        common = [1 / (rank + 5) for rank in range(LESSONS)]  # a few are met often, most rarely
        self._weights = [sum(common[: rank + 1]) for rank in range(LESSONS)]
        self._runs = 0

    def work(self, runs: int, at: datetime) -> None:
        """So many runs more."""
        for _ in range(runs):
            self._runs += 1
            exposed: set[int] = set()
            for door in DOORS:
                for _ in range(self._count(door)):
                    lesson = self._new(exposed)
                    exposed.add(lesson)
                    self._expose(lesson, door, at)

    def _count(self, door: Door) -> int:
        whole = int(door.units)
        return whole + (self._chance.random() < door.units - whole)

    def _new(self, exposed: set[int]) -> int:
        """A lesson that the run has not been exposed to."""
        while True:
            (lesson,) = self._chance.choices(range(LESSONS), cum_weights=self._weights)
            if lesson not in exposed:
                return lesson

    def _expose(self, lesson: int, door: Door, at: datetime) -> None:
        run, family = f"r{self._runs}", f"k{lesson}"
        names = {"tenant": SCOPE.tenant, "run": run, "family": family}
        is_out = toss(self._salt, **names) < self._share
        unit = Unit(SCOPE, run, family, door.name, is_out, self._share, at, lesson + 1, "words")
        rate = door.rate if is_out else min(0.99, door.rate * self._ratios[lesson])
        came_back = self._chance.random() < rate
        self._units.log(unit)
        self._units.settle(SCOPE, run, family, "repeated" if came_back else "not met")


def claims(strata: Sequence[Arms], *, always_valid: bool = True) -> bool:
    """Whether a look claims that lessons help or harm."""
    found = effect(strata, always_valid=always_valid)
    return bool(found and (found.is_proven or found.is_harmful))


def years(count: int, *, days: int = 365, share: float = 0.2) -> tuple[int, int]:
    """Years without any effect in which a look a day claims one: always-valid, and naive."""
    valid = naive = 0
    for seed in range(count):
        with tempfile.TemporaryDirectory(dir=_fastest()) as home:
            store = SqliteStore(home)
            team = Team(store.units, NOTHING, share=share, seed=seed)
            looks = [_look(store, team, START + timedelta(days=day)) for day in range(days)]
            store.close()
        valid += any(claims(strata) for strata in looks)
        naive += any(claims(strata, always_valid=False) for strata in looks)
    return valid, naive


def _fastest() -> str | None:
    return IN_MEMORY if os.access(IN_MEMORY, os.W_OK) else None


def _look(store: Store, team: Team, day: datetime) -> list[Arms]:
    """What is seen at the end of a day with two runs."""
    team.work(2, day)
    return store.units.arms(EVER)


def power(
    world: World, share: float, *, repetitions: int, looks: Sequence[int] = LOOKS
) -> Iterator[tuple[int, float, float]]:
    """At these looks: the share of teams that see the effect in a single look then, and in one of
    all looks up to then, each with the interval made for it.
    """
    at_end, ever = dict.fromkeys(looks, 0), dict.fromkeys(looks, 0)
    for seed in range(repetitions):
        counted, has_claimed = Counted(), False
        team = Team(counted, world, share=share, seed=seed)
        for done in range(EVERY, max(looks) + 1, EVERY):
            team.work(EVERY, START)
            strata = counted.strata()
            has_claimed = has_claimed or claims(strata)
            if done in at_end:
                at_end[done] += claims(strata, always_valid=False)
                ever[done] += has_claimed
    for look in looks:
        yield look, at_end[look] / repetitions, ever[look] / repetitions


def retirements(stores: int, world: World, *, share: float = 0.2) -> tuple[int, float, int]:
    """How many lessons are retired, how many of them are expected to be useful, how many are."""
    retired, expected, wrong = 0, 0.0, 0
    for seed in range(stores):
        chance = random.Random(seed)
        store, truth = MemoryStore(), world.drawn(chance, 40)
        for lesson, ratio in enumerate(truth, 1):
            _tried(store, lesson, ratio, chance, share)
        chosen = to_retire(verdicts(store, EVER))
        retired += len(chosen.lessons)
        expected += chosen.expected_wrong * len(chosen.lessons)
        wrong += sum(truth[lesson - 1] <= REAL_CUT for lesson in chosen.lessons)
    return retired, expected, wrong


def _tried(
    store: MemoryStore, lesson: int, ratio: float, chance: random.Random, share: float
) -> None:
    """Units of one lesson; some lessons have many."""
    rate = chance.choice(RATES)
    for number in range(int(chance.lognormvariate(4.5, 1))):
        is_out, run = chance.random() < share, f"{lesson}-{number}"
        came_back = chance.random() < min(0.99, rate if is_out else rate * ratio)
        unit = Unit(SCOPE, run, f"k{lesson}", "error", is_out, share, START, lesson, "words")
        store.units.log(unit)
        store.units.settle(SCOPE, run, unit.family, "repeated" if came_back else "not met")


def main() -> None:
    """Print what the documentation publishes."""
    part = 10 if "short" in sys.argv else 1
    tables = {"years": _years, "power": _power, "retirements": _retirements}
    for table in [tables[name] for name in tables if name in sys.argv] or tables.values():
        table(part)


def _years(part: int) -> None:
    count = 400 // part
    valid, naive = years(count)
    print(f"| a look a day, {count} years in which nothing helps | claims |\n|---|---|")
    print(f"| always-valid interval | {valid / count:.1%} |")
    print(f"| interval of a single look | {naive / count:.1%} |\n", flush=True)


def _power(part: int) -> None:
    heads = " | ".join(f"{look:,} runs" for look in LOOKS)
    print(f"| world, hold-out: one look / always-valid | {heads} |\n{'|---' * 7}|")
    for world, share in ((GOOD, 0.1), (GOOD, 0.2), (WEAK, 0.2), (NOTHING, 0.2)):
        found = power(world, share, repetitions=200 // part)
        cells = " | ".join(f"{end:.2f} / {ever:.2f}" for _, end, ever in found)
        print(f"| {world.name}, {share:.0%} | {cells} |", flush=True)


def _retirements(part: int) -> None:
    print("\n| stores of 40 lessons | retired | useful: expected | realised |\n|---|---|---|---|")
    for world, stores in ((ASSUMED, 1000), (GOOD, 1000), (WEAK, 1000)):
        retired, expected, wrong = retirements(stores // part, world)
        shares = f"{expected / retired:.1%} | {wrong / retired:.1%}"
        print(f"| {stores // part:,}: {world.name} | {retired:,} | {shares} |", flush=True)
