"""The chance that a pending call fails with a known kind, from counted features.

For each feature it is counted how many calls had it and how many of them failed with each kind. The
chance of a kind is that of its strongest feature, drawn towards the base rate of the kind:

    (failed - 0.4 + base) / (made + 1)

More is subtracted for names of files and names in scripts: a call has many of them, so some fail by
chance. Calls after a run has met a kind do not count for that kind: the run knows it by then. For
calls with named arguments, a feature with few failures lowers the chance. The result is stretched
around 0.3, so that it is calibrated. Counts are integers and are halved when they grow large, so
that old behaviour fades.
docs/explanation/actions.md measures it.
"""

from __future__ import annotations

from hardwon._cold.hashing import blake2b

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, MutableMapping, Sequence
    from typing import NamedTuple

    Kinds = tuple[tuple[str, int, int], ...]  # kind, failed, calls after its run had met it
    _Rule = tuple[float, int, int, int, int]  # share, length of the name, feature, failed, made
else:
    from hardwon._cold.namedtuple import NamedTuple

EVERY = 0  # the number of the feature that every call has
RUN = 1  # the number of the feature of a run's first call: its count is the number of runs
PRUNE_EVERY = 256  # calls after which a store checks whether a scope has too many features


class OddsLimits(NamedTuple):
    """How chances are computed from counts. Chosen on some groups of runs, measured on others."""

    doubt: float = 1.0  # the weight of the base rate, in calls
    discount: float = 0.4  # subtracted from failures: a feature was chosen because it has some
    target: float = 0.5  # the same for the name of a file or host, as a call has several
    code: float = 0.75  # the same for a name in a script, as a script has many
    exception: float = 0.3  # more for a feature of a command that has also worked with it
    narrow: float = 3.0  # a feature lowers a chance if it has at most this many times its calls
    weight: float = 4.0  # the weight of the rule, in calls; times its calls if it has no exception
    expected: float = 0.5  # failures that the rule must lead to expect among the feature's calls
    pivot: float = 0.3  # this share stays as it is; others are stretched away from it
    kept: int = 64  # calls of a feature before its counts are halved
    kept_every: int = 4096  # of the feature that every call has
    kinds: int = 24  # failure kinds kept for one feature; ten times as many for EVERY
    features: int = 20_000  # features kept for one scope


LIMITS = OddsLimits()


class Call(NamedTuple):
    """A call that was made, as it is counted."""

    features: tuple[int, ...]
    kind: str = ""  # the failure it ended with
    met: tuple[str, ...] = ()  # kinds that its run had met before


class Counts(NamedTuple):
    """How many calls had a feature, and how many failed with each kind."""

    made: int = 0
    kinds: Kinds = ()
    touched: int = 0  # the number of the call that had it last


class Chance(NamedTuple):
    """How likely a failure kind is, with the features for and against it."""

    kind: str
    chance: float
    because: str = ""  # the strongest feature
    failed: int = 0
    made: int = 0
    despite: str = ""  # the feature that lowers the chance most
    despite_failed: int = 0
    despite_made: int = 0

    def explained(self) -> str:
        """The counts behind the chance, in words."""
        words = (
            f"{self.chance:.0%}: failed so in {self.failed} of {self.made} calls ({self.because}"
        )
        if self.despite:
            against = f"{self.despite_failed} of {self.despite_made}"
            words += f"; but in {against} with {self.despite}"
        return f"{words})"


def number(feature: str) -> int:
    """The number that a store keeps for a feature: 63 bits."""
    digest = blake2b(feature.encode("utf-8", "replace"), digest_size=8).digest()
    return int.from_bytes(digest, "big") >> 1


def numbered(features: Iterable[str]) -> dict[int, str]:
    """The features by their numbers, in order of their names."""
    return {number(feature): feature for feature in sorted(features)}


def counted(counts: MutableMapping[int, Counts], call: Call, by: OddsLimits = LIMITS) -> None:
    """Count a call in `counts`, which holds the counts of its features and of EVERY."""
    turn = counts.get(EVERY, Counts()).touched + 1
    for feature in (EVERY, *call.features):
        limit = {EVERY: by.kept_every, RUN: None}.get(feature, by.kept)
        kinds = by.kinds * 10 if feature == EVERY else by.kinds
        updated = _added(counts.get(feature, Counts()), call, kinds)
        is_large = limit is not None and updated.made > limit
        counts[feature] = (_halved(updated) if is_large else updated)._replace(touched=turn)


def _added(counts: Counts, call: Call, most: int) -> Counts:
    if not call.kind and not call.met:
        return Counts(counts.made + 1, counts.kinds)
    kinds = {row[0]: row for row in counts.kinds}
    for kind in call.met:
        if kind in kinds:
            _, failed, excused = kinds[kind]
            kinds[kind] = (kind, failed, excused + 1)
    if call.kind and call.kind not in call.met:
        _, failed, excused = kinds.get(call.kind, (call.kind, 0, 0))
        kinds[call.kind] = (call.kind, failed + 1, excused)
    rows = sorted(kinds.values(), key=lambda row: (-row[1], row[0]))[:most]
    return Counts(counts.made + 1, tuple(sorted(rows)))


