"""What the operations of the API do, by their names: a function here, else the verb of that name.

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
from hardwon.api.operations import JSON, OPERATIONS
from hardwon.core import metrics as prometheus
from hardwon.core.errors import InvalidInput, NotAllowed, NotFound, OlderServer, no_change
from hardwon.core.text.clean import one_line, require_text
from hardwon.core.values.job import QueueCounts, WorkCounter
from hardwon.core.values.lesson import Change, Status
from hardwon.core.values.report import Answer, FailureKind, Mark, Page, Recurring, Report
from hardwon.core.values.run import RunSoFar
from hardwon.core.values.scope import scope
from hardwon.engine.doors import Doors
from hardwon.engine.pipeline import inject
from hardwon.storage.service import Key
from hardwon.storage.stores.runs import note_author
from hardwon.surfaces.serve.requests import Call, cursor_of

Numbered = TypeVar("Numbered", "Lesson", "Change")

_MOST = 10_000  # lessons in an agent's view
_BUDGET = 10_000  # tokens: more than an agent gets
_ANSWERS = 50  # the most of one request
_PROTOBUF = "application/x-protobuf"
_FORMS = {"jsonl": "application/jsonl", "markdown": "text/markdown"}


def doors_after_run(call: Call, *, steps: list[Any] | None = None, **told: Any) -> Job | None:
    """Queue a reflection if the run is worth one; it is durable when this answers."""
    made = None if steps is None else [_step(step) for step in steps]
    return _wake(call, call.agent.after_run(**told, steps=made))


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


def _find_known(
    call: Call, find: Callable[..., Sequence[Answer]], *, limit: int = 5, **asked: Any
) -> list[Answer]:
    """A few answers, of projects that the key may read; what holds everywhere it may, too."""
    only = call.principal.project
    found = find(**asked, limit=max(1, min(limit, _ANSWERS)))
    return [answer for answer in found if only is None or answer.project in ("", only)]


def doors_recurring(call: Call, **asked: Any) -> Sequence[Recurring]:
    """What an agent keeps failing at, over all its projects."""
    if call.principal.project is not None:
        raise NotAllowed("this is about all projects, and the key is for one of them")
    return call.agent.recurring(**asked)


def lessons_list(
    call: Call, *, text: str, status: str, limit: int, after: Mark | None = None
) -> Page[Lesson]:
    """A page of lessons, newest-consulted first; with `text` those that contain it."""
    if not _is_of_agent(call):
        return call.tenant.lessons(status=status, text=text, after=after, limit=limit)
    own = call.lessons
    found = own.search(text, limit=200) if text else own.list(limit=_MOST, status=status)
    return _after(found, after, limit)


def lessons_edit(call: Call, **changes: Any) -> Lesson:
    """Change the fields of a lesson."""
    if not changes:
        allowed = ", ".join(OPERATIONS["lessons.edit"].body)
        raise InvalidInput(f"nothing to change; this takes {allowed}")
    lessons, lesson = _readable(call)
    return lessons.edit(lesson.id, **changes)


def lessons_retire(call: Call) -> Lesson:
    """Stop showing a lesson."""
    return lessons_edit(call, status=Status.RETIRED)


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


def lessons_revoke(call: Call, *, origin: str) -> Sequence[Lesson]:
    """Remove every lesson of an origin, and every lesson merged from one of them."""
    named = require_text(origin, "origin")
    removed = {lesson.id: lesson for handle in _handles(call) for lesson in handle.revoke(named)}
    return list(removed.values())


def _is_of_agent(call: Call) -> bool:
    return call.request.query_params.get("view") == "agent"


def _readable(call: Call) -> tuple[Lessons, Lesson]:
    """A lesson that the caller may see, and the handle to change it."""
    if _is_of_agent(call):
        return call.lessons, call.lessons.get(call.number)
    return call.readable_lesson()


def _handles(call: Call) -> list[Lessons]:
    """The lesson handles of every scope that the request covers."""
    if _is_of_agent(call):
        return [call.lessons]
    return [call.lessons_of(scope) for scope in call.tenant.scopes()]


def lessons_import(call: Call, *, trust: bool = False) -> Sequence[Lesson]:
    """Import a pack, all or nothing; its lessons wait for approval."""
    is_lines = call.body.lstrip()[:1] == b"{"
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "upload.jsonl" if is_lines else "upload.md")
        with open(path, "wb") as file:
            file.write(call.body)
        return call.lessons.import_from(path, trust=trust)


def lessons_export(call: Call, *, form: str) -> Response:
    """The active lessons that an agent sees, as a pack."""
    return Response(call.lessons.export(form=form), media_type=_FORMS[form])


def lessons_elsewhere(call: Call) -> list[answers.ScopeCount]:
    """Other agents and projects that the caller may see, with their lessons."""
    place = call.principal.place
    found = call.lessons.elsewhere().items()
    return [answers.ScopeCount(scope, count) for scope, count in found if place.covers(scope)]


def lessons_recall(
    call: Call, *, text: str, door: str, tool: str, explain: bool = False
) -> answers.Recalled:
    """What a door would show; with `explain` every candidate and its verdict."""
    judged = call.agent.explain(door, require_text(text, "text"), tool=tool)
    shown = [candidate.match.lesson for candidate in judged if not candidate.verdict]
    block, candidates = inject.render(shown, door=door, budget=_BUDGET), []
    for one in judged if explain else ():
        parts = {name: round(value, 4) for name, value in one.parts}
        fields = one.match.lesson.id, round(one.score, 4), parts, one.verdict
        candidates.append(answers.Candidate(*fields))
    return answers.Recalled(block.text, tuple(block.lessons), tuple(candidates))


def _after(listing: Sequence[Numbered], after: Mark | None, limit: int) -> Page[Numbered]:
    """The page after a row; the first page if that row is gone."""
    numbers = [str(row.id) for row in listing]
    begin = numbers.index(after[1]) + 1 if after and after[1] in numbers else 0
    rows = tuple(listing[begin : begin + limit])
    is_more = len(listing) > begin + limit
    return Page(rows, (0.0, str(rows[-1].id)) if is_more else None)


def playbook_add(
    call: Call, *, text: str, of_run: str, task: str, steps: Sequence[Any] = ()
) -> answers.Written:
    """Add the items that an agent wrote, as far as the steps of its run show them."""
    made: list[Step] = []
    for plain in run_input.steps_of([_step(step) for step in steps]):
        made.append(Doors.prepare_step(plain, made))
    past = RunSoFar(task, tuple(made))
    return call.agent.playbook.write_down(text, call.agent.scope, of_run, past)


def queue_waiting(call: Call, *, limit: int, after: Mark | None = None) -> answers.QueuePage:
    """A page of the waiting and running jobs, oldest first, and the counts."""
    waiting, dead = call.own_jobs(call.hw.queue.waiting()), call.dead_jobs()
    worker, own = call.hw.queue.status()[1], {job.id for job in waiting}
    running = tuple(row[0] for row in worker.get("running", ()) if row[0] in own)
    page = _page(waiting, after, limit)
    counts = len(waiting), len(dead), running, bool(worker)
    return answers.QueuePage(*counts, page.rows, cursor_of(page.next))


def _page(jobs: Sequence[Job], after: Mark | None, limit: int) -> Page[Job]:
    following = [job for job in sorted(jobs, key=_place) if after is None or _place(job) > after]
    rows = tuple(job._replace(episode=job.episode._replace(steps=())) for job in following[:limit])
    return Page(rows, _place(rows[-1]) if len(following) > limit else None)


def _place(job: Job) -> tuple[float, str]:
    return job.enqueued_at.timestamp(), job.id


def _each(
    call: Call, act: Callable[[str], None], *, ids: Sequence[str] = (), all: bool = False
) -> answers.Done:
    if not (ids or all):
        raise InvalidInput("name the jobs by 'ids', or say 'all': true")
    jobs = call.dead_jobs() if all else [_dead(call, one) for one in ids]
    for job in jobs:
        act(job.id)
    return answers.Done(tuple(job.id for job in jobs))


def _dead(call: Call, identity: str) -> Job:
    found = next((one for one in call.dead_jobs() if one.id == identity), None)
    if found is None:
        raise NotFound("dead job", identity)
    return found


def reports_report(call: Call, *, since: timedelta) -> Report:
    """What was learnt, what was shown, and what happened then."""
    place, scope = call.tenant.place, call.agent.scope
    return call.hw.report(
        scope.agent,
        project=scope.project,
        tenant=call.principal.tenant,
        since=since,
        whole=place.agent is None and place.project is None,
    )


def reports_failures(call: Call, **asked: Any) -> Page[answers.FailureRow]:
    """A page of the kinds of failures, most frequent first."""
    page = call.tenant.failures(**asked)
    return Page(tuple(map(_failure_row, page.rows)), page.next)


def _failure_row(failure: FailureKind) -> answers.FailureRow:
    days = tuple(answers.DayCount(*day) for day in failure.days)
    return answers.FailureRow(**{**failure._asdict(), "days": days})


def reports_failure(call: Call) -> answers.FailureDetails:
    """One kind of failure: the lesson about it, and whose runs met it."""
    failure = call.tenant.failure(call.id)
    lesson, met = call.tenant.about(failure), tuple(call.tenant.who_met(failure))
    return answers.FailureDetails(_failure_row(failure), lesson.id if lesson else None, met)


def reports_spend(call: Call, *, days: int) -> list[answers.Spend]:
    """What models have cost the tenant."""
    return [answers.Spend(day, model, *spent[:3]) for day, model, spent in call.tenant.spent(days)]


def dreams_get(call: Call) -> answers.DreamDetails:
    """One dream with its changes to lessons."""
    dream = call.agent.dreams.get(call.id)
    return answers.DreamDetails(dream, tuple(call.agent.dreams.changes(dream.id)))


_FLAT = {"delivery": 1, "outcome": 0, "settled": 0}  # where a record has its scope, part by part


def sync_push(call: Call, *, batch: str, records: list[Any]) -> answers.Received:
    """Take in what another machine noted, as far as the key may write there.

    A request with a record of an unknown kind is refused as a whole: a newer hardwon sent it, and
    keeps it until this server is upgraded.
    """
    known = call.hw.exchange.kinds()
    kinds = (record[0] for record in records if isinstance(record, list) and record)
    if unknown := sorted({kind for kind in kinds if isinstance(kind, str)} - known):
        raise OlderServer(f"hardwon {hardwon.__version__} does not know the record {unknown[0]!r}")
    own = [record for one in records if (record := _own_record(call, one)) is not None]
    name = f"{call.principal.key} {require_text(batch, 'batch', 200)}"
    for record in own:
        match record:
            case ["run", _, _, [*lines]]:
                record[-1] = [*lines, note_author(call.author)]
            case ["session", *_]:
                record.append(list(call.author))
    call.hw.exchange.receive(name, own)
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


def operations_metrics(call: Call) -> Response:
    """Queue counts, spending, and what agents were told, in the Prometheus format."""
    waiting, dead = call.own_jobs(call.hw.queue.waiting()), call.dead_jobs()
    today = [spent for _, _, spent in call.tenant.spent(1)]
    spent = sum(today[1:], today[0])._asdict() if today else {}
    counts = QueueCounts(pending=len(waiting), dead=len(dead))
    text = prometheus.exposition(counts, WorkCounter(), spent, deliveries=call.tenant.told())
    text += call.state.traffic.exposition(call.principal.tenant)
    return Response(text, media_type=OPERATIONS["operations.metrics"].media)


def operations_create_key(
    call: Call, *, agent: str | None = None, project: str | None = None, **how: Any
) -> tuple[Key, str]:
    """A new key of the tenant; its text is shown in this answer only."""
    who, keys = call.principal, call.state.access.keys
    made: tuple[Key, str] = keys.create(
        **how, agent=agent or None, project=project or None, tenant=who.tenant, limit=who.keys
    )
    return made


_SHORT: dict[str, Callable[..., Any]] = {
    "doors.end_run": lambda call: _wake(call, call.agent.end_run()),
    "doors.report": lambda call, outcome: call.agent.report(Injection(id=call.id), outcome),
    "doors.fix": lambda call, **asked: _find_known(call, call.agent.fix, **asked),
    "doors.how": lambda call, **asked: _find_known(call, call.agent.how, **asked),
    "lessons.get": lambda call: _readable(call)[1],
    "lessons.all_history": lambda call, limit, after=None: _after(
        call.lessons.history(), after, limit
    ),
    "queue.wake": lambda call: call.hw.wake() is not None,
    "queue.dead": lambda call, limit, after=None: _page(call.dead_jobs(), after, limit),
    "queue.dead_job": lambda call: _dead(call, call.id),
    "queue.revive": lambda call, **which: _each(call, call.hw.queue.revive, **which),
    "queue.purge": lambda call, **which: _each(call, call.hw.queue.purge, **which),
    "queue.revive_job": lambda call: call.hw.queue.revive(_dead(call, call.id).id),
    "queue.purge_job": lambda call: call.hw.queue.purge(_dead(call, call.id).id),
    "traces.take": lambda call: _take_telemetry(call, is_logs=False),
    "traces.take_logs": lambda call: _take_telemetry(call, is_logs=True),
    "sync.state": lambda call: call.hw.exchange.state(call.copied),
    "sync.marks": lambda call: call.hw.exchange.marks(call.copied),
    "sync.lessons": lambda call, numbers: call.hw.exchange.lessons(call.copied, numbers),
    "operations.me": lambda call: (*call.principal[:5], hardwon.__version__),
    "operations.keys": lambda call: call.state.access.keys.list(call.principal.keys),
    "operations.revoke_key": lambda call: call.state.access.keys.revoke(
        call.id, limit=call.principal.keys
    ),
}
# Verbs of another part than the name of the operation says.
_VERBS = {
    "lessons.undo_newest": "lessons.undo",
    "reports.deliveries": "tenant.deliveries",
    "runs.list": "tenant.ended_runs",
    "runs.get": "tenant.ended_run",
}


def _verb(name: str) -> Callable[..., Any]:
    """The verb of the API with the name of the operation, on what the path and query name."""
    part, _, verb = _VERBS.get(name, name).partition(".")
    has_id = "{id}" in OPERATIONS[name].path

    def call_verb(call: Call, /, **arguments: Any) -> Any:
        if part == "lessons" and has_id:
            lessons, lesson = _readable(call)
            return getattr(lessons, verb)(lesson.id, **arguments)
        owner: Any = call if part in ("lessons", "tenant") else call.agent
        handle = owner if part == "doors" else getattr(owner, part)
        named = [call.number if part == "playbook" else call.id] if has_id else []
        return getattr(handle, verb)(*named, **arguments)

    return call_verb


HANDLERS = {
    name: _SHORT.get(name) or globals().get(name.replace(".", "_")) or _verb(name)
    for name in OPERATIONS
    if name != "operations.openapi"  # the routes describe themselves
}
