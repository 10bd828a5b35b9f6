"""The counts of a queue and its worker in the format of Prometheus."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from hardwon.core.errors import InvalidInput, MissingExtra
from hardwon.core.values.delivery import COUNTED, RESULTS
from hardwon.core.values.job import BUCKETS, QueueCounts, WorkCounter

try:
    from prometheus_client import CollectorRegistry, generate_latest
    from prometheus_client.core import (
        CounterMetricFamily,
        GaugeMetricFamily,
        HistogramMetricFamily,
        Metric,
    )
    from prometheus_client.registry import Collector
except ImportError as error:
    raise MissingExtra("metrics") from error


_ENTRANCES = ("accepted", "rejected_full", "deduped", "dropped_oldest")
_SPENT = {
    "calls": "Calls of models since midnight UTC.",
    "tokens": "Tokens of models since midnight UTC.",
    "money": "Dollars spent on models since midnight UTC.",
}
_OUTCOMES = ("success", "skipped", "transient", "permanent")


def exposition(
    queue: QueueCounts,
    work: WorkCounter,
    spent: Mapping[str, float] | None = None,
    *,
    deliveries: Iterable[tuple[str, str, int]] = (),
    prefix: str = "hardwon",
) -> bytes:
    """One scrape: the current counters, what models have cost today, and what agents were told.

    `deliveries` are counts by door and outcome.
    """
    if not re.fullmatch(r"[A-Za-z_:][A-Za-z0-9_:]*", prefix):
        raise InvalidInput(f"metrics.prefix: {prefix!r} cannot begin the name of a metric")
    registry = CollectorRegistry(auto_describe=False)
    costs = (
        GaugeMetricFamily(f"{prefix}_model_{name}_today", description, (spent or {}).get(name, 0.0))
        for name, description in _SPENT.items()
    )
    told = _count_told(deliveries, f"{prefix}_")
    registry.register(_Families(*_families(queue, work, f"{prefix}_lessonq_"), *costs, *told))
    return generate_latest(registry)


class _Families(Collector):
    def __init__(self, *families: Metric) -> None:
        self._families = families

    def collect(self) -> tuple[Metric, ...]:
        return self._families


def _families(queue: QueueCounts, work: WorkCounter, prefix: str) -> Iterator[Metric]:
    entered = {outcome: getattr(queue, outcome) for outcome in _ENTRANCES}
    attempts = {outcome: work.attempts.get(outcome, 0) for outcome in _OUTCOMES}
    retries = {str(attempt): count for attempt, count in sorted(work.retries.items())}
    for name, description, label, values in (
        ("enqueue", "Jobs that came, by what became of them.", "outcome", entered),
        ("attempts", "Attempts that ended, by outcome.", "outcome", attempts),
        ("retry", "Retries, by the number of the attempt that failed.", "attempt", retries),
    ):
        family = CounterMetricFamily(prefix + name, description, labels=[label])
        for value, count in values.items():
            family.add_metric([value], count)
        yield family
    yield _durations(work, prefix)
    count, gauge = CounterMetricFamily, GaugeMetricFamily
    for kind, name, description, number in (
        (count, "wal_corruption", "Records set aside because they were unreadable.", queue.corrupt),
        (count, "stale_discarded", "Jobs given up at replay because of their age.", queue.stale),
        (count, "persist_failures", "Lessons the store did not take.", work.persist_failures),
        (count, "wal_fsync_errors", "Writes the disk refused.", queue.storage_errors),
        (gauge, "queue_depth", "Pending jobs in memory.", queue.in_memory),
        (gauge, "dlq_size", "Jobs among the dead letters.", queue.dead),
        (gauge, "wal_segments", "Records of jobs that wait or are in flight.", queue.pending),
    ):
        yield kind(prefix + name, description, number)


def _count_told(deliveries: Iterable[tuple[str, str, int]], prefix: str) -> Iterator[Metric]:
    counts: Counter[tuple[str, str]] = Counter()
    for door, outcome, times in deliveries:
        counts["told", door] += times
        if outcome in RESULTS:
            counts[RESULTS[outcome], door] += times
    for name, description in COUNTED.items():
        family = CounterMetricFamily(prefix + name, description, labels=["door"])
        for (counted, door), times in sorted(counts.items()):
            if counted == name:
                family.add_metric([door], times)
        yield family


def _durations(work: WorkCounter, prefix: str) -> Metric:
    description = "Time from claim to outcome, by outcome."
    name = f"{prefix}processing_duration_seconds"
    family = HistogramMetricFamily(name, description, labels=["outcome"])
    for outcome, counts in work.buckets.items():
        total, rows = 0, []
        for edge, count in zip((*map(float, BUCKETS), "+Inf"), counts, strict=True):
            total += count
            rows.append((str(edge), float(total)))
        family.add_metric([outcome], rows, work.seconds[outcome])
    return family
