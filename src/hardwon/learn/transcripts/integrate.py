"""Integration: chosen insights go into MEMORY.md, `.insights/` and the lessons; with undo.

`MiningState` is what mining keeps in hardwon's own home, private to the user: hand-off files, the
record of each integration, and which sessions were mined.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from hardwon.core import _files
from hardwon.core.errors import HardwonError, InvalidInput, NotFound
from hardwon.core.text.clean import file_id
from hardwon.core.values import from_plain, plain
from hardwon.core.values.lesson import MINED, Kind, Status
from hardwon.core.values.run import Failure
from hardwon.core.values.scope import Scope
from hardwon.engine.recording import Memory
from hardwon.engine.runtime import Runtime
from hardwon.engine.trust import project_for
from hardwon.learn.transcripts import insight as render
from hardwon.learn.transcripts.catalog import Context
from hardwon.learn.transcripts.extract import SUMMARIES
from hardwon.learn.transcripts.insight import TIER_A, Delta, Insight, Summary, stack
from hardwon.learn.transcripts.questions import MERGE, OWN_DOMAIN, OWN_PROJECT, Choice, Selection
from hardwon.learn.transcripts.transcript import SessionPlace
from hardwon.storage.stores.markdown import Entry, Note, read_text, update
from hardwon.storage.stores.markdown import insights as notes
from hardwon.storage.stores.markdown import memory as memory_md


@dataclass
class Record:
    """What an integration wrote: enough to take it back."""

    id: str
    at: str
    session: str
    mined: str  # names the session among those of all agents
    scope: Scope
    keys: list[tuple[str, str, str]] = field(default_factory=list)  # of notes: key, title, summary
    # Of a file: path, text before and after, the tree that it is in.
    changes: list[tuple[str, str | None, str | None, str]] = field(default_factory=list)
    lessons: list[tuple[int, bool]] = field(default_factory=list)  # number, whether it is new

    def files(self) -> tuple[str, ...]:
        """The paths of the changed files."""
        return tuple(dict.fromkeys(path for path, *_ in self.changes))


def undo(engine: Runtime, state: MiningState, identity: str) -> IntegrationReport:
    """Undo one integration; later changes by others stay."""
    record = state.load(identity)
    files = [
        path
        for path, before, after, root in reversed(record.changes)
        if _restore_file(path, before, after, root, record)
    ]
    for number, is_new in record.lessons:
        _forget(engine, record.scope, number, is_new, record.session)
    state.note(record.mined)  # as not mined
    state.forget(identity)
    numbers = tuple(number for number, _ in record.lessons)
    return IntegrationReport(identity, tuple(dict.fromkeys(files)), numbers)


def _restore_file(
    path: str, before: str | None, after: str | None, root: str, record: Record
) -> bool:
    """Restore the file if it is unchanged since, else remove only what was added."""

    def change(text: str | None) -> str | None:
        if text == after or text is None:
            return before if text == after else None
        for key, title, summary in record.keys:
            if notes.has(text, key):
                added = notes.Added(key, title, summary, record.session)
                text = notes.without(notes.parse(text, path), added).text()
            text = memory_md.without(text, key)
        return text

    file_change = update(path, change, root=root)
    return file_change.before != file_change.after


def _forget(engine: Runtime, scope: Scope, number: int, is_new: bool, session: str) -> None:
    """Remove a lesson that the integration made, or what it added to an older one."""
    try:
        lesson = engine.store.lessons.get(scope, number)
    except NotFound:
        return
    remaining = tuple(
        piece
        for piece in lesson.evidence
        if not (piece.kind == Kind.SESSION and piece.value.startswith(f"{session}:"))
    )
    if is_new and all(piece.kind == Kind.ABOUT for piece in remaining):  # no other run met it
        engine.store.lessons.delete(scope, number)
    elif len(remaining) < len(lesson.evidence):
        engine.store.lessons.update(
            lesson._replace(
                evidence=remaining, met=max(1, lesson.met - 1), updated_at=engine.clock()
            )
        )


_ARCHIVE = "memory-archive.md"  # entries that had to leave MEMORY.md
_NAMES = 99  # files of one title


class IntegrationReport(NamedTuple):
    """What an integration did, or took back."""

    id: str
    files: tuple[str, ...] = ()
    lessons: tuple[int, ...] = ()
    known_lessons: int = 0  # how many of these existed before
    moved: int = 0  # entries that left MEMORY.md to make room
    notes: tuple[str, ...] = ()  # what was stored elsewhere than the person chose, and why
    problems: tuple[str, ...] = ()


class Integration:
    """Writes one selection; if a step fails, everything written is taken back."""

    def __init__(self, engine: Runtime, state: MiningState, context: Context, scope: Scope) -> None:
        self._engine, self._state, self._context = engine, state, context
        home = engine.settings.home if engine.on_disk else ""
        project = scope.project or project_for(context.project_path, home, tenant=scope.tenant)
        self._now = engine.clock()
        self._record = Record(
            id=f"{self._now:%Y%m%dT%H%M%S%f}-{os.urandom(3).hex()}",
            at=self._now.isoformat(),
            session=context.place.id,
            mined=key_of(context.place),
            scope=scope._replace(project=project),
        )
        self._base = context.project_level or context.user_level
        self._summary: Summary | None = None
        self._notes: list[str] = []  # what the person should know
        self._moved = 0

    def apply(self, selection: Selection, *, vouched: bool) -> IntegrationReport:
        """Store all choices or none; `vouched` when a person made them."""
        self._summary = selection.summary
        try:
            for choice in selection.choices:
                self._store(choice)
                self._keep(choice.insight, vouched=vouched)
            if selection.choices and selection.summary:  # in place of an earlier note
                note = render.session_note(selection.summary, self._record.session, self._now)
                self._record.keys.append((note.key, note.title, note.summary))
                added = notes.Added(note.key, note.title, note.summary, self._record.session)
                self._grow(os.path.join(self._base, ".insights", SUMMARIES), note, replaced=added)
        except (HardwonError, OSError, KeyboardInterrupt):
            self._state.save(self._record)
            undo(self._engine, self._state, self._record.id)
            raise
        record = self._record
        if record.changes or record.lessons:
            self._state.save(record)
        return IntegrationReport(
            id=record.id if record.changes or record.lessons else "",
            files=record.files(),
            lessons=tuple(dict.fromkeys(number for number, _ in record.lessons)),
            known_lessons=len({number for number, is_new in record.lessons if not is_new}),
            moved=self._moved,
            notes=tuple(self._notes),
        )

    def verify(self, report: IntegrationReport) -> IntegrationReport:
        """The report with the problems of what was written, in words; none when all is well."""
        problems = list[str]()
        for path in report.files:
            try:
                text = read_text(path) or ""
                if ".insights" in path.split(os.sep):
                    notes.parse(text, path)
                if os.path.basename(path) == "MEMORY.md" and not memory_md.fits(text):
                    problems.append(f"{path} is longer than what the agent loads")
            except HardwonError as error:
                problems.append(str(error))
        lessons = self._engine.store.lessons.get_all(self._record.scope, report.lessons)
        missing = {*report.lessons} - {lesson.id for lesson in lessons}
        problems += [f"lesson #{number} is gone" for number in sorted(missing)]
        return report._replace(problems=tuple(problems))

    def _store(self, choice: Choice) -> None:
        """Store an insight, or add it to the file about its subject."""
        insight, related = choice.insight, choice.related
        self._record.keys.append((insight.key, insight.title, insight.entry))
        path = related.path if related and choice.merge == MERGE else ""
        if path and ".insights" in path.split(os.sep):  # only notes have front matter
            self._grow(path, self._note(insight))
        elif path and path != self._context.memory:
            entry = render.entry(insight, self._now)
            has, add = memory_md.has, memory_md.with_entry
            self._update(path, lambda text: text if has(text, entry.key) else add(text, entry))
        elif path or (choice.tier == TIER_A and self._context.memory):
            self._load(insight)
        else:
            self._archive(choice.scope, insight, is_apart=related is not None)

    def _load(self, insight: Insight) -> None:
        """Tier A: add to MEMORY.md. Entries that must make room are archived first."""
        path, entry = self._context.memory, render.entry(insight, self._now)
        if memory_md.has(read_text(path), entry.key):
            self._notes.append(f"MEMORY.md has it already: {insight.title}")
        while not memory_md.has(text := read_text(path), entry.key):
            file = ""
            if text and memory_md.is_index(text):  # a free name for a file of its own
                folder, name = os.path.dirname(path), notes.slug(insight.title)
                is_free = not os.path.lexists(os.path.join(folder, name))
                file = os.path.join(folder, name if is_free else f"{insight.key}-{name}")
            fitted, leaving = _fit(text, entry, insight.title, file)
            if fitted is None:
                archived = self._archive(OWN_PROJECT, insight)
                self._notes.append(f"MEMORY.md is full; this went to {archived}: {insight.title}")
                return
            for old in leaving:
                base = self._context.project_level or os.path.dirname(path)
                moved = render.note_of_moved(old, self._record.session, self._now)
                self._grow(os.path.join(base, ".insights", _ARCHIVE), moved)
            if file:
                self._update(file, lambda text: text or render.memory_file(insight))
            # If the file has changed since it was read, it is tried again.
            if self._update(path, lambda now, old=text, new=fitted: new if now == old else now):
                self._moved += len(leaving)

    def _archive(self, scope: str, insight: Insight, *, is_apart: bool = False) -> str:
        """Tier B: into the file of its tool, or into its own file if a person wrote that one.

        `is_apart`: in a new file, as the person saw the related note. Returns the path.
        """
        note, folder = self._note(insight), self._folder(scope, insight)
        stem = notes.slug(note.title).removesuffix(".md")
        topic = insight.tags[-1] if insight.tags else insight.category
        names = [notes.slug(topic), f"{stem}.md", f"{note.key}.md"]
        if is_apart:
            names = [f"{stem}.md", *(f"{stem}-{number}.md" for number in range(2, _NAMES))]
        for path in (os.path.join(folder, name) for name in names):
            is_free = not os.path.lexists(path)
            if is_free or (not is_apart and "<!-- hardwon:" in (read_text(path) or "")):
                self._grow(path, note)
                return path
        raise InvalidInput(f"no free name for {note.title!r} in {folder}")

    def _folder(self, scope: str, insight: Insight) -> str:
        """The folder of the notes of a scope: user, project or domain."""
        base = self._context.user_level
        if scope == OWN_PROJECT and self._context.project_level:
            base = self._context.project_level
        if scope == OWN_DOMAIN:
            # The last tag is the program; the first may only be the shell that ran it.
            words = " ".join((*insight.tags[1:], insight.text, *insight.tags[:1]))
            domains = (*stack(words), *insight.tags, "general")
            return os.path.join(base, ".insights", "domain", domains[0])
        return os.path.join(base, ".insights")

    def _note(self, insight: Insight) -> Note:
        return render.note(insight, self._summary, self._record.session, self._now)

    def _grow(self, path: str, note: Note, *, replaced: notes.Added | None = None) -> None:
        def change(text: str | None) -> str:
            if text is None:
                return notes.new_document(note).text()
            document = notes.parse(text, path)
            grown = notes.merge_note(
                notes.without(document, replaced) if replaced else document, note
            )
            return text if grown == document else grown.text()

        self._update(path, change)

    def _update(self, path: str, change: Any) -> bool:
        """Change a file and record that, so that it can be undone; whether it changed."""
        root, project = self._context.user_level, self._context.project_path
        if project and os.path.abspath(path).startswith(project.rstrip("/") + "/"):
            root = project
        file_change = update(path, change, root=root)
        if file_change.before == file_change.after:
            return False
        self._record.changes.append((*file_change, root))
        self._state.save(self._record)
        return True

    def _keep(self, insight: Insight, *, vouched: bool) -> None:
        new = render.lesson(insight, self._record.scope, self._record.session, vouched=vouched)
        memory, lesson = Memory(new.scope, self._engine.store.lessons, self._now, {}), None
        for kind in new.kinds if new.fixes or not vouched else ():  # what a recorded run has left
            known = memory.about(Failure("", kind, ""))
            keys = {fix.key for fix in known.fixes} if known and known.origin == MINED else None
            if keys is not None and keys.issuperset(fix.key for fix in new.fixes):
                lesson = known
                break
        lesson = lesson or self._engine.keep(new)
        is_proven = vouched or any(fix.is_proven for fix in lesson.fixes)
        if lesson.status == Status.CANDIDATE and is_proven:
            lesson = lesson._replace(status=Status.PROVEN)
            self._engine.store.lessons.update(lesson)
        self._record.lessons.append((lesson.id, lesson.created_at >= self._now))


def _fit(text: str | None, entry: Entry, title: str, file: str) -> tuple[str | None, list[Entry]]:
    """MEMORY.md with the entry, and the entries that must leave; None if it cannot fit."""
    if file and text:
        grown = memory_md.with_indexed(text, entry, title=title, file=os.path.basename(file))
    else:
        grown = memory_md.with_entry(text, entry)
    leaving: list[Entry] = []
    while not memory_md.fits(grown):
        old = memory_md.oldest(grown, but=entry.key)
        if old is None:
            return None, []
        grown = memory_md.without(grown, old.key)
        leaving.append(old)
    return grown, leaving


_STALE = 24 * 3600.0  # seconds after which the hand-off files of a run are abandoned


class MiningState:
    """The folder `sessions` in hardwon's home."""

    def __init__(self, home: str) -> None:
        self._base = os.path.join(home, "sessions")

    def new_handoff(self) -> str:
        """A fresh, private directory with an unguessable name, for one run."""
        runs = self._folder("runs")
        for entry in os.scandir(runs):
            if time.time() - entry.stat().st_mtime > _STALE:
                shutil.rmtree(entry.path, ignore_errors=True)
        return tempfile.mkdtemp(prefix="run-", dir=runs)

    def handoff(self, run: str) -> str:
        """The directory of a run that waits for answers, else NotFound."""
        path = os.path.join(self._base, "runs", file_id(run, "run"))
        if not os.path.isdir(path):
            raise NotFound("run", run)
        return path

    def save(self, record: Record) -> None:
        """Store the record of an integration, atomically."""
        self._folder("integrations")
        _files.replace(self._path(record.id), json.dumps(vars(record)).encode(), durable=True)

    def integrations(self) -> list[str]:
        """The ids of all integrations, oldest first."""
        folder = os.path.join(self._base, "integrations")
        names = os.listdir(folder) if os.path.isdir(folder) else ()
        return sorted(name.removesuffix(".json") for name in names if name.endswith(".json"))

    def load(self, identity: str) -> Record:
        """The record of an integration, else NotFound."""
        path = self._path(identity)
        try:
            with open(path, encoding="utf-8") as file:
                stored = json.load(file)
            return Record(**{**stored, "scope": Scope(*stored["scope"])})
        except FileNotFoundError:
            raise NotFound("integration", identity) from None
        except (ValueError, TypeError, KeyError) as error:
            raise InvalidInput(f"{path}: not a record of an integration") from error

    def forget(self, identity: str) -> None:
        """Drop the record of an integration that was taken back."""
        _files.unlink(self._path(identity))

    def mined_sizes(self) -> dict[str, int]:
        """The size at which each session was mined, by agent and session."""
        path, sizes = os.path.join(self._base, "mined.jsonl"), dict[str, int]()
        if not os.path.isfile(path):
            return sizes
        with open(path, encoding="utf-8", errors="replace") as file:
            for line in file:
                with suppress(ValueError):  # the last line of a process that was killed
                    key, size, _ = json.loads(line)
                    sizes[str(key)] = int(size)
        return sizes

    def note(self, key: str, size: int = -1, changed: float = 0.0) -> None:
        """Remember that a session was mined at this size; without one, that it was not."""
        line = json.dumps([key, size, changed]).encode() + b"\n"
        _files.append(os.path.join(self._folder(""), "mined.jsonl"), line)

    def _path(self, identity: str) -> str:
        return os.path.join(self._base, "integrations", f"{file_id(identity)}.json")

    def _folder(self, name: str) -> str:
        path = os.path.join(self._base, name)
        _files.make_folder(path)
        return path


