"""The counts of a queue and its worker in the format of Prometheus."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from hardwon.core.errors import InvalidInput, MissingExtra
from hardwon.core.values.delivery import COUNTED, RESULTS
from hardwon.core.values.job import BUCKETS, QueueCounts, WorkCounts

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
    work: WorkCounts,
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
    registry.register(_Counts(queue, work, f"{prefix}_lessonq_"))
    registry.register(_Spent(spent or {}, f"{prefix}_model_"))
    registry.register(_Told(deliveries, f"{prefix}_"))
    return generate_latest(registry)


class _Spent(Collector):
    def __init__(self, spent: Mapping[str, float], prefix: str) -> None:
        self._spent = spent
        self._prefix = prefix

    def collect(self) -> Iterator[Metric]:
        for name, description in _SPENT.items():
            amount = self._spent.get(name, 0.0)
            yield GaugeMetricFamily(f"{self._prefix}{name}_today", description, amount)


class _Told(Collector):
    def __init__(self, deliveries: Iterable[tuple[str, str, int]], prefix: str) -> None:
        self._counts: Counter[tuple[str, str]] = Counter()
        for door, outcome, times in deliveries:
            self._counts["told", door] += times
            if outcome in RESULTS:
                self._counts[RESULTS[outcome], door] += times
        self._prefix = prefix

    def collect(self) -> Iterator[Metric]:
        for name, description in COUNTED.items():
            family = CounterMetricFamily(f"{self._prefix}{name}", description, labels=["door"])
            for (counted, door), times in sorted(self._counts.items()):
                if counted == name:
                    family.add_metric([door], times)
            yield family


class _Counts(Collector):
    def __init__(self, queue: QueueCounts, work: WorkCounts, prefix: str) -> None:
        self._queue = queue
        self._work = work
        self._prefix = prefix

    def collect(self) -> Iterator[Metric]:
        queue, work = self._queue, self._work
        yield self._counter_family(
            "enqueue", "Jobs that came, by what became of them.", "outcome",
            {outcome: getattr(queue, outcome) for outcome in _ENTRANCES},
        )  # fmt: skip
        yield self._counter_family(
            "attempts", "Attempts that ended, by outcome.", "outcome",
            {outcome: work.attempts.get(outcome, 0) for outcome in _OUTCOMES},
        )  # fmt: skip
        yield self._counter_family(
            "retry", "Retries, by the number of the attempt that failed.", "attempt",
            {str(attempt): count for attempt, count in sorted(work.retries.items())},
        )  # fmt: skip
        yield self._durations()
        for name, (description, number) in self._plain_counters().items():
            yield CounterMetricFamily(self._prefix + name, description, number)
        for name, (description, number) in self._gauges().items():
            yield GaugeMetricFamily(self._prefix + name, description, number)

    def _plain_counters(self) -> dict[str, tuple[str, int]]:
        queue = self._queue
        return {
            "wal_corruption": ("Records set aside because they were unreadable.", queue.corrupt),
            "stale_discarded": ("Jobs given up at replay because of their age.", queue.stale),
            "persist_failures": ("Lessons the store did not take.", self._work.persist_failures),
            "wal_fsync_errors": ("Writes the disk refused.", queue.storage_errors),
        }

    def _gauges(self) -> dict[str, tuple[str, int]]:
        queue = self._queue
        return {
            "queue_depth": ("Pending jobs in memory.", queue.in_memory),
            "dlq_size": ("Jobs among the dead letters.", queue.dead),
            "wal_segments": ("Records of jobs that wait or are in flight.", queue.pending),
        }

    def _durations(self) -> HistogramMetricFamily:
        family = HistogramMetricFamily(
            f"{self._prefix}processing_duration_seconds",
            "Time from claim to outcome, by outcome.",
            labels=["outcome"],
        )
        for outcome, counts in self._work.buckets.items():
            total, rows = 0, []
            for edge, count in zip((*map(float, BUCKETS), "+Inf"), counts, strict=True):
                total += count
                rows.append((str(edge), float(total)))
            family.add_metric([outcome], rows, self._work.seconds[outcome])
        return family

    def _counter_family(
        self, name: str, description: str, label: str, values: dict[str, int]
    ) -> CounterMetricFamily:
        family = CounterMetricFamily(self._prefix + name, description, labels=[label])
        for value, count in values.items():
            family.add_metric([value], count)
        return family
