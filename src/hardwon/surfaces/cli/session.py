"""`hardwon session`: learn from the transcripts of coding agents."""

from __future__ import annotations

import json
import os
import sys
import textwrap
from collections import Counter
from datetime import UTC, datetime, timedelta
from time import sleep
from typing import Any, TextIO

import click

from hardwon import Agent
from hardwon.core import settings_file
from hardwon.core.errors import InvalidInput
from hardwon.core.settings import load
from hardwon.core.text.clean import clip, one_line, plural, printable
from hardwon.engine.runtime import MEMORY, utc_now
from hardwon.learn.transcripts import past
from hardwon.learn.transcripts.agents.logs import CLAUDE, claude_folder
from hardwon.learn.transcripts.catalog import AGENTS, Ambiguous, Overview, find, where
from hardwon.learn.transcripts.mining import PHASES, Answerer, Mining, Sessions, by_policy
from hardwon.learn.transcripts.questions import Chosen, Option, Question, valid
from hardwon.learn.transcripts.transcript import SessionPlace
from hardwon.surfaces.cli import options, output
from hardwon.surfaces.cli.options import flag, option
from hardwon.surfaces.cli.output import AGAIN, Output, Progress, complain, is_json, say, width
from hardwon.surfaces.cli.report import print_recurring
from hardwon.surfaces.hooks.agents import AGENTS as HOOKED


def ask_person(question: Question) -> Chosen:
    """The values that the person names by numbers, as `1, 3`; Ctrl-C and the end of input abort."""
    say(f"\n{question.text}")
    for number, choice in enumerate(question.options, 1):
        head = f"  {number}) "
        text = head + one_line(printable(choice.label))
        say("\n".join(textwrap.wrap(text, width(), subsequent_indent=" " * len(head))))
    values = [choice.value for choice in question.options]
    default = ",".join(str(values.index(value) + 1) for value in question.default)
    hint = "numbers, as 1,3" if question.multi else "a number"
    while True:
        text = click.prompt(f"Choose {hint}", default=default, show_default=True)
        numbers = text.replace(",", " ").split()
        try:
            wrong = [one for one in numbers if not (one.isascii() and one.isdecimal())]
            if wrong or not all(1 <= int(one) <= len(values) for one in numbers):
                raise InvalidInput(f"{text!r} is not made of the numbers above")
            return valid(question, tuple(values[int(one) - 1] for one in numbers))
        except InvalidInput as error:
            say(f"  {error}")


_AGENTS = option(
    "--from",
    f"Only sessions of this agent: {', '.join(AGENTS)}.",
    "agents",
    multiple=True,
    choices=AGENTS,
    metavar="AGENT",
)
_SINCE = "Only sessions that changed since: 7d, 36h."
_LATELY = timedelta(days=90)
_EVERY = "10m"  # how often a worker looks for new sessions, if it is to do so
_SPEED = 3_000_000  # bytes of sessions that are read in a second
_TAKEN = (past.LEARNT, past.SENT)
_LEFT_OUT = {
    past.EMPTY: "without a call",
    past.KNOWN: "copies of sessions that are recorded",
    past.LIVE: "recorded by hooks when they happened",
    past.NO_FOLDER: "their folder is unknown; name a project with --project",
    past.UNREADABLE: "they must not or cannot be read",
}


@options.group("session")
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


@command.verb("list")
@_AGENTS
@options.span("--since", _SINCE)
@options.limit(default=20)
def list_(agent: Agent, agents: tuple[str, ...], since: timedelta | None, limit: int) -> Output:
    """Sessions of coding agents: this directory's first, newest first."""
    places = agent.sessions.find(agents=agents, cwd=os.getcwd(), since=since)
    found: list[Overview] = []
    with Progress("Reading") as tell:
        for place in places[:limit]:
            tell(len(found), len(places[:limit]))
            found.append(agent.sessions.look(place))
    rows = [
        (
            one.place.agent,
            one.place.id[:13],
            f"{output.age(datetime.fromtimestamp(one.place.changed, UTC), utc_now())} ago",
            f"{one.place.size / 1e6:.1f} MB"
            if one.place.size >= 1e6
            else f"{one.place.size // 1000} kB",
            plural(one.turns, "turn"),
            f"{one.failures:,} failed",
            "mined" if one.is_mined else "",
            clip(one.prompt, 60),
        )
        for one in found
    ]

    def show() -> None:
        output.table(rows) if rows else say("(no sessions found)")
        if len(places) > limit:
            say(f"  … and {len(places) - limit} more; use --limit", dim=True)

    return Output(found, show)


