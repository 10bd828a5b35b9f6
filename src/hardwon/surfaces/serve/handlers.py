"""What each operation of the API does: one function for each, by the name in the table.

The operations on lessons see all lessons of the tenant, or those of the `agent` and `project` in
the query. With `view=agent` they see what the agent sees in the project: its own lessons and those
that apply everywhere.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any, TypeVar

from starlette.responses import Response

import hardwon
from hardwon import Injection, Job, Lesson, Step
from hardwon.api import operations as answers
from hardwon.api import run_input
from hardwon.api.lessons import Lessons
from hardwon.api.operations import JSON, OPERATIONS, MaybeJob
from hardwon.core import metrics as prometheus
from hardwon.core.errors import InvalidInput, NotAllowed, NotFound, OlderServer, no_change
from hardwon.core.settings import duration
from hardwon.core.text.clean import one_line, require_text
from hardwon.core.values.job import QueueCounts, WorkCounts
from hardwon.core.values.lesson import Change, Status
from hardwon.core.values.report import Answer, FailureKind, Mark, Page, Recurring
from hardwon.core.values.run import RunSoFar
from hardwon.core.values.scope import scope
from hardwon.engine.doors import Doors
from hardwon.engine.mirror import RUN
from hardwon.engine.pipeline import inject
from hardwon.storage.stores.runs import note_author
from hardwon.surfaces.serve import openapi
from hardwon.surfaces.serve.requests import Call, cursor_of

Numbered = TypeVar("Numbered", "Lesson", "Change")

_MOST = 10_000  # lessons in an agent's view
_BUDGET = 10_000  # tokens: more than an agent gets
_ANSWERS = 50  # the most of one request
_PROTOBUF = "application/x-protobuf"
_FORMS = {"jsonl": "application/jsonl", "markdown": "text/markdown"}


def doors_after_run(call: Call) -> MaybeJob:
    """Queue a reflection if the run is worth one; it is durable when this answers."""
    steps = call.arguments.pop("steps", None)
    made = None if steps is None else [_step(step) for step in steps]
    job = call.agent.after_run(**call.arguments, steps=made)
    return MaybeJob(_wake(call, job))


def _wake(call: Call, job: Job | None) -> Job | None:
    if job is not None and call.hw.settings.hooks.wake:
        call.hw.wake()
    return job


def _step(fields: object) -> Step:
    if not isinstance(fields, dict) or not isinstance(fields.get("tool"), str):
        raise InvalidInput("each of 'steps' must be an object with a 'tool'")
    unknown = fields.keys() - {"tool", "args", "output", "failed"}
    if unknown:
        raise InvalidInput(f"a step has no {sorted(unknown)[0]!r}")
    output, is_failed = fields.get("output", ""), fields.get("failed") is True
    return Step(fields["tool"], fields.get("args", ""), output, is_failed)


def lessons_list(call: Call) -> Page[Lesson]:
    """A page of lessons, newest-consulted first; with `q` those that contain it."""
    text, status, limit = (call.arguments[name] for name in ("q", "status", "limit"))
    if not _is_of_agent(call):
        return call.tenant.lessons(status=status, text=text, after=call.cursor, limit=limit)
    own = call.lessons
    found = own.search(text, limit=200) if text else own.list(limit=_MOST, status=status)
    return _after(found, call.cursor, limit)


def lessons_edit(call: Call) -> Any:
    """Change the fields of a lesson."""
    changes = {name: value for name, value in call.arguments.items() if name != "view"}
    if not changes:
        allowed = ", ".join(OPERATIONS["lessons.edit"].body)
        raise InvalidInput(f"nothing to change; this takes {allowed}")
    return _on_lesson(call, "edit", **changes)


def lessons_undo(call: Call) -> Lesson:
    """Undo the newest change of a lesson, also of a deleted one."""
    for handle in _handles(call):
        if handle.history(call.number):
            return handle.undo(call.number)
    raise no_change(call.number)


def lessons_history(call: Call) -> Sequence[Change]:
    """The changes of a lesson, newest first."""
    changes = [change for handle in _handles(call) for change in handle.history(call.number)]
    if not changes:
        _readable(call)  # NotFound if the lesson never existed
    return list({change.id: change for change in changes}.values())


def lessons_revoke(call: Call) -> Sequence[Lesson]:
    """Remove every lesson of an origin, and every lesson merged from one of them."""
    origin = require_text(call.arguments["origin"], "origin")
    removed = {lesson.id: lesson for handle in _handles(call) for lesson in handle.revoke(origin)}
    return list(removed.values())


def lessons_import(call: Call) -> Sequence[Lesson]:
    """Import a pack, all or nothing; its lessons wait for approval."""
    is_lines = call.body.lstrip()[:1] == b"{"
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "upload.jsonl" if is_lines else "upload.md")
        with open(path, "wb") as file:
            file.write(call.body)
        return call.lessons.import_from(path, trust=call.arguments.get("trust", False))


def lessons_elsewhere(call: Call) -> list[answers.ScopeCount]:
    """Other agents and projects that the caller may see, with their lessons."""
    place = call.principal.place
    found = call.lessons.elsewhere().items()
    return [answers.ScopeCount(scope, count) for scope, count in found if place.covers(scope)]


def lessons_recall(call: Call) -> answers.Recalled:
    """What a door would show; with `explain` every candidate and its verdict."""
    door, tool = call.arguments["door"], call.arguments["tool"]
    judged = call.agent.explain(door, require_text(call.arguments["text"], "text"), tool=tool)
    shown = [candidate.match.lesson for candidate in judged if not candidate.verdict]
    block, candidates = inject.render(shown, door=door, budget=_BUDGET), []
    for one in judged if call.arguments.get("explain") else ():
        parts = {name: round(value, 4) for name, value in one.parts}
        fields = one.match.lesson.id, round(one.score, 4), parts, one.verdict
        candidates.append(answers.Candidate(*fields))
    return answers.Recalled(block.text, tuple(block.lessons), tuple(candidates))


def _is_of_agent(call: Call) -> bool:
    return call.arguments.get("view") == "agent"


def _readable(call: Call) -> tuple[Lessons, Lesson]:
    """A lesson that the caller may see, and the handle to change it."""
    if _is_of_agent(call):
        return call.lessons, call.lessons.get(call.number)
    return call.readable_lesson()


def _on_lesson(call: Call, verb: str, /, **arguments: Any) -> Any:
    """The result of a verb on a lesson that the caller may see."""
    lessons, lesson = _readable(call)
    return getattr(lessons, verb)(lesson.id, **arguments)


def _handles(call: Call) -> list[Lessons]:
    """The lesson handles of every scope that the request covers."""
    if _is_of_agent(call):
        return [call.lessons]
    return [call.lessons_of(scope) for scope in call.tenant.scopes()]


def _after(listing: Sequence[Numbered], after: Mark | None, limit: int) -> Page[Numbered]:
    """The page after a row; the first page if that row is gone."""
    numbers = [str(row.id) for row in listing]
    begin = numbers.index(after[1]) + 1 if after and after[1] in numbers else 0
    rows = tuple(listing[begin : begin + limit])
    is_more = len(listing) > begin + limit
    return Page(rows, (0.0, str(rows[-1].id)) if is_more else None)


def queue_waiting(call: Call) -> answers.QueuePage:
    """A page of the waiting and running jobs, oldest first, and the counts."""
    waiting, dead = (
        call.own_jobs(jobs) for jobs in (call.hw.queue.waiting(), call.hw.queue.dead())
    )
    worker, own = call.hw.queue.status()[1], {job.id for job in waiting}
    running = tuple(row[0] for row in worker.get("running", ()) if row[0] in own)
    page = _page(call, waiting)
    counts = len(waiting), len(dead), running, bool(worker)
    return answers.QueuePage(*counts, page.rows, cursor_of(page.next))


def _each(call: Call, act: Callable[[str], None]) -> answers.Done:
    ids = call.arguments.get("ids", ())
    if not (ids or call.arguments.get("all")):
        raise InvalidInput("name the jobs by 'ids', or say 'all': true")
    every = call.arguments.get("all")
    jobs = call.own_jobs(call.hw.queue.dead()) if every else [_dead(call, one) for one in ids]
    for job in jobs:
        act(job.id)
    return answers.Done(tuple(job.id for job in jobs))


def _dead(call: Call, identity: str) -> Job:
    found = next((one for one in call.own_jobs(call.hw.queue.dead()) if one.id == identity), None)
    if found is None:
        raise NotFound("dead job", identity)
    return found


def _page(call: Call, jobs: Sequence[Job]) -> Page[Job]:
    after, limit = call.cursor, call.arguments["limit"]
    following = [job for job in sorted(jobs, key=_place) if after is None or _place(job) > after]
    rows = tuple(job._replace(episode=job.episode._replace(steps=())) for job in following[:limit])
    return Page(rows, _place(rows[-1]) if len(following) > limit else None)


def _place(job: Job) -> tuple[float, str]:
    return job.enqueued_at.timestamp(), job.id


def reports_report(call: Call) -> Any:
    """What was learnt, what was shown, and what happened then."""
    place, scope = call.tenant.place, call.agent.scope
    return call.hw.report(
        scope.agent,
        project=scope.project,
        tenant=call.principal.tenant,
        since=_duration(call, "since"),
        whole=place.agent is None and place.project is None,
    )


def reports_failures(call: Call) -> Page[answers.FailureRow]:
    """A page of the kinds of failures, most frequent first."""
    text, limit = call.arguments["q"], call.arguments["limit"]
    since = _duration(call, "since") or timedelta()
    page = call.tenant.failures(since=since, text=text, after=call.cursor, limit=limit)
    return Page(tuple(map(_failure_row, page.rows)), page.next)


def _failure_row(failure: FailureKind) -> answers.FailureRow:
    return answers.FailureRow(
        *(failure.kind, failure.text, failure.met, failure.first, failure.last),
        days=tuple(answers.DayCount(*day) for day in failure.days),
        scope=failure.scope,
    )


def reports_failure(call: Call) -> answers.FailureDetails:
    """One kind of failure: the lesson about it, and whose runs met it."""
    failure = call.tenant.failure(call.id)
    lesson, met = call.tenant.about(failure), tuple(call.tenant.who_met(failure))
    return answers.FailureDetails(_failure_row(failure), lesson.id if lesson else None, met)


def _duration(call: Call, name: str) -> timedelta | None:
    value = call.arguments.get(name)
    try:
        return None if value is None else duration(value)
    except (ValueError, KeyError, OverflowError) as error:
        raise InvalidInput(
            f"{name!r} must be a duration such as 12h or 30d, not {value!r}"
        ) from error


def _find_known(call: Call, find: Callable[..., Sequence[Answer]]) -> list[Answer]:
    """A few answers, of projects that the key may read; what holds everywhere it may, too."""
    limit, only = call.arguments.get("limit", 5), call.principal.project
    found = find(**{**call.arguments, "limit": max(1, min(limit, _ANSWERS))})
    return [answer for answer in found if only is None or answer.project in ("", only)]


def doors_recurring(call: Call) -> Sequence[Recurring]:
    """What an agent keeps failing at, over all its projects."""
    if call.principal.project is not None:
        raise NotAllowed("this is about all projects, and the key is for one of them")
    since = _duration(call, "since") or timedelta()
    return call.agent.recurring(since=since, limit=call.arguments["limit"])


def playbook_add(call: Call) -> answers.Written:
    """Add the items that an agent wrote, as far as the steps of its run show them."""
    steps: list[Step] = []
    for plain in run_input.steps_of([_step(step) for step in call.arguments.get("steps", ())]):
        steps.append(Doors.prepare_step(plain, steps))
    past = RunSoFar(call.arguments["task"], tuple(steps))
    text, name = call.arguments["text"], call.arguments["of_run"]
    return call.agent.playbook.write_down(text, call.agent.scope, name, past)


def playbook_block(call: Call) -> answers.PlaybookBlock:
    """What the start of a run shows."""
    block = call.agent.playbook.block()
    return answers.PlaybookBlock(block.text, tuple(block.lessons), block.tokens)


def dreams_get(call: Call) -> answers.DreamDetails:
    """One dream with its changes to lessons."""
    dream = call.agent.dreams.get(call.id)
    return answers.DreamDetails(dream, tuple(call.agent.dreams.changes(dream.id)))


_FLAT = {"delivery": 1, "outcome": 0, "settled": 0}  # where a record has its scope, part by part


def sync_push(call: Call) -> answers.Received:
    """Take in what another machine noted, as far as the key may write there.

    A request with a record of an unknown kind is refused as a whole: a newer hardwon sent it, and
    keeps it until this server is upgraded.
    """
    records, known = call.arguments["records"], call.hw.exchange.kinds()
    kinds = (record[0] for record in records if isinstance(record, list) and record)
    if unknown := sorted({kind for kind in kinds if isinstance(kind, str)} - known):
        raise OlderServer(f"hardwon {hardwon.__version__} does not know the record {unknown[0]!r}")
    own = [record for one in records if (record := _own_record(call, one)) is not None]
    batch = f"{call.principal.key} {require_text(call.arguments['batch'], 'batch', 200)}"
    for record in own:
        if record[0] == RUN:
            record[-1] = [*record[-1], note_author(call.author)]
        elif record[0] == "session":
            record.append(list(call.author))
    call.hw.exchange.receive(batch, own)
    if any(record[0] in {"job", "session"} for record in own) and call.hw.settings.hooks.wake:
        call.hw.wake()
    return answers.Received(len(own), len(records) - len(own))


def _own_record(call: Call, record: Any) -> list[Any] | None:
    """The record in the tenant of the key; None if the key may not write there."""
    try:
        kind, *values = record
        at = _FLAT.get(kind)
        _, agent, project = values[0] if at is None else values[at : at + 3]
        own = scope(agent, project=project or None, tenant=call.principal.tenant)
    except (TypeError, ValueError, AttributeError, LookupError) as error:
        raise InvalidInput(f"not a record of hardwon: {one_line(repr(record), 200)}") from error
    if not call.principal.place.covers(own):
        return None
    if at is None:
        return [kind, list(own), *values[1:]]
    return [kind, *values[:at], *own, *values[at + 3 :]]


def _take_telemetry(call: Call, *, is_logs: bool) -> Response:
    """Keep what an OTLP request tells; it is durable when this answers, as OTLP wants it."""
    is_json = not call.request.headers.get("content-type", "").startswith(_PROTOBUF)
    is_packed = call.request.headers.get("content-encoding", "identity") == "gzip"
    call.agent.traces.take(call.body, is_json=is_json, is_packed=is_packed, is_logs=is_logs)
    if call.hw.settings.hooks.wake:
        call.hw.wake()
    return Response(b"{}" if is_json else b"", media_type=JSON if is_json else _PROTOBUF)


def sync_lessons(call: Call) -> Sequence[Lesson]:
    """The lessons with these numbers."""
    texts = call.arguments["numbers"].split(",")
    if not all(text.isascii() and text.isdecimal() and len(text) < 17 for text in texts):
        raise InvalidInput("the parameter 'numbers' has numbers of lessons, with commas")
    return call.hw.exchange.lessons(call.copied, [int(text) for text in texts])


def operations_metrics(call: Call) -> Response:
    """Queue counts, spending, and what agents were told, in the Prometheus format."""
    queue = call.hw.queue
    waiting, dead = (len(call.own_jobs(jobs)) for jobs in (queue.waiting(), queue.dead()))
    spent: dict[str, float] = {}
    for _, _, sum_of_model in call.tenant.spent(1):
        for name, amount in sum_of_model._asdict().items():
            spent[name] = spent.get(name, 0.0) + amount
    counts = QueueCounts(pending=waiting, dead=dead)
    text = prometheus.exposition(
        counts, WorkCounts({}, {}, {}, {}), spent, deliveries=call.tenant.told()
    )
    text += call.state.traffic.exposition(call.principal.tenant)
    return Response(text, media_type=OPERATIONS["operations.metrics"].media)


def operations_create_key(call: Call) -> answers.NewKey:
    """A new key of the tenant; its text is shown in this answer only."""
    lasts = _duration(call, "expires")
    call.arguments.pop("expires", None)
    tenant, limit = call.principal.tenant, call.principal.keys
    for name in ("agent", "project"):
        call.arguments[name] = call.arguments.get(name) or None
    made = call.state.access.keys.create(**call.arguments, tenant=tenant, lasts=lasts, limit=limit)
    return answers.NewKey(*made)


def _verb(name: str) -> Callable[[Call], Any]:
    """The verb of the API with the name of the operation, on the agent that the query names."""
    subject, _, verb = name.partition(".")

    def call_verb(call: Call) -> Any:
        if subject == "lessons":
            return _on_lesson(call, verb)
        handle = call.agent if subject == "doors" else getattr(call.agent, subject)
        if "{id}" not in OPERATIONS[name].path:
            return getattr(handle, verb)(**call.arguments)
        identity = call.number if subject == "playbook" else call.id
        return getattr(handle, verb)(identity, **call.arguments)

    return call_verb


_AT_ONCE: dict[str, Callable[[Call], Any]] = {
    "doors.end_run": lambda call: _wake(call, call.agent.end_run()),
    "doors.digest": lambda call: answers.Text(call.agent.digest(**call.arguments)),
    "doors.report": lambda call: call.agent.report(
        Injection(id=call.id), call.arguments["outcome"]
    ),
    "doors.fix": lambda call: _find_known(call, call.agent.fix),
    "doors.how": lambda call: _find_known(call, call.agent.how),
    "lessons.add": lambda call: call.lessons.add(**call.arguments),
    "lessons.get": lambda call: _readable(call)[1],
    "lessons.retire": lambda call: _on_lesson(call, "edit", status=Status.RETIRED),
    "lessons.guard": lambda call: _on_lesson(
        call, "guard", **{name: call.arguments.get(name, True) for name in ("call", "tool", "on")}
    ),
    "lessons.verdict": lambda call: answers.MaybeVerdict(_on_lesson(call, "verdict")),
    "lessons.export": lambda call: Response(
        call.lessons.export(form=call.arguments["form"]), media_type=_FORMS[call.arguments["form"]]
    ),
    "lessons.undo_newest": lambda call: call.lessons.undo(),
    "lessons.all_history": lambda call: _after(
        call.lessons.history(), call.cursor, call.arguments["limit"]
    ),
    "queue.wake": lambda call: answers.Started(call.hw.wake() is not None),
    "queue.dead": lambda call: _page(call, call.own_jobs(call.hw.queue.dead())),
    "queue.dead_job": lambda call: _dead(call, call.id),
    "queue.revive": lambda call: _each(call, call.hw.queue.revive),
    "queue.purge": lambda call: _each(call, call.hw.queue.purge),
    "queue.revive_job": lambda call: call.hw.queue.revive(_dead(call, call.id).id),
    "queue.purge_job": lambda call: call.hw.queue.purge(_dead(call, call.id).id),
    "reports.deliveries": lambda call: call.tenant.deliveries(
        after=call.cursor, limit=call.arguments["limit"]
    ),
    "reports.spend": lambda call: [
        answers.Spend(day, model, *spent[:3])
        for day, model, spent in call.tenant.spent(call.arguments["days"])
    ],
    "goals.reflections": lambda call: call.agent.goals.reflections(
        call.arguments.get("goal") or None, limit=call.arguments["limit"]
    ),
    "goals.context": lambda call: call.agent.goals.context(
        call.arguments.get("goal") or None, objective=call.arguments["objective"]
    ),
    "goals.ended": lambda call: MaybeJob(call.agent.goals.ended(**call.arguments)),
    "runs.ended": lambda call: MaybeJob(call.agent.runs.ended(**call.arguments)),
    "runs.context": lambda call: call.agent.runs.context(call.arguments["text"]),
    "runs.list": lambda call: call.tenant.ended_runs(
        text=call.arguments["q"],
        after=call.cursor,
        **{name: call.arguments[name] for name in ("met", "person", "limit")},
    ),
    "runs.get": lambda call: call.tenant.ended_run(call.id),
    "dreams.undo": lambda call: answers.UndoneDream(*call.agent.dreams.undo(call.id)),
    "traces.take": lambda call: _take_telemetry(call, is_logs=False),
    "traces.take_logs": lambda call: _take_telemetry(call, is_logs=True),
    "sync.state": lambda call: answers.SyncState(*call.hw.exchange.state(call.copied)),
    "sync.marks": lambda call: answers.Marks(
        {str(number): mark for number, mark in call.hw.exchange.marks(call.copied).items()}
    ),
    "operations.me": lambda call: answers.Me(*call.principal[:5], version=hardwon.__version__),
    "operations.openapi": lambda call: openapi.document(),
    "operations.keys": lambda call: call.state.access.keys.list(call.principal.keys),
    "operations.revoke_key": lambda call: call.state.access.keys.revoke(
        call.id, limit=call.principal.keys
    ),
}
HANDLERS = {
    name: _AT_ONCE.get(name) or globals().get(name.replace(".", "_")) or _verb(name)
    for name in OPERATIONS
}
