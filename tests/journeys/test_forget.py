"""A tenant that is forgotten leaves nothing behind, and nothing brings it back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import hardwon
from hardwon.models.budget import FileLedger, Spent
from hardwon.storage.service import FileDatabase, KeyRing
from tests.learn.traces.sent import request, root_span, tool_span
from tests.postgres_server import Place

GONE, STAYS = "tenant-zebra", "tenant-lion"


def busy(hw: hardwon.Hardwon, tenant: str, task: str) -> None:
    """Leave something of a tenant in every place."""
    coder = hw.agent("coder", project=f"{tenant}/api", tenant=tenant, run="r1")
    coder.learn(f"Keep the {task} of {tenant}")
    coder.before_turn(f"{task} of {tenant}")
    coder.after_action("bash", f"deploy {tenant}", output=f"error: {tenant} refused", failed=True)
    coder.goals.ended(f"goal {tenant}", f"deploy {tenant}", "failed", error="refused")
    other = hw.agent("coder", tenant=tenant)
    other.after_run(task=f"deploy {tenant}", error=f"{tenant} refused")
    coder.loops.run(f"try {tenant}", actor=lambda turn: tenant, evaluate=lambda turn: True)


def traces(home: Path, tenant: str) -> list[str]:
    """The files below the home that name a tenant."""
    files = (path for path in home.rglob("*") if path.is_file())
    return [path.name for path in files if tenant.encode() in path.read_bytes()]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    with hardwon.open(tmp_path) as hw:
        busy(hw, GONE, "zebra crossing")
        busy(hw, STAYS, "lion cage")
    ledger = FileLedger(str(tmp_path / "spend"))
    for tenant in (GONE, STAYS):
        KeyRing(FileDatabase(str(tmp_path))).create(tenant=tenant)
        ledger.add("2026-11-16", tenant, "model", Spent(1, 100, 0.5))
    return tmp_path


def test_nothing_waits_for_a_forgotten_tenant(home: Path) -> None:
    with hardwon.open(home) as hw:
        hw.forget_tenant(GONE)

        assert {job.episode.scope.tenant for job in hw.queue.waiting()} == {STAYS}
        hw.drain()
        assert hw.agent("coder", tenant=GONE).lessons.list() == []
        assert hw.agent("coder", project=f"{GONE}/api", tenant=GONE).lessons.list() == []
        assert hw.agent("coder", project=f"{STAYS}/api", tenant=STAYS).lessons.list()


def test_no_file_names_a_forgotten_tenant(home: Path) -> None:
    assert traces(home, GONE)

    with hardwon.open(home) as hw:
        hw.forget_tenant(GONE)

    left = [name for name in traces(home, GONE) if not name.startswith("hardwon.db")]
    assert left == []
    assert traces(home, STAYS)


def test_sessions_that_were_sent_for_a_forgotten_tenant_are_not_recorded(home: Path) -> None:
    waiting = home / "sessions" / "sent"
    row = ["2026-11-01T10:00:00+00:00", "d1", "Bash", "kiosk stock", "error: no login", True]
    with hardwon.open(home) as hw:
        for tenant in (GONE, STAYS):
            scope, head = [tenant, "sent", "api"], ["claude-code", "s1", 1.8e9, "run", 0.0, True]
            record = ["session", scope, head, [row], ["Ada", "laptop"]]
            hw.exchange.receive(f"batch of {tenant}", [record])
            (waiting / f"{tenant}.json.damaged").write_text(json.dumps([scope, "odd"]))
        assert len(traces(waiting, GONE)) == 2
        hw.forget_tenant(GONE)

        assert traces(waiting, GONE) == []
        assert len(traces(waiting, STAYS)) == 2
        hw.drain()
        assert hw.tenant(GONE).scopes() == []
        assert hw.tenant(GONE).ended_runs().rows == ()
        assert hw.tenant(STAYS, agent="sent").ended_runs().rows


def test_spans_that_came_for_a_forgotten_tenant_are_not_recorded(home: Path) -> None:
    waiting = home / "traces"
    with hardwon.open(home) as hw:
        for tenant in (GONE, STAYS):
            body = request([tool_span(7, 2, "make", "no targets", failed=True), root_span(7, "t")])
            hw.agent("spans", tenant=tenant).traces.take(body, is_json=True)
            (waiting / f"{tenant}.jsonl.damaged").write_text(json.dumps([tenant, "spans", "shop"]))
        assert len(traces(waiting, GONE)) == 2
        hw.forget_tenant(GONE)

        assert traces(waiting, GONE) == []
        assert len(traces(waiting, STAYS)) == 2
        hw.drain()
        assert hw.tenant(GONE).ended_runs().rows == ()


def test_a_run_of_a_forgotten_tenant_is_gone_and_others_stay(home: Path) -> None:
    before = len(list((home / "runs").glob("*.jsonl")))

    with hardwon.open(home) as hw:
        hw.forget_tenant(GONE)

    assert len(list((home / "runs").glob("*.jsonl"))) == before - 1


def test_the_keys_of_a_forgotten_tenant_open_nothing(home: Path) -> None:
    with hardwon.open(home) as hw:
        hw.forget_tenant(GONE)

    assert [key.tenant for key in KeyRing(FileDatabase(str(home))).list()] == [STAYS]


def test_what_a_forgotten_tenant_cost_still_counts(home: Path) -> None:
    with hardwon.open(home) as hw:
        hw.forget_tenant(GONE)

    rows = FileLedger(str(home / "spend")).rows("2026-11-16")
    assert sorted(row[0] for row in rows) == ["", STAYS]


def test_dead_letters_of_a_forgotten_tenant_go(tmp_path: Path) -> None:
    with hardwon.open(tmp_path, model=lambda request: "no lesson in this") as hw:
        hw.agent("coder", tenant=GONE).after_run(task="deploy", error="refused")
        hw.drain()
        assert hw.queue.dead()

        hw.forget_tenant(GONE)

        assert hw.queue.dead() == []


def test_what_waits_in_another_home_of_the_same_database_does_not_come_back(
    database: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HARDWON_POSTGRES_URL", database.url)
    body = request([tool_span(7, 2, "make", "no targets", failed=True), root_span(7, "t")])
    ended = [json.dumps({"begun": 1.0, "of": ["", "", ""]}), json.dumps({"ended": 2.0})]
    step = json.dumps(["bash", "make", "no targets", True, None])
    with hardwon.open(tmp_path / "here") as here, hardwon.open(tmp_path / "there") as there:
        for tenant in (GONE, STAYS, "tenant-α"):
            there.agent("spans", tenant=tenant, project="shop").traces.take(body, is_json=True)
            run = ["run", [tenant, "coder", "shop"], f"{'a' * 32}-1", [ended[0], step, ended[1]]]
            there.exchange.receive(tenant, [run])
        here.forget_tenant(GONE)

        there.drain()

        assert here.tenant(GONE).ended_runs().rows == ()
        assert here.tenant(GONE).scopes() == []
        assert traces(tmp_path / "there", GONE) == []
        for tenant in (STAYS, "tenant-α"):
            assert len(here.tenant(tenant).ended_runs().rows) == 1
        waiting = tmp_path / "there" / "traces"
        assert len(list(waiting.glob("*.jsonl"))) == 2  # their last spans may still come
        there.agent("coder", tenant=GONE).learn("It may begin anew")
        there.drain()
        assert len(here.agent("coder", tenant=GONE).lessons.list()) == 1
