"""The counts as Prometheus reads them."""

from __future__ import annotations

import subprocess

import pytest
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


def scraped(queue: QueueCounts, ledger: WorkCounter) -> dict[str, dict[tuple[str, ...], float]]:
    families = text_string_to_metric_families(exposition(queue, ledger.counts).decode())
    return {
        family.name.removeprefix("hardwon_lessonq_"): {
            (sample.name.rsplit("_", 1)[1], *_labels(sample.labels)): sample.value
            for sample in family.samples
        }
        for family in families
    }


def _labels(labels: dict[str, str]) -> list[str]:
    return [value for _, value in sorted(labels.items(), reverse=True)]


def test_all_ten_are_there_with_their_kinds_from_the_start() -> None:
    families = text_string_to_metric_families(
        exposition(QueueCounts(), WorkCounter().counts).decode()
    )

    kinds = {one.name.removeprefix("hardwon_lessonq_"): one.type for one in families}

    assert kinds.items() >= PUBLISHED.items()


def test_the_published_names_can_be_had() -> None:
    page = exposition(QueueCounts(), WorkCounter().counts, prefix="chatcli").decode()

    names = {family.name for family in text_string_to_metric_families(page)}
    assert names >= {f"chatcli_lessonq_{name}" for name in PUBLISHED}
    assert not any(name.startswith("hardwon") for name in names)
    with pytest.raises(InvalidInput, match=r"metrics\.prefix"):
        exposition(QueueCounts(), WorkCounter().counts, prefix="a b")


def test_the_dead_and_the_waiting_are_told_apart() -> None:
    found = scraped(QueueCounts(pending=7, dead=3, in_memory=5), WorkCounter())

    assert found["dlq_size"] == {("size",): 3}
    assert found["wal_segments"] == {("segments",): 7}
    assert found["queue_depth"] == {("depth",): 5}


def test_a_histogram_adds_up() -> None:
    ledger = WorkCounter()
    for seconds in (0.2, 3, 500):
        ledger.count_attempt("success", seconds)

    found = scraped(QueueCounts(), ledger)["processing_duration_seconds"]

    assert found["bucket", "success", "0.5"] == 1
    assert found["bucket", "success", "5.0"] == 2
    assert found["bucket", "success", "120.0"] == 2
    assert found["bucket", "success", "+Inf"] == found["count", "success"] == 3
    assert found["sum", "success"] == 503.2


def test_retries_are_sorted_by_the_attempt_that_failed() -> None:
    ledger = WorkCounter()
    for attempt in (1, 1, 2):
        ledger.count_retry(attempt)

    assert scraped(QueueCounts(), ledger)["retry"] == {("total", "1"): 2, ("total", "2"): 1}


def test_events_count_from_the_start_of_the_worker() -> None:
    before, now = QueueCounts(deduped=5, accepted=9), QueueCounts(deduped=7, accepted=9)

    assert since(before, now) == QueueCounts(deduped=2, accepted=9)


def test_what_models_have_cost_today_is_told() -> None:
    spent = {"calls": 3, "tokens": 1200, "money": 0.25}

    page = exposition(QueueCounts(), WorkCounter().counts, spent).decode()

    found = {
        one.name: one.samples[0].value
        for one in text_string_to_metric_families(page)
        if one.samples
    }
    assert found["hardwon_model_calls_today"] == 3
    assert found["hardwon_model_tokens_today"] == 1200
    assert found["hardwon_model_money_today"] == 0.25


@pytest.mark.adapters
def test_prometheus_has_nothing_to_say_against_a_page() -> None:
    promtool = needs("promtool", package="prometheus", is_service=True)
    ledger = WorkCounter()
    ledger.count_attempt("success", 3)
    ledger.count_retry(1)

    page = exposition(QueueCounts(pending=7, dead=3), ledger.counts, {"calls": 3})

    check = [promtool, "check", "metrics"]
    found = subprocess.run(check, input=page, capture_output=True, check=False)
    assert (found.returncode, found.stdout, found.stderr) == (0, b"", b"")
