"""The budget of models: daily limits, a circuit breaker, and a ledger of spending."""

from __future__ import annotations

import fnmatch
import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from datetime import datetime, timedelta
from typing import NamedTuple, Protocol

from hardwon.core import _files
from hardwon.core.errors import (
    BudgetSpent,
    CircuitOpen,
    InvalidInput,
    PermanentError,
    TransientError,
)
from hardwon.core.settings import BudgetSettings
from hardwon.models.classify import provider_errors
from hardwon.storage.ports import Embedder, Model, Reply, Request

Clock = Callable[[], datetime]
_FAILURES_ALLOWED = 5
_PAUSE = timedelta(seconds=30)
_MILLION = 1_000_000


class Spent(NamedTuple):
    """What was spent on one day."""

    calls: int = 0
    tokens: int = 0
    money: float = 0.0

    def __add__(self, other: object) -> Spent:
        assert isinstance(other, Spent)
        calls, tokens = self.calls + other.calls, self.tokens + other.tokens
        return Spent(calls, tokens, self.money + other.money)


class SpendingBook(Protocol):
    """The ledger of spending, by day, tenant and model."""

    def add(self, day: str, tenant: str, model: str, spent: Spent) -> None:
        """Add one row."""

    def rows(self, day: str) -> list[tuple[str, str, Spent]]:
        """All rows of a day: tenant, model, spent."""

    def forget(self, tenant: str) -> None:
        """Remove the name of a tenant; its spending still counts for the day."""

    def close(self) -> None:
        """Release connections, if there are any."""
        return


class MemoryLedger(SpendingBook):
    """A ledger in memory."""

    def __init__(self) -> None:
        self._rows: list[tuple[str, str, str, Spent]] = []

    def add(self, day: str, tenant: str, model: str, spent: Spent) -> None:
        self._rows.append((day, tenant, model, spent))

    def rows(self, day: str) -> list[tuple[str, str, Spent]]:
        return [row[1:] for row in self._rows if row[0] == day]

    def forget(self, tenant: str) -> None:
        self._rows = [(row[0], _anonymous(row[1], tenant), *row[2:]) for row in self._rows]


class FileLedger(SpendingBook):
    """One file per day; every process appends whole lines."""

    def __init__(self, directory: str) -> None:
        self._directory = directory

    def add(self, day: str, tenant: str, model: str, spent: Spent) -> None:
        line = json.dumps([tenant, model, *spent]) + "\n"
        with _files.storage_errors(self._path(day)):
            os.makedirs(self._directory, mode=0o700, exist_ok=True)
            _files.append(self._path(day), line.encode())

    def rows(self, day: str) -> list[tuple[str, str, Spent]]:
        path, lines, rows = self._path(day), list[bytes](), list[tuple[str, str, Spent]]()
        with _files.storage_errors(path), suppress(FileNotFoundError), open(path, "rb") as file:
            lines = file.readlines()
        for line in lines:
            with suppress(ValueError, TypeError):  # a crash may leave a line incomplete
                tenant, model, calls, tokens, money = json.loads(line)
                spent = Spent(int(calls), int(tokens), float(money))
                rows.append((str(tenant), str(model), spent))
        return rows

    def forget(self, tenant: str) -> None:
        for name in os.listdir(self._directory) if os.path.isdir(self._directory) else ():
            day = name.removesuffix(".jsonl")
            rows = self.rows(day)
            if any(row[0] == tenant for row in rows):
                lines = ([_anonymous(row[0], tenant), row[1], *row[2]] for row in rows)
                text = "".join(json.dumps(line) + "\n" for line in lines)
                _files.replace(self._path(day), text.encode())

    def _path(self, day: str) -> str:
        return os.path.join(self._directory, f"{day}.jsonl")


def _anonymous(name: str, tenant: str) -> str:
    return "" if name == tenant else name


class CircuitBreaker:
    """A circuit breaker: opens after several failures in a row, closes with a success."""

    def __init__(self) -> None:
        self._failures = 0
        self._until: datetime | None = None

    def check(self, name: str, now: datetime) -> None:
        """Raise CircuitOpen while the circuit is open."""
        if self._until and now < self._until:
            seconds = (self._until - now).total_seconds()
            raise CircuitOpen(
                f"{name}: circuit open, retry in {seconds:.0f} s", retry_after=seconds
            )

    def note_failure(self, now: datetime, retry_after: float | None) -> None:
        """Count a failure; if the server asks for a pause, it gets one at once."""
        self._failures += 1
        pause = _PAUSE if self._failures >= _FAILURES_ALLOWED else timedelta(0)
        pause = max(pause, timedelta(seconds=retry_after or 0))
        if pause:
            self._until = now + pause

    def note_success(self) -> None:
        """Close the circuit."""
        self._failures, self._until = 0, None


