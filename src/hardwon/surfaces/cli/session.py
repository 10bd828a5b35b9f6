"""`hardwon session`: learn from the transcripts of coding agents."""

from __future__ import annotations

import json
import os
import sys
import textwrap
from collections import Counter
from datetime import UTC, datetime, timedelta
from time import sleep
from typing import Any

import click

from hardwon.core.errors import InvalidInput
from hardwon.core.settings import duration, load
from hardwon.core.text.clean import clip, one_line, plural, printable
from hardwon.engine.runtime import MEMORY, utc_now
from hardwon.learn.transcripts.catalog import AGENTS, Ambiguous, Overview
from hardwon.learn.transcripts.mining import Answerer, Mining, Phase, Sessions, by_policy
from hardwon.learn.transcripts.past import Learnt
from hardwon.learn.transcripts.questions import NONE, Chosen, Option, Question, valid
from hardwon.learn.transcripts.transcript import SessionPlace
from hardwon.surfaces.cli import options
from hardwon.surfaces.cli.learning import print_learnt, print_recurring, sessions_recorded
from hardwon.surfaces.cli.options import Group
from hardwon.surfaces.cli.output import Progress, age, complain, dump, say, table, width

try:
    import questionary

    _HAS_KEYS = True
except ImportError:  # the extra `sessions` adds arrow keys; numbers always work
    _HAS_KEYS = False


_MARGIN = 8  # columns that the arrow, the tick and the number need
_MARKS = {"pending": " ", "in_progress": "▸", "completed": "✔"}


def ask_person(question: Question) -> Chosen:
    """The values that the person chose; Ctrl-C and the end of input abort."""
    has_terminal = _HAS_KEYS and sys.stdin.isatty() and sys.stdout.isatty()
    answer = _by_keys if has_terminal else _by_number
    if has_terminal and _is_long(question):
        _show_options(question)
    elif not has_terminal:
        say(f"\n{question.text}")
        _show_options(question)
    while True:
        try:
            return valid(question, answer(question))
        except InvalidInput as error:
            say(f"  {error}")


def show_phases(phases: tuple[Phase, ...]) -> None:
    """One line for the phase that begins, on standard error."""
    for number, phase in enumerate(phases, 1):
        if phase.status == "in_progress":
            line = f"{_MARKS[phase.status]} [{number}/{len(phases)}] {phase.active}"
            click.echo(line, err=True)


def _show_options(question: Question) -> None:
    """Print every option in full, wrapped to the terminal."""
    for number, option in enumerate(question.options, 1):
        head = f"  {number}) "
        text = head + one_line(printable(option.label))
        say("\n".join(textwrap.wrap(text, width(), subsequent_indent=" " * len(head))))


def _is_long(question: Question) -> bool:
    """Whether an option does not fit into its line of the menu."""
    return any(len(one_line(option.label)) > width() - _MARGIN for option in question.options)


def _by_keys(question: Question) -> Chosen:
    text, options = printable(question.text), _menu(question)
    if not question.multi:
        default = question.default[0] if question.default else None
        return (questionary.select(text, options, default=default).unsafe_ask(),)
    ticked = tuple(questionary.checkbox(text, options).unsafe_ask())
    # The keys that select all or invert also tick "none": it is ignored if anything else is ticked.
    return tuple(value for value in ticked if value != NONE) or question.default


def _menu(question: Question) -> list[Any]:
    """The options as lines of a menu; "none" is never ticked in advance."""
    ticked = set(question.default) - {NONE} if question.multi else set()
    return [
        questionary.Choice(line, option.value, checked=option.value in ticked)
        for line, option in zip(_lines(question), question.options, strict=True)
    ]


def _lines(question: Question) -> list[str]:
    labels = [one_line(printable(option.label)) for option in question.options]
    if not _is_long(question):
        return labels
    return [clip(f"{at}) {label}", width() - _MARGIN) for at, label in enumerate(labels, 1)]


def _by_number(question: Question) -> Chosen:
    hint = "numbers, as 1,3" if question.multi else "a number"
    text = click.prompt(f"Choose {hint}", default=_default(question), show_default=True)
    return _values(question, text)