def _halved(counts: Counts) -> Counts:
    kinds = ((kind, failed // 2, excused // 2) for kind, failed, excused in counts.kinds)
    return Counts(counts.made // 2, tuple(row for row in kinds if row[1]))


def over(shelves: Iterable[Mapping[int, Counts]]) -> dict[int, Counts]:
    """The sum of the counts of several shelves, by feature."""
    by_feature: dict[int, list[Counts]] = {}
    for shelf in shelves:
        for feature, counts in shelf.items():
            by_feature.setdefault(feature, []).append(counts)
    return {feature: together(counts) for feature, counts in by_feature.items()}


def together(counts: Sequence[Counts]) -> Counts:
    """The sum of the counts of one feature in several scopes."""
    if len(counts) == 1:  # the usual case, and worth it: EVERY has many kinds
        return counts[0]._replace(touched=0)
    made, kinds = 0, dict[str, tuple[int, int]]()
    for part in counts:
        made += part.made
        for kind, failed, excused in part.kinds:
            sums = kinds.get(kind, (0, 0))
            kinds[kind] = (sums[0] + failed, sums[1] + excused)
    return Counts(made, tuple(sorted((kind, *numbers) for kind, numbers in kinds.items())))


def united(own: Mapping[int, Counts], other: Mapping[int, Counts]) -> dict[int, Counts]:
    """The sum of the counts of two scopes, for the features of the first."""
    both = {
        feature: [scope_counts[feature] for scope_counts in (own, other) if feature in scope_counts]
        for feature in own
    }
    return {
        feature: together(counts)._replace(
            touched=max(scope_counts.touched for scope_counts in counts)
        )
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
    """The failures that the call may end with, likeliest first; none below `least`."""
    present = [(feature, counts[feature]) for feature in features if feature in counts]
    all_calls = counts.get(EVERY, Counts()) if present else Counts()
    best = _best_rules(features, present, all_calls, is_shell=is_shell, by=by)
    against = () if is_shell else [row for row in present if not _is_in_code(features[row[0]])]
    likely = (
        _chance(kind, rule, features, against, by)
        for kind, rule in best.items()
        if _stretched(rule[0], by.pivot) >= least  # other features only lower it
    )
    return sorted((chance for chance in likely if chance.chance >= least), key=_rank)


def _best_rules(
    features: Mapping[int, str],
    present: Sequence[tuple[int, Counts]],
    all_calls: Counts,
    *,
    is_shell: bool,
    by: OddsLimits,
) -> dict[str, _Rule]:
    """The most telling feature of each kind; of equals, the one with the longer name."""
    best: dict[str, _Rule] = {}
    met_kinds = {kind: failed for kind, failed, _ in all_calls.kinds}
    calls = max(1, all_calls.made)
    for feature, counted in present:
        name = features[feature]
        discount = _discount(name, by, is_shell=is_shell)
        for kind, failed, excused in counted.kinds:
            made = max(failed, counted.made - excused)
            base = met_kinds.get(kind, 0) / calls
            doubted = discount + by.exception * (is_shell and made > failed)
            share = (failed - doubted + by.doubt * base) / (made + by.doubt)
            rule = (share, len(name), feature, failed, made)
            best[kind] = max(rule, best.get(kind, rule))
    return best


def _discount(feature: str, by: OddsLimits, *, is_shell: bool) -> float:
    """What is taken off the failures of a feature: more, the more of its sort a call has."""
    if _is_in_code(feature):
        return by.code
    return by.target if is_shell and " names " in feature else by.discount


def _is_in_code(feature: str) -> bool:
    """Whether it is a name in a script or a query; the shape of a value holds any words."""
    return " code " in feature and " is shaped " not in feature


def _rank(chance: Chance) -> tuple[float, str]:
    return -chance.chance, chance.kind


def _chance(
    kind: str,
    rule: _Rule,
    features: Mapping[int, str],
    others: Sequence[tuple[int, Counts]],
    by: OddsLimits,
) -> Chance:
    """The chance by its strongest feature, lowered by the strongest one against it."""
    share, _, feature, failed, made = rule
    lowest, chance = share, Chance(kind, 0.0, features[feature], failed, made)
    weight = by.weight * (made if failed == made else 1)
    for other, counted in others:
        other_failed, excused = next((row[1:] for row in counted.kinds if row[0] == kind), (0, 0))
        tries = counted.made - excused
        if tries > by.narrow * made or tries * share <= by.expected:
            continue
        lower = (other_failed + weight * share) / (tries + weight)
        if lower < lowest:
            lowest = lower
            chance = chance._replace(
                despite=features[other], despite_failed=other_failed, despite_made=tries
            )
    return chance._replace(chance=_stretched(lowest, by.pivot))


def _stretched(share: float, pivot: float) -> float:
    """The share as a calibrated chance: its odds are squared around the pivot.

    Only one feature is used, though others often point the same way, so raw shares are too mild.
    """
    share, middle = min(max(share, 0.0), 0.99), pivot / (1 - pivot)
    odds = share / (1 - share)
    odds *= odds / middle
    return odds / (1 + odds)