class Account:
    """The account of one model. A call is booked before it is made."""

    def __init__(
        self, name: str, budget: BudgetSettings, ledger: SpendingBook, clock: Clock
    ) -> None:
        self._name = name
        self._ledger = ledger
        self._limits = Spent(budget.calls, budget.tokens, budget.money)
        tenant = Spent(budget.tenant_calls, budget.tenant_tokens, budget.tenant_money)
        self._tenant_limits = tenant
        self._price = price_of(name, budget.prices)
        self._clock = clock
        self._breaker = CircuitBreaker()
        if self._price is None and (budget.money or budget.tenant_money):
            raise InvalidInput(
                f"budget.money needs the price of {name!r} in budget.prices, such as"
                f" {name}=1/5 (dollars for a million tokens in and out)"
            )

    @contextmanager
    def call(self, tenant: str) -> Iterator[Callable[[int, int], None]]:
        """Book one call for the block; the function it gives records tokens in and out."""
        now = self._clock()
        day, prices = day_of(now), self._price or (0.0, 0.0)

        def note(*tokens: int) -> None:
            money = sum(n * price for n, price in zip(tokens, prices, strict=True)) / _MILLION
            self._ledger.add(day, tenant, self._name, Spent(tokens=sum(tokens), money=money))

        self._breaker.check(self._name, now)
        self._book(tenant, now)
        try:
            yield note
        except TransientError as error:
            self._breaker.note_failure(now, error.retry_after)
            raise
        except PermanentError:
            self._breaker.note_success()
            raise
        self._breaker.note_success()

    def _book(self, tenant: str, now: datetime) -> None:
        """Book one call, or raise BudgetSpent; booked first, so that no two calls take the last."""
        day = day_of(now)
        self._ledger.add(day, tenant, self._name, Spent(calls=1))
        rows = self._ledger.rows(day)
        of_tenant = total(row for row in rows if row[0] == tenant)
        for limits, spent in ((self._limits, total(rows)), (self._tenant_limits, of_tenant)):
            for name, limit, used in zip(Spent._fields, limits, spent, strict=True):
                if limit and used > limit - (name != "calls") * 1e-9:
                    self._ledger.add(day, tenant, self._name, Spent(calls=-1))
                    start = now.replace(hour=0, minute=0, second=0, microsecond=0)
                    seconds = (start + timedelta(days=1) - now).total_seconds()
                    raise BudgetSpent(f"{limit:g} {name} a day", retry_after=seconds)


class Governed:
    """A model that stays within a budget."""

    def __init__(self, model: Model, account: Account) -> None:
        self.name = model.name
        self._model = model
        self._account = account

    async def complete(self, request: Request) -> Reply:
        tenant = request.episode.scope.tenant if request.episode else "default"
        with self._account.call(tenant) as note, provider_errors(self.name):
            reply = await self._model.complete(request)
            note(reply.tokens_in, reply.tokens_out)
        return reply


class GovernedEmbedder:
    """An embedder that stays within a budget; that of the user has no account."""

    def __init__(self, embedder: Embedder, account: Account | None = None) -> None:
        self.name = embedder.name
        self._embedder = embedder
        self._account = account

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        with ExitStack() as stack:
            note = stack.enter_context(self._account.call("default")) if self._account else None
            stack.enter_context(provider_errors(self.name))
            vectors = self._embedder.embed(texts)
            if note:
                note(sum(map(len, texts)) // 4, 0)
        return vectors


class Accounts(NamedTuple):
    """The accounts of all models under one budget, and their ledger."""

    budget: BudgetSettings
    ledger: SpendingBook
    clock: Clock

    def of(self, name: str) -> Account:
        """The account of the model of this name."""
        return Account(name, *self)

    def today(self) -> Spent:
        """The spending of all models today."""
        return total(self.ledger.rows(day_of(self.clock())))


def total(rows: Iterable[tuple[str, str, Spent]]) -> Spent:
    """The sum of the rows."""
    return sum((spent for _, _, spent in rows), Spent())


def price_of(model: str, prices: str) -> tuple[float, float] | None:
    """Dollars per million tokens in and out, from `pattern=in/out, …`; None if no pattern fits."""
    for entry in prices.split(","):
        pattern, _, price = entry.strip().rpartition("=")
        if pattern and fnmatch.fnmatchcase(model, pattern):
            try:
                into, _, out = price.partition("/")
                return float(into), float(out or into)
            except ValueError as error:
                raise InvalidInput(
                    f"budget.prices: {entry.strip()!r} is not name=in/out"
                ) from error
    return None


def day_of(now: datetime) -> str:
    """The name of a day in the ledger."""
    return now.strftime("%Y-%m-%d")
