"""The chance that a pending call fails in a known way, from counted features.

A feature says how many calls had it and how many of them failed with each kind. The chance of a
kind is that of its most telling feature, drawn towards how often the kind is met at all:

    (failed - 0.4 + base) / (made + 1)

More is taken off for the names that a command or its script has many of: of a hundred some fail by
chance. Calls after a run has met a kind do not count for that kind: the run is warned by then. Of a
call with named arguments every feature is about the same thing, so one that speaks against the rule
holds it down. What comes out is stretched around 0.3, so that chances come true. Counts are
integers, halved when they grow large: what a project has left behind fades.
docs/explanation/actions.md measures it.
"""

from __future__ import annotations

from hardwon._cold.hashing import blake2b

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, MutableMapping, Sequence
    from typing import NamedTuple

    Kinds = tuple[tuple[str, int, int], ...]  # kind, failed, made after its run had met it
    _Rule = tuple[float, int, int, int, int]  # share, length of the name, feature, failed, made
else:
    from hardwon._cold.namedtuple import NamedTuple

_NO_RULE = (0.0, 0, 0, 0, 0)
EVERY = 0  # the number of the feature that every call has
RUN = 1  # that of the first call of a run: its count is the number of runs
PRUNE_EVERY = 256  # calls after which a store looks whether a scope has too many features


class OddsLimits(NamedTuple):
    """How chances are drawn from counts. Chosen on some groups of runs, measured on others."""

    doubt: float = 1.0  # calls by which a share is drawn towards the base rate
    discount: float = 0.4  # of the failures: a feature was chosen because it has some
    target: float = 0.5  # the same for the name of a file or host: there are several in a call
    code: float = 0.75  # and for a name in a script: of a hundred some always fail by chance
    narrow: float = 3.0  # a feature argues against a rule if it is at most this much wider
    weight: float = 4.0  # calls that the rule counts for; a rule without exception, each of its own
    expected: float = 0.5  # failures that it must have made likely at least
    pivot: float = 0.3  # a share that is true as it stands; what is further from it is stretched
    kept: int = 64  # calls of a feature before its counts are halved
    kept_every: int = 4096  # of the feature that every call has
    kinds: int = 24  # failure kinds remembered of one feature, of that of all calls ten times more
    features: int = 20_000  # features remembered of one scope


LIMITS = OddsLimits()


class Call(NamedTuple):
    """A call that was made, as it is counted."""

    features: tuple[int, ...]
    kind: str = ""  # the failure it ended with
    met: tuple[str, ...] = ()  # kinds that its run had met before


class Counts(NamedTuple):
    """How often a feature was there, and what came of it."""

    made: int = 0
    kinds: Kinds = ()
    touched: int = 0  # the number of the call that had it last


class Chance(NamedTuple):
    """How likely a kind of failure is, and the features that say so."""

    kind: str
    chance: float
    because: str = ""  # the most telling feature
    failed: int = 0
    made: int = 0
    despite: str = ""  # the feature that speaks against it most
    despite_failed: int = 0
    despite_made: int = 0

    def explained(self) -> str:
        """The counts behind it in words."""
        words = (
            f"{self.chance:.0%}: failed so in {self.failed} of {self.made} calls ({self.because}"
        )
        if self.despite:
            against = f"{self.despite_failed} of {self.despite_made}"
            words += f"; but in {against} with {self.despite}"
        return f"{words})"


def number(feature: str) -> int:
    """What a store keeps of a feature: 63 bits, neither EVERY nor RUN."""
    digest = blake2b(feature.encode("utf-8", "replace"), digest_size=8).digest()
    return max(RUN + 1, int.from_bytes(digest, "big") >> 1)


def numbered(features: Iterable[str]) -> dict[int, str]:
    """The features by their numbers, in order of their names."""
    return {number(feature): feature for feature in sorted(features)}


def counted(counts: MutableMapping[int, Counts], call: Call, by: OddsLimits = LIMITS) -> None:
    """Count a call; `counts` holds what is known of its features and of every call."""
    turn = counts.get(EVERY, Counts()).touched + 1
    for feature in (EVERY, *call.features):
        limit = {EVERY: by.kept_every, RUN: None}.get(feature, by.kept)
        kinds = by.kinds * 10 if feature == EVERY else by.kinds
        known = _added(counts.get(feature, Counts()), call, kinds)
        is_large = limit is not None and known.made > limit
        counts[feature] = (_halved(known) if is_large else known)._replace(touched=turn)


def _added(known: Counts, call: Call, most: int) -> Counts:
    if not call.kind and not call.met:
        return Counts(known.made + 1, known.kinds)
    kinds = {row[0]: row for row in known.kinds}
    for kind in call.met:
        if kind in kinds:
            _, failed, excused = kinds[kind]
            kinds[kind] = (kind, failed, excused + 1)
    if call.kind and call.kind not in call.met:
        _, failed, excused = kinds.get(call.kind, (call.kind, 0, 0))
        kinds[call.kind] = (call.kind, failed + 1, excused)
    rows = sorted(kinds.values())
    if len(rows) > most:
        rows = sorted(sorted(rows, key=lambda row: (-row[1], row[0]))[:most])
    return Counts(known.made + 1, tuple(rows))