@command.command()
@_AGENTS
@options.span("--since", _SINCE, default=timedelta(days=90), show_default="90d")
@flag("--dry-run", "Only show what would be recorded; store nothing.")
@option(
    "--read",
    "Then let the model read the N most telling runs into the playbooks; default: none.",
    "reads",
    type=click.IntRange(0, 1000),
    default=0,
    metavar="N",
)
@options.span(
    "--follow", "Go on: look for new sessions this often (10m) until Ctrl-C.", metavar="SPAN"
)
@options.scope_of_each
@options.as_json
def learn(
    agents: tuple[str, ...],
    since: timedelta,
    dry_run: bool,
    reads: int,
    follow: timedelta | None,
    **place: Any,
) -> None:
    """Record past sessions as runs of their projects, without a model.

    Each session is recorded once, as hooks would have done. Run it again for what is new.
    """
    if dry_run:
        settings = load(place["home"])
        is_elsewhere = settings.server.url or settings.postgres.url
        if not is_elsewhere and not os.path.isdir(settings.home):
            place["home"] = MEMORY  # a look makes no home
    with options.open_agent(**place) as agent:
        sessions = agent.sessions
        with learning() as tell:
            learnt = sessions.learn(
                agents=agents, since=since, is_look=dry_run, most_telling=reads, tell=tell
            )
        if is_json():
            output.dump({"sessions": learnt, "is_dry_run": dry_run})
        elif learnt:
            print_learnt(learnt, agent, since, is_look=dry_run)
        else:
            known = len(sessions.find(agents=agents, since=since))
            none = "No session of a coding agent changed in this time; see `hardwon session list`"
            say(f"Nothing is new: {plural(known, 'session')} known in this time" if known else none)
        if sessions.telling and not dry_run:
            runs, tokens = len(sessions.telling), sum(run.tokens for run in sessions.telling)
            calls = f"about {plural(runs, 'call')} and {tokens:,} tokens"
            complain(f"The model reads {plural(runs, 'run')}: {calls}")
            new = plural(sessions.read(), "run")
            complain(f"{new} had something new; see `hardwon playbook`")
    if follow is not None and not dry_run:
        _follow(follow, agents, place)


def learning() -> Progress:
    """The progress over past sessions that are recorded."""
    return Progress("Learning", kept="{} recorded" + AGAIN, of="session")


def print_learnt(
    learnt: list[past.Learnt], agent: Agent, since: timedelta, *, is_look: bool = False
) -> None:
    """Print what came of past sessions: which could not be read, and what came back most."""
    recorded = [session for session in learnt if session.status in _TAKEN]
    is_sent = any(session.status == past.SENT for session in learnt)
    projects = {session.project for session in recorded}
    steps, failed = (sum(getattr(s, name) for s in recorded) for name in ("steps", "failed"))
    done = "sent" if is_sent else "recorded"
    verb = f"would be {done}" if is_look else done
    told = f"{plural(len(recorded), 'session')} of {plural(len(projects), 'project')} {verb}:"
    none = f"Nothing new {'would be' if is_look else 'was'} {done}"
    say(f"{told} {plural(steps, 'call')}, {failed:,} failed" if recorded else none)
    if is_sent and not is_look:
        say("  The server records what is new to it in a while.", dim=True)
    for status, count in Counter(one.status for one in learnt).items():
        if status not in _TAKEN:
            say(f"  {plural(count, 'session')} left out: {_LEFT_OUT[status]}", dim=True)
    problems = Counter((one.place.path, one.problem) for one in learnt if one.problem)
    for (path, problem), count in problems.items():
        complain(f"{path}: {problem}" + (f" ({count:,} sessions)" if count > 1 else ""))
    for reason, count in sum((Counter(one.skipped) for one in learnt), Counter[str]()).items():
        say(f"  {plural(count, 'line')} skipped: {reason}", dim=True)
    if any(session.runs for session in learnt):
        print_recurring(agent.recurring(since=since, limit=5))


def offer_learning(home: str, *, is_wanted: bool, is_asking: bool) -> None:
    """Learn from the past sessions of this machine, if the person wants to."""
    scope = load(home).scope
    with options.open_agent(home, scope.tenant, scope.agent, scope.project or None) as agent:
        unrecorded = agent.sessions.unrecorded(since=_LATELY)
        fresh = [session for session in unrecorded if not session.problem]
        if not fresh:
            return
        folders = {one.folder or claude_folder(where(one)) for one in fresh}
        found = f"{plural(len(fresh), 'session')} of {plural(len(folders - {''}), 'project')}"
        say(f"Found {found} from the last {_LATELY.days} days.")
        seconds = max(1, round(sum(place.size for place in fresh) / _SPEED))
        question = f"Learn from them now? About {seconds} s, nothing leaves the machine"
        is_answered = is_asking and sys.stdin.isatty()
        if not (is_wanted or (is_answered and click.confirm(question, default=True))):
            say("  Learn from them: hardwon session learn")
            return
        with learning() as tell:
            learnt = agent.sessions.learn(since=_LATELY, tell=tell)
        print_learnt(learnt, agent, _LATELY)