def key_of(place: SessionPlace) -> str:
    """The name of a session that is unique among all agents."""
    return f"{place.agent}:{place.id}"


def write_file(folder: str, name: str, text: str) -> None:
    """Write one file of a run."""
    _files.replace(os.path.join(folder, name), text.encode())


_TARGETS = {"A": "MEMORY.md", "B": ".insights/"}


def write_delta(folder: str, delta: Delta, place: SessionPlace, now: datetime) -> None:
    """The extractors' three files, and `delta.json` for the process that continues."""
    summary = delta.summary
    decisions = "\n".join(f"- {decision}" for decision in summary.decisions) or "- (none stated)"
    page = (
        f"## Session Summary\n\n{summary.text}\n\n**Main Task**: {summary.task}\n\n"
        f"**Key Decisions**:\n{decisions}\n\n**Duration**: {summary.duration}\n"
    )
    write_file(folder, "session-summary.md", page)
    page = (
        f"# Extracted Insights\n\nSession: {place.id}\nExtracted: {now.isoformat()}\n"
        f"Insights Found: {len(delta.insights)}\n"
    )
    for number, insight in enumerate(delta.insights, 1):
        quotes = "; ".join(f"“{one.quote}” (line ~{one.line})" for one in insight.evidence[:5])
        page += (
            f"\n### {number}. {insight.category}: {insight.title}\n\n"
            f"- Type: {insight.kind.capitalize()}\n"
            f"- Confidence: {insight.confidence.capitalize()}\n"
            f"- Insight: {insight.text}\n- Evidence: {quotes}\n"
            f"- Suggested Memory Entry: {insight.entry}\n"
            f"- Recommended Target: {_TARGETS[insight.tier]}\n"
        )
    none = "\nNo actionable insights detected: nothing failed or was corrected.\n"
    write_file(folder, "extracted-insights.md", page if delta.insights else page + none)
    titles = {insight.key: insight.title for insight in (*delta.insights, *delta.spare)}
    page = "# Related Knowledge\n"
    for one in delta.related:
        page += (
            f"\n### {titles.get(one.key, one.key)}\n\n- Relation: {one.relation.capitalize()}\n"
            f"- File: {one.path}:{one.line}\n- Excerpt: {one.excerpt}\n"
            f"- Rationale: {one.reason}\n"
        )
    none = "\nEverything is new.\n"
    write_file(folder, "related-knowledge.md", page if delta.related else page + none)
    write_file(folder, "delta.json", json.dumps({**plain(delta), "place": plain(place)}))


def read_delta(folder: str) -> tuple[SessionPlace, Delta]:
    """The session and what was extracted of it in an earlier process."""
    with open(os.path.join(folder, "delta.json"), encoding="utf-8") as file:
        stored = json.load(file)
    return from_plain(SessionPlace, stored["place"]), from_plain(Delta, stored)