def _default(question: Question) -> str:
    values = [option.value for option in question.options]
    return ",".join(str(values.index(value) + 1) for value in question.default)


def _values(question: Question, text: str) -> Chosen:
    """`1, 3` as the values of the first and the third option."""
    chosen = []
    for part in text.replace(",", " ").split():
        if not (part.isascii() and part.isdigit() and 1 <= int(part) <= len(question.options)):
            raise InvalidInput(f"{part!r} is not one of the numbers above")
        chosen.append(question.options[int(part) - 1].value)
    return tuple(chosen)


_AGENTS = click.option(
    "--from",
    "agents",
    multiple=True,
    type=options.Choice(AGENTS),
    metavar="AGENT",
    help=f"Only sessions of this agent: {', '.join(AGENTS)}.",
)


class Since(click.ParamType[timedelta]):
    """A span of time such as `7d` or `36h`."""

    name = "span"

    def convert(self, value: Any, param: Any, ctx: Any) -> timedelta:
        if isinstance(value, timedelta):
            return value
        try:
            return duration(value)
        except (ValueError, KeyError):
            self.fail(f"{value!r} is not a span of time such as 7d or 36h", param, ctx)


_SINCE = click.option("--since", type=Since(), help="Only sessions that changed since: 7d, 36h.")


@click.group("session", cls=Group)
def command() -> None:
    """Learn from the sessions that coding agents have left on this machine.

    \b
    hardwon session list                      the sessions on this machine
    hardwon session learn                     record all past sessions as runs of their projects
    hardwon session mine                      the newest session here, with questions
    hardwon session mine --since 7d --auto    a whole history, without questions
    hardwon session import runs.jsonl         runs in the neutral format
    hardwon session undo                      undo the last integration
    """


@command.command("list")
@_AGENTS
@_SINCE
@click.option("--limit", default=20, show_default=True, help="At most this many.")
@options.scope
@options.as_json
def list_(
    agents: tuple[str, ...],
    since: timedelta | None,
    limit: int,
    as_json: bool,
    **place: Any,
) -> None:
    """Sessions of coding agents: this directory's first, newest first."""
    with options.Scoped(**place) as agent:
        places = agent.sessions.find(agents=agents, cwd=os.getcwd(), since=since)
        overviews = _overviews(agent.sessions, places[:limit], is_quiet=as_json)
    if as_json:
        dump(overviews)
        return
    table([_row(session) for session in overviews]) if overviews else say("(no sessions found)")
    if len(places) > limit:
        say(f"  … and {len(places) - limit} more; use --limit", dim=True)


def _overviews(sessions: Sessions, places: list[SessionPlace], *, is_quiet: bool) -> list[Overview]:
    with Progress("Reading", is_quiet=is_quiet) as tell:
        found: list[Overview] = []
        for place in places:
            tell(len(found), len(places))
            found.append(sessions.look(place))
    return found


@command.command()
@_AGENTS
@click.option(
    "--since",
    type=Since(),
    default=timedelta(days=90),
    show_default="90d",
    help="Only sessions that changed since: 7d, 36h.",
)
@click.option("--dry-run", is_flag=True, help="Only show what would be recorded; store nothing.")
@click.option(
    "--read",
    "reads",
    type=click.IntRange(0, 1000),
    default=0,
    metavar="N",
    help="Then let the model read the N most telling runs into the playbooks; default: none.",
)
@click.option(
    "--follow",
    type=Since(),
    metavar="SPAN",
    help="Go on: look for new sessions this often (10m) until Ctrl-C.",
)
@options.scope
@options.as_json
def learn(
    agents: tuple[str, ...],
    since: timedelta,
    dry_run: bool,
    reads: int,
    follow: timedelta | None,
    as_json: bool,
    **place: Any,
) -> None:
    """Record past sessions as runs of their projects, without a model.

    Each session is recorded once, as hooks would have done. Run it again for what is new.
    """
    settings = load(place["home"])
    is_elsewhere = settings.server.url or settings.postgres.url
    if dry_run and not is_elsewhere and not os.path.isdir(settings.home):
        place["home"] = MEMORY  # a look makes no home
    with options.Scoped(**place) as agent:
        sessions = agent.sessions
        with Progress("Learning", is_quiet=as_json, kept=sessions_recorded) as tell:
            learnt = sessions.learn(
                agents=agents, since=since, is_look=dry_run, most_telling=reads, tell=tell
            )
        if not as_json and not learnt:
            known = len(sessions.find(agents=agents, since=since))
            say(f"Nothing is new: {plural(known, 'session')} known in this time")
        elif not as_json:
            print_learnt(learnt, is_look=dry_run)
            if any(session.runs for session in learnt):
                print_recurring(agent.recurring(since=since, limit=5))
        if sessions.telling and not dry_run:
            tokens = sum(run.tokens for run in sessions.telling)
            about = f"about {plural(len(sessions.telling), 'call')} and {tokens:,} tokens"
            complain(f"The model reads {plural(len(sessions.telling), 'run')}: {about}")
            read = sessions.read()
            complain(f"{plural(read, 'run')} had something new; see `hardwon playbook`")
    if as_json:
        dump({"sessions": learnt, "is_dry_run": dry_run})
    if follow is not None and not dry_run:
        _follow(follow, agents, place)