def _halved(known: Counts) -> Counts:
    kinds = ((kind, failed // 2, excused // 2) for kind, failed, excused in known.kinds)
    return Counts(known.made // 2, tuple(row for row in kinds if row[1]))


def over(shelves: Iterable[Mapping[int, Counts]]) -> dict[int, Counts]:
    """The sum of what several shelves know, feature by feature."""
    by_feature: dict[int, list[Counts]] = {}
    for known in shelves:
        for feature, counts in known.items():
            by_feature.setdefault(feature, []).append(counts)
    return {feature: together(counts) for feature, counts in by_feature.items()}


def together(counts: Sequence[Counts]) -> Counts:
    """The sum of what several scopes know of one feature."""
    if len(counts) == 1:  # as nearly always, and the feature of all calls has many kinds
        return counts[0]._replace(touched=0)
    made, kinds = 0, dict[str, tuple[int, int]]()
    for part in counts:
        made += part.made
        for kind, failed, excused in part.kinds:
            known = kinds.get(kind, (0, 0))
            kinds[kind] = (known[0] + failed, known[1] + excused)
    return Counts(made, tuple(sorted((kind, *numbers) for kind, numbers in kinds.items())))


def united(own: Mapping[int, Counts], other: Mapping[int, Counts]) -> dict[int, Counts]:
    """The counts of two scopes for the features of the first, as if they were one scope."""
    both = {
        feature: [known[feature] for known in (own, other) if feature in known] for feature in own
    }
    return {
        feature: together(counts)._replace(touched=max(known.touched for known in counts))
        for feature, counts in both.items()
    }


def chances(
    features: Mapping[int, str],
    counts: Mapping[int, Counts],
    *,
    is_shell: bool,
    least: float = 0.0,
    by: OddsLimits = LIMITS,
) -> list[Chance]:
    """The failures that the call may end with, likeliest first; those below `least` left out."""
    every = counts.get(EVERY, Counts())
    known = [(feature, counts[feature]) for feature in features if feature in counts]
    best: dict[str, _Rule] = {}
    met = {kind: failed for kind, failed, _ in every.kinds} if known else {}
    calls = max(1, every.made)
    for feature, counted in known:
        discount = _discount(features[feature], by) if is_shell else by.discount
        for kind, failed, excused in counted.kinds:
            made = max(failed, counted.made - excused)
            base = met.get(kind, 0) / calls
            share = (failed - discount + by.doubt * base) / (made + by.doubt)
            rule = (share, len(features[feature]), feature, failed, made)  # the fuller name of two
            if failed and rule > best.get(kind, _NO_RULE):
                best[kind] = rule
    against = () if is_shell else known
    likely = (
        _chance(kind, rule, features, against, by)
        for kind, rule in best.items()
        if _stretched(rule[0], by.pivot) >= least  # what speaks against it only lowers it
    )
    return sorted((chance for chance in likely if chance.chance >= least), key=_rank)


def _discount(feature: str, by: OddsLimits) -> float:
    """What is taken off the failures of a feature of a command: more, the more there are of it."""
    if " code " in feature:
        return by.code
    return by.target if " names " in feature else by.discount


def _rank(chance: Chance) -> tuple[float, str]:
    return -chance.chance, chance.kind


def _chance(
    kind: str,
    rule: _Rule,
    features: Mapping[int, str],
    known: Sequence[tuple[int, Counts]],
    by: OddsLimits,
) -> Chance:
    """The chance by its most telling feature, lowered by the strongest one against it."""
    share, _, feature, failed, made = rule
    lowest, chance = share, Chance(kind, 0.0, features[feature], failed, made)
    weight = by.weight * (made if failed == made else 1)
    for other, counted in known:
        bad, excused = next((row[1:] for row in counted.kinds if row[0] == kind), (0, 0))
        tries = counted.made - excused
        if tries > by.narrow * made or tries * share <= by.expected:
            continue
        lower = (bad + weight * share) / (tries + weight)
        if lower < lowest:
            lowest = lower
            chance = chance._replace(
                despite=features[other], despite_failed=bad, despite_made=tries
            )
    return chance._replace(chance=_stretched(lowest, by.pivot))


def _stretched(share: float, pivot: float) -> float:
    """The share as a chance that comes true so often: its odds, squared around the pivot.

    One feature speaks for a failure, and the others that it goes with are not counted.
    """
    share, middle = min(max(share, 0.0), 0.99), pivot / (1 - pivot)
    odds = share / (1 - share)
    odds *= odds / middle
    return odds / (1 + odds)
