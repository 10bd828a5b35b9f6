"""Models keep to a budget; the books of what they cost: in memory, in files, in a database."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import hardwon
from hardwon.core.errors import BudgetSpent, InvalidInput, TransientError, Unavailable
from hardwon.core.settings import BudgetSettings, load
from hardwon.core.values.job import Job
from hardwon.core.values.lesson import Kind, evidence_of
from hardwon.engine.worker import WorkerProcess
from hardwon.models.budget import (
    Account,
    FileLedger,
    Governed,
    MemoryLedger,
    SpendingBook,
    Spent,
    day_of,
    price_of,
    total,
)
from hardwon.models.scripted import Scripted
from hardwon.models.shared_ledger import SharedLedger
from hardwon.storage.ports import Reply, Request
from hardwon.storage.queues.memory import MemoryQueue
from hardwon.surfaces.cli import run
from tests.models.server import LESSON
from tests.postgres_server import Place, running
from tests.redis_server import free_port
from tests.samples import EPISODE, NOW

ASKED = Request("s", "p", EPISODE)


class Counting:
    """Answers for ever and counts."""

    name = "counting"

    def __init__(self) -> None:
        self.calls = 0

    async def complete(self, request: Request) -> Reply:
        self.calls += 1
        return Reply(LESSON, self.name, 600_000, 400_000)


def governed(
    model: Any, now: list[Any] | None = None, ledger: Any = None, **budget: Any
) -> Governed:
    limits = BudgetSettings(**{"calls": 0, "tokens": 0, **budget})
    book = ledger or MemoryLedger()
    return Governed(model, Account(model.name, limits, book, lambda: (now or [NOW])[0]))


def ask(model: Any, request: Request = ASKED) -> Reply:
    reply: Reply = asyncio.run(model.complete(request))
    return reply


@pytest.mark.parametrize(
    "limits",
    [{"calls": 3}, {"tokens": 3_000_000}, {"money": 3 * (0.6 + 0.4 * 5)}],
)
def test_nothing_is_asked_beyond_a_limit(limits: dict) -> None:
    inner = Counting()
    model = governed(inner, **limits, prices="count*=1/5")

    for _ in range(3):
        ask(model)
    with pytest.raises(BudgetSpent) as raised:
        ask(model)

    assert inner.calls == 3
    assert raised.value.retry_after == 12 * 3600


def test_a_tenant_has_a_budget_of_its_own() -> None:
    inner = Counting()
    model = governed(inner, tenant_calls=1)
    other = ASKED._replace(episode=EPISODE._replace(scope=EPISODE.scope._replace(tenant="b")))

    ask(model)
    with pytest.raises(BudgetSpent):
        ask(model)
    ask(model, other)

    assert inner.calls == 2


def test_a_new_day_has_a_new_budget() -> None:
    now = [NOW]
    model = governed(Counting(), now, calls=1)
    ask(model)

    now[0] = NOW + timedelta(days=1)

    assert ask(model)


def test_two_processes_share_one_book(tmp_path: Path) -> None:
    ledgers = [FileLedger(str(tmp_path / "spend")) for _ in range(2)]
    models = [governed(Counting(), ledger=one, calls=3) for one in ledgers]

    ask(models[0])
    ask(models[1])
    ask(models[0])
    with pytest.raises(BudgetSpent):
        ask(models[1])

    assert total(ledgers[0].rows("2026-11-15")).calls == 3


def test_a_half_written_line_of_the_book_is_passed_over(tmp_path: Path) -> None:
    ledger = FileLedger(str(tmp_path))
    ledger.add("2026-11-15", "a", "m", Spent(1, 5, 0.5))
    with (tmp_path / "2026-11-15.jsonl").open("a") as file:
        file.write('["a", "m", 1')

    assert ledger.rows("2026-11-15") == [("a", "m", Spent(1, 5, 0.5))]


def test_a_limit_in_money_needs_a_price() -> None:
    with pytest.raises(InvalidInput, match=r"budget\.prices"):
        governed(Counting(), money=1)


def test_prices_are_found_by_pattern() -> None:
    prices = "anthropic:claude-haiku-*=1/5, openai:*=2"

    assert price_of("anthropic:claude-haiku-4-5", prices) == (1.0, 5.0)
    assert price_of("openai:x", prices) == (2.0, 2.0)
    assert price_of("other", prices) is None
    with pytest.raises(InvalidInput):
        price_of("x", "x=cheap")


def test_a_model_that_fails_five_times_is_left_alone_then_tried_once() -> None:
    now = [NOW]
    inner = Scripted([TransientError("down")] * 6 + [LESSON] * 2)
    model = governed(inner, now)
    for _ in range(6):
        with pytest.raises(TransientError):
            ask(model)
    assert len(inner.requests) == 5

    now[0] = NOW + timedelta(seconds=31)
    with pytest.raises(TransientError):
        ask(model)
    with pytest.raises(TransientError, match="circuit open"):
        ask(model)
    now[0] = NOW + timedelta(seconds=62)

    assert ask(model)
    assert ask(model)


def test_a_server_that_asks_for_a_pause_is_not_asked_meanwhile() -> None:
    inner = Scripted([TransientError("slow", retry_after=60)])
    model = governed(inner)
    with pytest.raises(TransientError):
        ask(model)

    with pytest.raises(TransientError, match="circuit open"):
        ask(model)

    assert len(inner.requests) == 1


def test_when_the_budget_is_gone_rules_make_the_lesson_and_mark_it(tmp_path: Path) -> None:
    settings = load(str(tmp_path))._replace(budget=BudgetSettings(calls=1))
    model = Counting()
    with hardwon.open(tmp_path, settings=settings, model=model) as hw:
        agent = hw.agent("coder")
        agent.after_run(task="first", error="boom")
        agent.after_run(task="second", error="OSError: [Errno 28] No space left on device")
        hw.drain()

        by_rules = [one for one in agent.lessons.list(status="all") if one.author == "rules"]
        assert model.calls == 1
        assert [evidence_of(one, Kind.REWORD) for one in by_rules] == [("1 calls a day",)]
        assert hw.queue.dead() == []


def test_a_model_that_cannot_be_opened_buries_the_job_with_the_reason(tmp_path: Path) -> None:
    settings = load(str(tmp_path))
    settings = settings._replace(model=settings.model._replace(name="nonsense"))
    with hardwon.open(tmp_path, settings=settings) as hw:
        hw.agent("coder").after_run(task="t", error="boom")
        hw.drain()

        assert "nonsense" in hw.queue.dead()[0].last_error


def test_a_provider_s_own_key_is_taken_but_chooses_no_model_and_is_never_shown() -> None:
    settings = load("/nowhere", {"ANTHROPIC_API_KEY": "k-1", "HARDWON_QUALITY_HYDE_ENABLED": "on"})

    assert settings.model.anthropic_key == "k-1"
    assert not settings.is_own("model.anthropic_key")
    assert settings.hyde.enabled
    assert "k-1" not in str(settings.rows())
    assert ("model.anthropic_key", "(set)", "ANTHROPIC_API_KEY") in settings.rows()


def test_what_was_spent_is_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with hardwon.open(tmp_path, model=Counting()) as hw:
        hw.agent("coder").after_run(task="t", error="boom")
        hw.drain()
        assert hw.spent() == Spent(calls=1, tokens=1_000_000)

    assert run(["config", "--home", str(tmp_path)]) == 0

    assert "spent today on models: 1 call, 1,000,000 tokens, $0.00" in capsys.readouterr().out


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