def _follow(every: timedelta, agents: tuple[str, ...], place: dict[str, Any]) -> None:
    """Learn from new sessions until Ctrl-C; the store is only open while there is work."""
    while True:
        sleep(every.total_seconds())
        with options.Scoped(**place) as agent:
            learnt = agent.sessions.learn(agents=agents, since=max(_FOLLOWED, 2 * every))
        for session in learnt:
            if session.steps:
                say(f"{session.place.path}: {plural(session.steps, 'new call')}")


_FOLLOWED = timedelta(days=1)  # how long ago the sessions changed that are followed


@command.command()
@click.argument("session", default="")
@_AGENTS
@_SINCE
@click.option("--auto", is_flag=True, help="No questions: keep only what is sure.")
@click.option("--questions", is_flag=True, help="Print the questions as JSON and wait for answers.")
@click.option(
    "--answers", type=click.File(), help="Apply the answers in this JSON file (- is stdin)."
)
@click.option("--preview", is_flag=True, help="Only show what would be offered; save nothing.")
@options.scope
@options.as_json
def mine(session: str, as_json: bool, **chosen: Any) -> None:
    """Mine SESSION (an id, its beginning, or a path; default: the newest here) into memory.

    With --questions and --answers another program can ask: the first prints a run and its
    questions, the second takes {"run": "…", "answers": {"Q2": ["1"], "Q5.1": "A"}}.
    """
    filters = {name: chosen.pop(name) for name in (*_WAYS, "agents", "since")}
    way = next((name for name in _WAYS if filters[name]), "dialogue")
    if filters["since"] is not None and way != "auto":
        raise click.UsageError("--since mines without questions: add --auto")
    with options.Scoped(**chosen) as agent:
        _MINE[way](agent.sessions, session, filters, as_json)


_WAYS = ("answers", "questions", "preview", "auto")


def _by_dialogue(sessions: Sessions, name: str, filters: dict[str, Any], as_json: bool) -> None:
    """Ask a person; continue with another session if they want to."""
    chosen = _choose_session(sessions, name, filters["agents"])
    while True:
        result = _mine_session(sessions, chosen, lambda *_: ask_person, is_quiet=as_json)
        _print_result(result, as_json)
        if as_json or not _wants_another(result):
            return
        chosen = _pick(sessions.find(agents=filters["agents"], cwd=os.getcwd())[:15])


def _by_policy(sessions: Sessions, name: str, filters: dict[str, Any], as_json: bool) -> None:
    if filters["since"] is None:
        chosen = _choose_session(sessions, name, filters["agents"])
        _print_result(_mine_session(sessions, chosen, by_policy, is_quiet=as_json), as_json)
        return
    places = sessions.pending(sessions.find(agents=filters["agents"], since=filters["since"]))
    results = []
    with Progress("Mining", is_quiet=as_json, kept=_sessions_kept) as tell:
        tell(0, len(places))
        for result in sessions.mine_all(places):
            results.append(result)
            tell(len(results), len(places))
    _print_results(results, as_json)


