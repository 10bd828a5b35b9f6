"""What mining keeps in hardwon's own home: hand-off files, the record of each integration, and
which sessions were mined. All of it is private to the user."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import time
from datetime import datetime
from typing import Any, NamedTuple

from hardwon.core import _files
from hardwon.core.errors import InvalidInput, NotFound
from hardwon.core.text.clean import file_id
from hardwon.core.values import from_plain, plain
from hardwon.learn.transcripts.insight import Delta, Insight, Related, Summary
from hardwon.learn.transcripts.transcript import SessionPlace

_STALE = 24 * 3600.0  # seconds after which the hand-off files of a run are abandoned


class Handoff:
    """A private directory for one run; removed when the run is over."""

    def __init__(self, path: str) -> None:
        self.path = path

    @property
    def run(self) -> str:
        """The name with which a later process can continue."""
        return os.path.basename(self.path)

    def write(self, name: str, text: str) -> None:
        """Write one file."""
        _files.replace(os.path.join(self.path, name), text.encode())

    def read(self, name: str) -> str:
        """One file's text."""
        with open(os.path.join(self.path, name), encoding="utf-8") as file:
            return file.read()

    def remove(self) -> None:
        """Forget the run."""
        shutil.rmtree(self.path, ignore_errors=True)


class IntegrationReport(NamedTuple):
    """What an integration did, or took back."""

    id: str
    files: tuple[str, ...] = ()
    lessons: tuple[int, ...] = ()
    known_lessons: int = 0  # how many of these existed before
    moved: int = 0  # entries that left MEMORY.md to make room
    notes: tuple[str, ...] = ()  # what was stored elsewhere than the person chose, and why
    problems: tuple[str, ...] = ()


class Mined(NamedTuple):
    """How far a session had been mined."""

    size: int
    changed: float


class MiningState:
    """The folder `sessions` in hardwon's home."""

    def __init__(self, home: str) -> None:
        self._base = os.path.join(home, "sessions")

    def new_handoff(self) -> Handoff:
        """A fresh, private directory with an unguessable name."""
        runs = self._folder("runs")
        for name in os.listdir(runs):
            path = os.path.join(runs, name)
            if time.time() - os.stat(path).st_mtime > _STALE:
                shutil.rmtree(path, ignore_errors=True)
        return Handoff(tempfile.mkdtemp(prefix="run-", dir=runs))

    def handoff(self, run: str) -> Handoff:
        """The directory of a run that waits for answers, else NotFound."""
        path = os.path.join(self._base, "runs", file_id(run, "run"))
        if not os.path.isdir(path):
            raise NotFound("run", run)
        return Handoff(path)

    def save(self, identity: str, record: dict[str, Any]) -> None:
        """Store the record of an integration, atomically."""
        path = os.path.join(self._folder("integrations"), f"{file_id(identity)}.json")
        _files.replace(path, json.dumps(record).encode(), durable=True)

    def integrations(self) -> list[str]:
        """The ids of all integrations, oldest first."""
        folder = os.path.join(self._base, "integrations")
        names = os.listdir(folder) if os.path.isdir(folder) else []
        return sorted(name.removesuffix(".json") for name in names if name.endswith(".json"))

    def load(self, identity: str) -> dict[str, Any]:
        """The record of an integration, else NotFound."""
        path = os.path.join(self._base, "integrations", f"{file_id(identity)}.json")
        try:
            with open(path, encoding="utf-8") as file:
                record: dict[str, Any] = json.load(file)
        except FileNotFoundError:
            raise NotFound("integration", identity) from None
        except ValueError as error:
            raise InvalidInput(f"{path}: not a record of an integration") from error
        return record

    def forget(self, identity: str) -> None:
        """Drop the record of an integration that was taken back."""
        _files.unlink(os.path.join(self._base, "integrations", f"{file_id(identity)}.json"))

    def mined_sizes(self) -> dict[str, Mined]:
        """The size at which each session was mined, by agent and session."""
        path, sizes = os.path.join(self._base, "mined.jsonl"), dict[str, Mined]()
        if not os.path.isfile(path):
            return sizes
        with open(path, encoding="utf-8", errors="replace") as file:
            for line in file:
                try:
                    key, size, changed = json.loads(line)
                except ValueError:
                    continue  # the last line of a process that was killed
                sizes[str(key)] = Mined(int(size), float(changed))
        return sizes

    def note(self, place: SessionPlace) -> None:
        """Remember that a session was mined as it is now."""
        self._append([key_of(place), place.size, place.changed])

    def unnote(self, key: str) -> None:
        """Forget that a session was mined."""
        self._append([key, -1, 0.0])

    def _append(self, row: list[Any]) -> None:
        line = json.dumps(row).encode() + b"\n"
        _files.append(os.path.join(self._folder(""), "mined.jsonl"), line)

    def _folder(self, name: str) -> str:
        path = os.path.join(self._base, name)
        _files.make_folder(path)
        return path