def offer_following(home: str, wanted: bool | None, *, is_asking: bool) -> None:
    """Let workers learn from new sessions, if the person wants that.

    At a terminal it is asked once, where agents have left sessions that call no hooks.
    """
    settings = load(home)
    if wanted is None and is_asking and sys.stdin.isatty():
        since = utc_now() - _LATELY
        others = {one.agent for one in find(since=since)} - {CLAUDE, *HOOKED}
        if others and settings.origin("runs.follow") == "default":
            names = ", ".join(sorted(others))
            question = f"Go on learning from new sessions of {names}, every {_EVERY}?"
            wanted = click.confirm(question, default=False)
    if wanted is None:
        return
    settings_file.set_setting(settings.home, "runs.follow", _EVERY if wanted else "0s")
    if wanted:
        say(f"A worker looks for new sessions every {_EVERY}: hooks start one, or `hardwon work`.")
        say("  Change it: hardwon install AGENT --no-follow")


def _follow(every: timedelta, agents: tuple[str, ...], place: dict[str, Any]) -> None:
    """Learn from new sessions until Ctrl-C; the store is only open while there is work."""
    while True:
        sleep(every.total_seconds())
        with options.open_agent(**place) as agent:
            learnt = agent.sessions.learn(agents=agents, since=max(past.FOLLOWED, 2 * every))
        for session in learnt:
            if session.steps:
                calls = plural(session.steps, "call" if session.status == past.SENT else "new call")
                say(f"{session.place.path}: {calls}")


@command.verb("mine")
@click.argument("session", default="")
@_AGENTS
@options.span("--since", _SINCE)
@flag("--auto", "No questions: keep only what is sure.")
@flag("--questions", "Print the questions as JSON and wait for answers.")
@option("--answers", "Apply the answers in this JSON file (- is stdin).", type=click.File())
@flag("--preview", "Only show what would be offered; save nothing.")
def mine(
    agent: Agent,
    session: str,
    agents: tuple[str, ...],
    since: timedelta | None,
    auto: bool,
    questions: bool,
    answers: TextIO | None,
    preview: bool,
) -> Output:
    """Mine SESSION (an id, its beginning, or a path; default: the newest here) into memory.

    With --questions and --answers another program can ask: the first prints a run and its
    questions, the second takes {"run": "…", "answers": {"Q2": ["1"], "Q5.1": "A"}}.
    """
    sessions = agent.sessions
    if since is not None:
        if any((answers, questions, preview, not auto)):
            raise click.UsageError("--since mines without questions: add --auto")
        return _mine_history(sessions, sessions.find(agents=agents, since=since))
    if answers is not None:
        try:
            document = json.load(answers)
            run, given = str(document["run"]), dict(document.get("answers", {}))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise click.UsageError('answers must be {"run": "…", "answers": {…}}') from error
        return _report_saved(sessions.answer(run, given))
    chosen = _choose_session(sessions, session, agents)
    if questions:
        return _questions(sessions, chosen)
    if preview:
        return _preview(sessions, chosen)
    while True:
        result = _mine_session(sessions, chosen, by_policy if auto else lambda *_: ask_person)
        if auto or is_json():
            return _report_saved(result)
        output.emit(_report_saved(result))
        if not _wants_another(result):
            return Output(None, ())
        chosen = _pick(sessions.find(agents=agents, cwd=os.getcwd())[:15])


def _mine_history(sessions: Sessions, found: list[SessionPlace]) -> Output:
    """Mine all sessions without questions; what came of them."""
    places, results = sessions.pending(found), list[Mining]()
    with Progress("Mining", kept="{} mined" + AGAIN, of="session") as tell:
        tell(0, len(places))
        for result in sessions.mine_all(places):
            results.append(result)
            tell(len(results), len(places))
    failed = [result for result in results if result.problem]
    lessons = sum(len(result.report.lessons) for result in results)

    def show() -> None:
        mined = plural(len(results) - len(failed), "session")
        say(f"{mined} mined, {plural(lessons, 'lesson')}; {len(failed)} failed")
        for result in failed:
            complain(f"{result.place.id}: {result.problem}")

    rows = [
        {"session": one.place.id, "report": one.report, "problem": one.problem} for one in results
    ]
    return Output({"sessions": rows, "lessons": lessons}, show)


