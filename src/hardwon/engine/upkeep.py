"""The work of a worker besides jobs: archive runs, settle abandoned ones, review lessons."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from datetime import datetime, timedelta

from hardwon.core.project import author_of
from hardwon.core.settings import Settings
from hardwon.core.values.run import EndedRun, Ending, RunSoFar
from hardwon.core.values.scope import Scope
from hardwon.engine import trust
from hardwon.engine.pipeline import ending, hold_out, playbook
from hardwon.storage.ports import Run, Store
from hardwon.storage.stores import run_files

ENDED = timedelta(hours=24)  # a run without a step for this long has ended
_EVERY = timedelta(days=1).total_seconds()
_RUNS = ""  # no tenant has this name


def daily(
    store: Store,
    settings: Settings,
    tenants: Collection[str],
    now: datetime,
    *,
    on_disk: bool,
    read: Callable[[Scope, Run], object],
) -> Iterator[object]:
    """Do the daily work that is due, step by step. `read` lets a model read an abandoned run.

    The runs of every tenant are cut; the lessons of these `tenants` are reviewed.
    """
    moment = now.timestamp()
    if on_disk and run_files.is_due(settings.home, _RUNS, moment, every=_EVERY):
        yield from _settle_runs(store, settings, now, read)
        for tenant in store.database.tenants():
            _prune(store, settings, tenant, now)
            yield store.ended_runs.cut(tenant, before=now - settings.runs.keep)
    for tenant in sorted(tenants) if settings.proof.share else ():
        if not on_disk or run_files.is_due(settings.home, tenant, moment, every=_EVERY):
            yield hold_out.review(store, tenant, share=settings.proof.share, now=now)


def collect(store: Store, settings: Settings, now: datetime, *, retires: bool) -> Iterator[str]:
    """Archive the ended runs on disk, one by one; yields their ids.

    Each confirms or weakens items of its project's playbook; `retires`: see `playbook.settle`.
    """
    for mark, at in store.forgotten().items():
        run_files.forget_marked(settings.home, mark, before=at)
    tenants = set[str]()
    for run in run_files.put_aside(settings.home):
        scope = trust.settle_scope(settings.home, run.scope)
        ended = ending.archive_run(
            *(run.past, scope, run.name),
            ended=run.ended,
            outcome=run.outcome,
            by=author_of(settings.runs),
        )
        keep_run(ended, run.past, store, now=now, retires=retires)
        note_live(store, scope, run.name, ended.begun)
        run_files.remove_aside(run)
        tenants.add(scope.tenant)
        yield ended.id
    for tenant in tenants:
        _prune(store, settings, tenant, now)


def keep_run(
    ended: EndedRun, past: RunSoFar, store: Store, *, now: datetime, retires: bool
) -> None:
    """Keep the record of a run; the run confirms or weakens items of its project's playbook.

    `retires`: see `playbook.settle`.
    """
    store.ended_runs.keep(ended)
    items = playbook.items(ended.scope, store.lessons, now)
    playbook.settle(items, past, ended.id, store=store, now=now, retires=retires)


def note_live(store: Store, scope: Scope, run: str, begun: datetime) -> None:
    """Note for good that a run was recorded live: its session file is not learnt from again."""
    owner = scope._replace(project=None)
    if not store.ended_runs.past(owner, [run]):  # the first run of a session tells since when
        store.ended_runs.note_past(owner, run, str(begun.timestamp()))


def _prune(store: Store, settings: Settings, tenant: str, now: datetime) -> None:
    values = settings.runs
    longest = values.keep and max(values.keep, values.keep_cited)
    store.ended_runs.prune(tenant, before=now - longest, most=values.most)


def _settle_runs(
    store: Store, settings: Settings, now: datetime, read: Callable[[Scope, Run], object]
) -> Iterator[str]:
    """Settle and archive the runs that were never ended; yields their names."""
    for scope, run in run_files.idle(settings.home, (now - ENDED).timestamp()):
        past = run.whole()
        ending.settle(past, run.name, scope, store)
        if settings.runs.keep and past.steps:
            ended = ending.archive_run(
                *(past, scope, run.name),
                ended=now,
                outcome=Ending.ABANDONED,
                by=author_of(settings.runs),
            )
            store.ended_runs.keep(ended)
            note_live(store, scope, run.name, ended.begun)
        read(scope, run)
        run.drop_deliveries()
        yield run.name
