"""The report of a period: what was learnt, what was shown, and what happened then."""

from __future__ import annotations

from datetime import timedelta
from itertools import islice

from hardwon.core.errors import InvalidInput
from hardwon.core.settings import span
from hardwon.core.values.report import Place, Report, Spending, Window
from hardwon.core.values.scope import Scope
from hardwon.engine.pipeline import hold_out
from hardwon.engine.runtime import Runtime
from hardwon.knowledge.proof.effect import alike, parts, sentence
from hardwon.knowledge.proof.observed import observe

_KINDS = 10  # failure kinds that are listed
_JUDGED = 10  # lessons with a verdict that are listed
_RUNS = 1_000  # ended runs that are read
_OPEN = 10  # failures without a fix that are listed
_NEW = timedelta(days=7)  # how long a lesson is new
_QUIET = timedelta(days=7)  # after which a failure has stopped coming back
_USUAL = timedelta(days=30)
_LONGEST = timedelta(days=36_500)


def report(
    engine: Runtime,
    scope: Scope,
    *,
    since: timedelta | str | None,
    whole: bool = False,
    part: Place | None = None,
) -> Report:
    """The report of a scope, of a whole tenant, or of one agent or project of it."""
    since = _USUAL if since is None else span(since, "since")
    if not timedelta(0) < since <= _LONGEST:
        raise InvalidInput(f"since must be over 0 and at most {_LONGEST.days} days, not {since}")
    now = engine.clock()
    # From the start of the first day, so that every day is complete.
    begin = (now - since).replace(hour=0, minute=0, second=0, microsecond=0)
    window = Window(scope, begin, whole, part)
    quiet = min(_QUIET, since / 2)
    facts, share = engine.store.statistics, engine.settings.proof.share
    strata, stored = facts.strata(window), engine.store.units.share(scope.tenant)
    engine.collect_runs()
    judged = (
        (verdict, hold_out.current(engine.store, verdict.treatment))
        for verdict in hold_out.verdicts(engine.store, window)
    )
    verdicts = (
        hold_out.lesson_verdict(one, lesson) for one, lesson in judged if lesson is not None
    )
    return Report(
        window=window,
        at=now,
        met=tuple(facts.failures_by_day(window)),
        failures=tuple(facts.failures(window, limit=_KINDS)),
        stopped=tuple(facts.stopped_failures(window, before=now - quiet, limit=_KINDS)),
        quiet=quiet,
        lessons=tuple(facts.lessons(window, new=now - _NEW)),
        deliveries=tuple(facts.deliveries(window)),
        unsolved=tuple(facts.open_failures(window, limit=_OPEN)),
        spent=Spending(*engine.accounts.today()[:3]),
        queue=engine.queue.counts(),
        proof=sentence(alike(strata), share=share),
        parts=tuple(parts(strata)),
        observed=observe(engine.store.ended_runs.latest(window, limit=_RUNS)),
        verdicts=tuple(islice(verdicts, _JUDGED)),
        share=share if stored is None else min(share, stored),
    )