def _mine_session(
    sessions: Sessions, place: SessionPlace, answerer: Answerer, *, is_quiet: bool
) -> Mining:
    """The result of mining a session, with its phases and the progress of reading it."""
    with Progress("Reading", is_quiet=is_quiet, kept=lambda _: "nothing was saved") as tell:

        def show(now: tuple[Phase, ...]) -> None:
            tell.clear()
            if not is_quiet:
                show_phases(now)

        return sessions.mine(place, answerer, watch=show, tell=tell)


def _sessions_kept(done: int) -> str:
    return f"{plural(done, 'session')} mined; run it again for the others"


def _questions(sessions: Sessions, name: str, filters: dict[str, Any], as_json: bool) -> None:
    waiting = sessions.ask(_choose_session(sessions, name, filters["agents"]))
    dump(
        {
            "run": waiting.run,
            "context": waiting.context.plain(),
            "summary": waiting.delta.summary,
            "insights": [
                _plain(insight) for insight in (*waiting.delta.insights, *waiting.delta.spare)
            ],
            "related": waiting.delta.related,
            "notes": waiting.delta.notes,
            "questions": waiting.questions,
        }
    )


def _answers(sessions: Sessions, name: str, filters: dict[str, Any], as_json: bool) -> None:
    try:
        document = json.load(filters["answers"])
        run, answers = str(document["run"]), dict(document.get("answers", {}))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise click.UsageError('answers must be {"run": "…", "answers": {…}}') from error
    _print_result(sessions.answer(run, answers), as_json)


def _preview(sessions: Sessions, name: str, filters: dict[str, Any], as_json: bool) -> None:
    chosen = _choose_session(sessions, name, filters["agents"])
    with Progress("Reading", is_quiet=as_json, kept=lambda _: "nothing was saved") as tell:
        context, delta = sessions.preview(chosen, tell=tell)
    if as_json:
        insights = [_plain(insight) for insight in delta.insights]
        dump({"context": context.plain(), **delta._asdict(), "insights": insights})
        return
    say(delta.summary.text)
    for number, insight in enumerate(delta.insights, 1):
        say(f"\n{number}. [{insight.confidence}] {insight.advice}")
        say("   " + "; ".join(f"line {passage.line}" for passage in insight.evidence[:5]), dim=True)
    for note in delta.notes:
        say(f"note: {note}", dim=True)


_MINE = {
    "dialogue": _by_dialogue,
    "auto": _by_policy,
    "questions": _questions,
    "answers": _answers,
    "preview": _preview,
}


@command.command("import")
@click.argument("files", nargs=-1, required=True, type=click.Path())
@options.scope
@options.as_json
def import_(files: tuple[str, ...], as_json: bool, **place: Any) -> None:
    """Record runs in the neutral format (JSON lines, perhaps gzipped) and learn from them."""
    skipped: Counter[str] = Counter()
    runs: list[Learnt] = []
    progress = Progress("Importing", is_quiet=as_json, kept=_runs_kept)
    with options.Scoped(**place) as agent, progress as tell:
        rows = agent.sessions.count_runs(files)
        tell(0, rows)
        for file in files:
            for run in agent.sessions.import_runs(file, skipped):
                runs.append(run)
                tell(len(runs), rows)
        projects = {run.project for run in runs}
        counts = agent.lessons.elsewhere()
        lessons = sum(count for scope, count in counts.items() if scope.project in projects)
    steps, failed = sum(run.steps for run in runs), sum(run.failed for run in runs)
    if as_json:
        dump(
            {
                "runs": runs,
                "steps": steps,
                "failures": failed,
                "lessons": lessons,
                "skipped": dict(skipped),
            }
        )
        return
    summary = f"{plural(len(runs), 'run')}, {plural(steps, 'new command')}, {failed:,} failed"
    say(f"{summary}; {plural(lessons, 'lesson')} in their projects")
    for reason, count in skipped.items():
        complain(f"left out {plural(count, 'row')}: {reason}")


def _runs_kept(done: int) -> str:
    return f"the lessons of {plural(done, 'run')} are kept; run it again for the others"