def _mine_session(sessions: Sessions, place: SessionPlace, answerer: Answerer) -> Mining:
    """The result of mining a session, with its phases and the progress of reading it."""
    with Progress("Reading", kept="nothing was saved") as tell:

        def show(phase: int) -> None:
            tell.clear()
            if not is_json():
                click.echo(f"▸ [{phase + 1}/{len(PHASES)}] {PHASES[phase]}", err=True)

        return sessions.mine(place, answerer, watch=show, tell=tell)


def _questions(sessions: Sessions, chosen: SessionPlace) -> Output:
    """The questions about a session, as JSON in any case."""
    waiting = sessions.ask(chosen)
    delta = waiting.delta
    value = {
        "run": waiting.run,
        "context": waiting.context.plain(),
        "summary": delta.summary,
        "insights": [_plain(one) for one in (*delta.insights, *delta.spare)],
        "related": delta.related,
        "notes": delta.notes,
        "questions": waiting.questions,
    }
    return Output(value, lambda: output.dump(value))


def _preview(sessions: Sessions, chosen: SessionPlace) -> Output:
    with Progress("Reading", kept="nothing was saved") as tell:
        context, delta = sessions.preview(chosen, tell=tell)

    def show() -> None:
        say(delta.summary.text)
        for number, insight in enumerate(delta.insights, 1):
            say(f"\n{number}. [{insight.confidence}] {insight.advice}")
            places = "; ".join(f"line {passage.line}" for passage in insight.evidence[:5])
            say(f"   {places}", dim=True)
        for note in delta.notes:
            say(f"note: {note}", dim=True)

    insights = [_plain(insight) for insight in delta.insights]
    return Output({"context": context.plain(), **delta._asdict(), "insights": insights}, show)


def _plain(insight: Any) -> dict[str, Any]:
    return {**insight._asdict(), "key": insight.key, "entry": insight.entry}


def _report_saved(result: Mining) -> Output:
    """What was saved of one session."""
    report, notes = result.report, result.delta.notes if result.delta else ()

    def show() -> None:
        for note in (*notes, *report.notes, *report.problems):
            complain(note)
        if not report.id:
            say("Nothing was saved.")
            return
        new, known = len(report.lessons) - report.known_lessons, report.known_lessons
        again = f", {plural(known, 'lesson')} met again" if known else ""
        summary = f"{plural(new, 'new lesson')}{again}, {plural(len(report.files), 'file')} changed"
        say(f"{summary}; undo: hardwon session undo")
        for path in report.files:
            say(f"  {path}")
        if report.moved:
            say(f"  {report.moved} older entries moved from MEMORY.md to .insights/")

    return Output({"session": result.place.id, "report": report, "notes": notes}, show)


@command.verb("import", place=options.scope_of_each)
@click.argument("files", nargs=-1, required=True, type=click.Path())
def import_(agent: Agent, files: tuple[str, ...]) -> Output:
    """Record runs in the neutral format (JSON lines, perhaps gzipped) and learn from them."""
    skipped, runs = Counter[str](), list[past.Learnt]()
    kept = "the lessons of {} are kept" + AGAIN
    with Progress("Importing", kept=kept, of="run") as tell:
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

    def show() -> None:
        summary = f"{plural(len(runs), 'run')}, {plural(steps, 'new command')}, {failed:,} failed"
        say(f"{summary}; {plural(lessons, 'lesson')} in their projects")
        for reason, count in skipped.items():
            complain(f"left out {plural(count, 'row')}: {reason}")

    value = {"runs": runs, "steps": steps, "failures": failed, "lessons": lessons}
    return Output({**value, "skipped": dict(skipped)}, show)


@command.verb("undo")
@click.argument("integration", default="")
@flag("--list", "Only list what can be undone.", "listed")
def undo(agent: Agent, integration: str, listed: bool) -> Output:
    """Undo INTEGRATION, by default the last one; later changes by others stay."""
    if listed:
        ids = agent.sessions.integrations()
        return Output(ids, "\n".join(ids) or "(nothing to undo)")
    report = agent.sessions.undo(integration)
    counts = f"{plural(len(report.files), 'file')}, {plural(len(report.lessons), 'lesson')}"
    return Output(report, [f"OK: undid {report.id}: {counts}", *(f"  {p}" for p in report.files)])


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
