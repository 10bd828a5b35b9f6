"""The work of a worker besides jobs: archive runs, settle abandoned ones, review lessons."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from hardwon.core.project import author_of
from hardwon.core.values.run import EndedRun, Ending, Episode, RunSoFar
from hardwon.core.values.scope import Scope
from hardwon.engine import trust
from hardwon.engine.pipeline import confirm, ending, hold_out, playbook
from hardwon.storage.ports import Store
from hardwon.storage.stores import run_files

if TYPE_CHECKING:
    from hardwon.engine.runtime import Runtime

ENDED = timedelta(hours=24)  # a run without a step for this long has ended
_EVERY = timedelta(days=1).total_seconds()
_RUNS = ""  # no tenant has this name


def tend(engine: Runtime) -> Iterator[object]:
    """Do all that is due, step by step."""
    yield from collect(engine)
    for chore in engine.chores:
        yield from chore(engine)
    yield engine.store.tend()
    if engine.embeds:
        yield from engine.semantic_search.fill()
    if engine.copies is not None:
        yield from engine.copies.refresh(embeds=engine.embeds)
    yield from _daily(engine)


def _daily(engine: Runtime) -> Iterator[object]:
    """Cut the runs of every tenant, and review the lessons of those that the worker has seen."""
    store, settings, now = engine.store, engine.settings, engine.clock()

    def is_due(name: str) -> bool:
        return run_files.is_due(settings.home, name, now.timestamp(), every=_EVERY)

    if engine.on_disk and is_due(_RUNS):
        yield from _settle_runs(engine, now)
        for tenant in store.database.tenants():
            _prune(engine, tenant, now)
            yield store.ended_runs.cut(tenant, before=now - settings.runs.keep)
    for tenant in sorted(engine.tenants) if settings.proof.share else ():
        if not engine.on_disk or is_due(tenant):
            hold_out.review(store, tenant, share=settings.proof.share, now=now)
            yield tenant


def collect(engine: Runtime) -> Iterator[str]:
    """Archive the ended runs on disk, one by one; yields their ids."""
    if not engine.on_disk or engine.settings.is_on_copy:
        return
    store, home, now = engine.store, engine.settings.home, engine.clock()
    for mark, at in store.forgotten().items():
        run_files.forget_marked(home, mark, before=at)
    tenants = set[str]()
    for run in run_files.put_aside(home):
        scope = trust.settle_scope(home, run.scope)
        ended = keep_run(engine, run.past, scope, run.name, ended=run.ended, outcome=run.outcome)
        note_live(store, scope, run.name, ended.begun)
        run_files.remove_aside(run)
        tenants.add(scope.tenant)
        yield ended.id
    for tenant in tenants:
        _prune(engine, tenant, now)


def keep_run(
    engine: Runtime, past: RunSoFar, scope: Scope, name: str, *, ended: datetime, outcome: str
) -> EndedRun:
    """Archive a run; if it was ended, it confirms or weakens items of its project's playbook."""
    store, by = engine.store, author_of(engine.settings.runs)
    record = ending.archive_run(past, scope, name, ended=ended, outcome=outcome, by=by)
    store.ended_runs.keep(record)
    if outcome != Ending.ABANDONED:
        now, retires = engine.clock(), not engine.reads_runs
        items = playbook.items(scope, store.lessons, now)
        confirm.settle(items, past, record.id, store=store, now=now, retires=retires)
    return record


def note_live(store: Store, scope: Scope, run: str, begun: datetime) -> None:
    """Note for good that a run was recorded live: its session file is not learnt from again."""
    owner = scope._replace(project=None)
    if not store.ended_runs.past(owner, [run]):  # the first run of a session tells since when
        store.ended_runs.note_past(owner, run, str(begun.timestamp()))


def _prune(engine: Runtime, tenant: str, now: datetime) -> None:
    values = engine.settings.runs
    longest = values.keep and max(values.keep, values.keep_cited)
    engine.store.ended_runs.prune(tenant, before=now - longest, most=values.most)


def _settle_runs(engine: Runtime, now: datetime) -> Iterator[str]:
    """Settle, archive and read the runs that were never ended; yields their names."""
    store, settings = engine.store, engine.settings
    for scope, run in run_files.idle(settings.home, (now - ENDED).timestamp()):
        past = run.whole()
        ending.settle(past, run.name, scope, store)
        if settings.runs.keep and past.steps:
            outcome = Ending.ABANDONED
            ended = keep_run(engine, past, scope, run.name, ended=now, outcome=outcome)
            note_live(store, scope, run.name, ended.begun)
        if engine.reads(steps := run.so_far().steps):
            engine.read_run(Episode(scope, ""), run, steps)
        run.drop_deliveries()
        yield run.name