@command.command()
@click.argument("integration", default="")
@click.option("--list", "listed", is_flag=True, help="Only list what can be undone.")
@options.scope
@options.as_json
def undo(integration: str, listed: bool, as_json: bool, **place: Any) -> None:
    """Undo INTEGRATION, by default the last one; later changes by others stay."""
    with options.Scoped(**place) as agent:
        if listed:
            ids = agent.sessions.integrations()
            dump(ids) if as_json else say("\n".join(ids) or "(nothing to undo)")
            return
        report = agent.sessions.undo(integration)
    if as_json:
        dump(report)
        return
    counts = f"{plural(len(report.files), 'file')}, {plural(len(report.lessons), 'lesson')}"
    say(f"OK: undid {report.id}: {counts}")
    for path in report.files:
        say(f"  {path}")


_DONE = Question(
    "done",
    "Complete. Any additional actions needed?",
    (
        Option("another", "Analyze another session"),
        Option("rules", "Review related rules"),
        Option("done", "Done"),
    ),
    default=("done",),
)


def _wants_another(result: Mining) -> bool:
    """Ask what to do next; the person may look at related rules any number of times."""
    while (answer := ask_person(_DONE)) == ("rules",):
        related = result.delta.related if result.delta else ()
        for passage in related:
            say(f"  {passage.path}:{passage.line} ({passage.relation}): {passage.excerpt}")
        if not related:
            say("  (nothing in memory is related)")
    return answer == ("another",)


def _choose_session(sessions: Sessions, name: str, agents: tuple[str, ...]) -> SessionPlace:
    """The named session; a person is asked if several match."""
    try:
        return sessions.choose(name, cwd=os.getcwd(), agents=agents)
    except Ambiguous as several:
        if not sys.stdin.isatty():
            raise
        return _pick(several.sessions)


def _pick(places: list[SessionPlace]) -> SessionPlace:
    chosen = tuple(Option(str(n), f"{place.agent} {place.id}") for n, place in enumerate(places))
    (answer,) = ask_person(Question("session", "Which session?", chosen, default=("0",)))
    return places[int(answer)]


def _row(overview: Overview) -> tuple[str, ...]:
    changed = datetime.fromtimestamp(overview.place.changed, UTC)
    return (
        overview.place.agent,
        overview.place.id[:13],
        f"{age(changed, utc_now())} ago",
        f"{overview.place.size / 1e6:.1f} MB",
        plural(overview.turns, "turn"),
        f"{overview.failures:,} failed",
        "mined" if overview.is_mined else "",
        clip(overview.prompt, 60),
    )


def _plain(insight: Any) -> dict[str, Any]:
    return {**insight._asdict(), "key": insight.key, "entry": insight.entry}


def _print_result(result: Mining, as_json: bool) -> None:
    report, notes = result.report, result.delta.notes if result.delta else ()
    if as_json:
        dump({"session": result.place.id, "report": report, "notes": notes})
        return
    for note in (*notes, *report.notes, *report.problems):
        complain(note)
    if not report.id:
        say("Nothing was saved.")
        return
    new = len(report.lessons) - report.known_lessons
    again = f", {plural(report.known_lessons, 'lesson')} met again" if report.known_lessons else ""
    summary = f"{plural(new, 'new lesson')}{again}, {plural(len(report.files), 'file')} changed"
    say(f"{summary}; undo: hardwon session undo")
    for path in report.files:
        say(f"  {path}")
    if report.moved:
        say(f"  {report.moved} older entries moved from MEMORY.md to .insights/")


def _print_results(results: list[Mining], as_json: bool) -> None:
    failed = [result for result in results if result.problem]
    lessons = sum(len(result.report.lessons) for result in results)
    if as_json:
        rows = [
            {"session": result.place.id, "report": result.report, "problem": result.problem}
            for result in results
        ]
        dump({"sessions": rows, "lessons": lessons})
        return
    mined = plural(len(results) - len(failed), "session")
    say(f"{mined} mined, {plural(lessons, 'lesson')}; {len(failed)} failed")
    for result in failed:
        complain(f"{result.place.id}: {result.problem}")
