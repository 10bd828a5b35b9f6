"""The books of what models have cost: in memory, in files, in a database that machines share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

import hardwon
from hardwon.core.errors import Unavailable
from hardwon.core.settings import BudgetSettings, load
from hardwon.core.values.job import Job
from hardwon.engine.worker import WorkerProcess
from hardwon.models.budget import FileLedger, MemoryLedger, SpendingBook, Spent, day_of, total
from hardwon.models.scripted import Scripted
from hardwon.models.shared_ledger import SharedLedger
from hardwon.storage.queues.memory import MemoryQueue
from hardwon.surfaces.cli import run
from tests.models.server import LESSON
from tests.postgres_server import Place, running
from tests.redis_server import free_port
from tests.samples import NOW

DAY, NEXT = "2026-11-15", "2026-11-16"
LEDGERS: dict[str, Callable[[pytest.FixtureRequest], SpendingBook]] = {
    "files": lambda request: FileLedger(str(request.getfixturevalue("tmp_path") / "spend")),
    "memory": lambda request: MemoryLedger(),
    "postgres": lambda request: SharedLedger(request.getfixturevalue("database").url),
}


@pytest.fixture(params=sorted(LEDGERS))
def ledger(request: pytest.FixtureRequest) -> Iterator[SpendingBook]:
    opened = LEDGERS[request.param](request)
    yield opened
    opened.close()


def sums(ledger: SpendingBook, day: str = DAY) -> dict[tuple[str, str], Spent]:
    found: dict[tuple[str, str], Spent] = {}
    for tenant, model, spent in ledger.rows(day):
        found[tenant, model] = found.get((tenant, model), Spent()) + spent
    return found


def test_what_is_noted_adds_up_by_day_tenant_and_model(ledger: SpendingBook) -> None:
    assert ledger.rows(DAY) == []
    for spent in (Spent(calls=1), Spent(tokens=5_000_000_000, money=0.25), Spent(calls=-1)):
        ledger.add(DAY, "acme", "m", spent)
    ledger.add(DAY, "acme", "größer", Spent(calls=2))
    ledger.add(DAY, "other", "m", Spent(calls=3))
    ledger.add(NEXT, "acme", "m", Spent(calls=4))

    assert sums(ledger) == {
        ("acme", "m"): Spent(0, 5_000_000_000, 0.25),
        ("acme", "größer"): Spent(2),
        ("other", "m"): Spent(3),
    }
    assert sums(ledger, NEXT) == {("acme", "m"): Spent(4)}


def test_what_a_forgotten_tenant_has_cost_still_counts(ledger: SpendingBook) -> None:
    for tenant in ("acme", "other", "third"):
        ledger.add(DAY, tenant, "m", Spent(1, 10, 0.5))

    for tenant in ("acme", "third", "never met"):
        ledger.forget(tenant)

    assert sums(ledger) == {("", "m"): Spent(2, 20, 1.0), ("other", "m"): Spent(1, 10, 0.5)}


def test_machines_that_share_a_database_share_a_budget(database: Place, tmp_path: Path) -> None:
    models = [Scripted([LESSON]), Scripted([LESSON])]
    for number, model in enumerate(models):
        settings = load(str(tmp_path / f"machine{number}")).on_database(database.url)
        settings = settings._replace(budget=BudgetSettings(calls=1))
        with hardwon.open(database.url, settings=settings, model=model) as hw:
            hw.agent("coder").after_run(task=f"task {number}", error=f"boom number {number}")
            hw.drain()
            assert hw.spent().calls == 1

    assert [len(model.requests) for model in models] == [1, 0]


def test_the_cost_of_a_call_is_noted_when_the_server_is_back() -> None:
    with running() as server:
        url = server.database().url
        ledger, other = SharedLedger(url), SharedLedger(url)
        ledger.add(DAY, "acme", "m", Spent(calls=1))
        server.stop()

        ledger.add(DAY, "acme", "m", Spent(tokens=7))
        with pytest.raises(Unavailable):  # nothing is asked that nobody could count
            ledger.add(DAY, "acme", "m", Spent(calls=1))
        server.start()
        ledger.add(DAY, "acme", "m", Spent(tokens=1))

        assert total(other.rows(DAY)) == Spent(calls=1, tokens=8)
        ledger.close()
        other.close()


def test_config_tells_what_all_machines_have_spent(
    database: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    ledger = SharedLedger(database.url)
    ledger.add(day_of(datetime.now(UTC)), "acme", "m", Spent(2, 30, 0.5))
    ledger.close()

    assert run(["config", "--home", database.url]) == 0
    assert "spent today on models: 2 calls, 30 tokens, $0.50" in capsys.readouterr().out

    assert run(["config", "--home", f"postgresql://nobody@127.0.0.1:{free_port()}/none"]) == 0
    assert "spent today on models: unknown" in capsys.readouterr().out


def test_a_worker_tells_what_it_knew_last_while_the_server_is_away(tmp_path: Path) -> None:
    def spent() -> dict[str, float]:
        if not looks:
            raise Unavailable("away")
        return looks.pop()

    looks = [{"calls": 7.0}]
    worker = WorkerProcess(
        MemoryQueue(), nothing, settings=load(str(tmp_path)), clock=lambda: NOW, spent=spent
    )

    told = [worker.metrics(), worker.metrics()]

    assert all(b"hardwon_model_calls_today 7.0" in one for one in told)


async def nothing(job: Job) -> None:
    """Works no job."""


def test_a_book_of_today_is_read_by_the_day_of_the_clock(database: Place) -> None:
    ledger = SharedLedger(database.url)
    today = day_of(datetime.now(UTC))
    ledger.add(today, "acme", "m", Spent(calls=1))
    with hardwon.open(database.url) as hw:
        assert hw.spent() == Spent(calls=1)
        assert [spent for _, _, spent in hw.tenant("acme").spent(days=2)] == [Spent(calls=1)]
        hw.forget_tenant("acme")
        assert hw.spent() == Spent(calls=1)
        assert hw.tenant("acme").spent(days=2) == []
    ledger.close()
