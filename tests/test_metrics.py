"""The counts as Prometheus reads them."""

from __future__ import annotations

import subprocess
from typing import Any

import pytest
from prometheus_client.core import Metric
from prometheus_client.parser import text_string_to_metric_families

from hardwon.core.errors import InvalidInput
from hardwon.core.metrics import exposition
from hardwon.core.values.job import QueueCounts, WorkCounter, since
from tests.programs import needs

PUBLISHED = {
    "enqueue": "counter",
    "queue_depth": "gauge",
    "processing_duration_seconds": "histogram",
    "attempts": "counter",
    "retry": "counter",
    "dlq_size": "gauge",
    "wal_segments": "gauge",
    "wal_corruption": "counter",
    "stale_discarded": "counter",
    "persist_failures": "counter",
}


def scraped(
    queue: QueueCounts = QueueCounts(), ledger: WorkCounter | None = None, **more: Any
) -> dict[str, Metric]:
    """The families of a page, by what follows the prefix in their names."""
    page = exposition(queue, ledger or WorkCounter(), **more).decode()
    found = text_string_to_metric_families(page)
    return {one.name.removeprefix("hardwon_").removeprefix("lessonq_"): one for one in found}


def values(family: Metric) -> dict[tuple[str, ...], float]:
    """The values by the end of their name and their labels."""
    return {
        (
            sample.name.rsplit("_", 1)[1],
            *(sample.labels[name] for name in sorted(sample.labels, reverse=True)),
        ): sample.value
        for sample in family.samples
    }


def test_all_ten_are_there_with_their_kinds_from_the_start() -> None:
    kinds = {name: family.type for name, family in scraped().items()}

    assert kinds.items() >= PUBLISHED.items()


def test_the_published_names_can_be_had() -> None:
    names = scraped(prefix="chatcli").keys()

    assert names >= {f"chatcli_lessonq_{name}" for name in PUBLISHED}
    assert names.isdisjoint(PUBLISHED)
    with pytest.raises(InvalidInput, match=r"metrics\.prefix"):
        scraped(prefix="a b")


def test_the_dead_and_the_waiting_are_told_apart() -> None:
    found = scraped(QueueCounts(pending=7, dead=3, in_memory=5))

    names = ("dlq_size", "wal_segments", "queue_depth")
    assert [found[name].samples[0].value for name in names] == [3, 7, 5]


def test_a_histogram_adds_up() -> None:
    ledger = WorkCounter()
    for seconds in (0.2, 3, 500):
        ledger.count_attempt("success", seconds)

    found = values(scraped(ledger=ledger)["processing_duration_seconds"])

    assert found["bucket", "success", "0.5"] == 1
    assert found["bucket", "success", "5.0"] == 2
    assert found["bucket", "success", "120.0"] == 2
    assert found["bucket", "success", "+Inf"] == found["count", "success"] == 3
    assert found["sum", "success"] == 503.2


def test_retries_are_sorted_by_the_attempt_that_failed() -> None:
    ledger = WorkCounter()
    for attempt in (1, 1, 2):
        ledger.count_retry(attempt)

    assert values(scraped(ledger=ledger)["retry"]) == {("total", "1"): 2, ("total", "2"): 1}


def test_events_count_from_the_start_of_the_worker() -> None:
    before, now = QueueCounts(deduped=5, accepted=9), QueueCounts(deduped=7, accepted=9)

    assert since(before, now) == QueueCounts(deduped=2, accepted=9)


def test_what_models_have_cost_today_is_told() -> None:
    spent = {"calls": 3, "tokens": 1200, "money": 0.25}

    found = scraped(spent=spent)

    for name, amount in spent.items():
        assert found[f"model_{name}_today"].samples[0].value == amount


def test_deliveries_are_counted_by_what_came_of_them() -> None:
    outcomes = ("worked", "overcome", "not met", "denied", "failed the same way", "repeated", "")

    found = scraped(deliveries=[("error", outcome, 2) for outcome in outcomes])

    assert values(found["told"]) == {("total", "error"): 14}
    for name in ("followed", "prevented", "came_back"):
        assert values(found[name]) == {("total", "error"): 4}


@pytest.mark.adapters
def test_prometheus_has_nothing_to_say_against_a_page() -> None:
    promtool = needs("promtool", package="prometheus", is_service=True)
    ledger = WorkCounter()
    ledger.count_attempt("success", 3)
    ledger.count_retry(1)

    page = exposition(QueueCounts(pending=7, dead=3), ledger, {"calls": 3})

    check = [promtool, "check", "metrics"]
    found = subprocess.run(check, input=page, capture_output=True, check=False)
    assert (found.returncode, found.stdout, found.stderr) == (0, b"", b"")