def key_of(place: SessionPlace) -> str:
    """The name of a session that is unique among all agents."""
    return f"{place.agent}:{place.id}"


_TARGETS = {"A": "MEMORY.md", "B": ".insights/"}


def write_delta(handoff: Handoff, delta: Delta, place: SessionPlace, now: datetime) -> None:
    """The extractors' three files, and `delta.json` for the process that continues."""
    handoff.write("session-summary.md", summary_text(delta.summary))
    handoff.write("extracted-insights.md", insights_text(delta, place.id, now))
    handoff.write("related-knowledge.md", related_text(delta))
    handoff.write("delta.json", json.dumps({**plain(delta), "place": plain(place)}))


def read_delta(handoff: Handoff) -> tuple[SessionPlace, Delta]:
    """The session and what was extracted of it in an earlier process."""
    stored = json.loads(handoff.read("delta.json"))
    return from_plain(SessionPlace, stored["place"]), from_plain(Delta, stored)


def summary_text(summary: Summary) -> str:
    """The summary as a page."""
    decisions = "\n".join(f"- {decision}" for decision in summary.decisions) or "- (none stated)"
    return (
        f"## Session Summary\n\n{summary.text}\n\n**Main Task**: {summary.task}\n\n"
        f"**Key Decisions**:\n{decisions}\n\n**Duration**: {summary.duration}\n"
    )


def insights_text(delta: Delta, session: str, now: datetime) -> str:
    """The insights as a page."""
    head = (
        f"# Extracted Insights\n\nSession: {session}\nExtracted: {now.isoformat()}\n"
        f"Insights Found: {len(delta.insights)}\n"
    )
    if not delta.insights:
        return f"{head}\nNo actionable insights detected: nothing failed or was corrected.\n"
    return head + "".join(_insight_text(n, insight) for n, insight in enumerate(delta.insights, 1))


def _insight_text(number: int, insight: Insight) -> str:
    quotes = "; ".join(f"“{quote.quote}” (line ~{quote.line})" for quote in insight.evidence[:5])
    return (
        f"\n### {number}. {insight.category}: {insight.title}\n\n"
        f"- Type: {insight.kind.capitalize()}\n- Confidence: {insight.confidence.capitalize()}\n"
        f"- Insight: {insight.text}\n- Evidence: {quotes}\n"
        f"- Suggested Memory Entry: {insight.entry}\n"
        f"- Recommended Target: {_TARGETS[insight.tier]}\n"
    )


def related_text(delta: Delta) -> str:
    """Related knowledge as a page."""
    titles = {insight.key: insight.title for insight in (*delta.insights, *delta.spare)}
    rows = "".join(
        _passage(related, titles.get(related.key, related.key)) for related in delta.related
    )
    return f"# Related Knowledge\n{rows or chr(10) + 'Everything is new.' + chr(10)}"


def _passage(related: Related, title: str) -> str:
    return (
        f"\n### {title}\n\n- Relation: {related.relation.capitalize()}\n"
        f"- File: {related.path}:{related.line}\n- Excerpt: {related.excerpt}\n"
        f"- Rationale: {related.reason}\n"
    )
