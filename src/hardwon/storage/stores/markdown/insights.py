"""`.insights/*.md`: notes with front matter that grow by sections, one for each insight."""

from __future__ import annotations

import itertools
import re
from datetime import date
from typing import Any, NamedTuple

from hardwon.core.errors import InvalidInput, MissingExtra
from hardwon.core.text.clean import clip, one_line

try:
    import yaml
except ImportError as error:
    raise MissingExtra("sessions") from error

FRONT_LIMIT = 16 * 1024
SUMMARY_LIMIT = 400
_EVIDENCE_LINE = "- session "  # prefix of a line of evidence
_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_FENCE = re.compile(r"\ufeff?---[ \t]*\r?\n")
_FENCE_END = re.compile(r"^---[ \t]*(?:\r?\n|\Z)", re.MULTILINE)


class Note(NamedTuple):
    """The section that one insight adds to a file."""

    key: str
    title: str
    body: str
    summary: str
    session: str
    date: date
    tags: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()  # one line each


class Added(NamedTuple):
    """What is needed later to remove a note."""

    key: str
    title: str
    summary: str
    session: str


class Document(NamedTuple):
    """Front matter and the text below it."""

    front: dict[str, Any]
    body: str

    def text(self) -> str:
        """The file's text."""
        front = yaml.safe_dump(
            self.front, sort_keys=False, allow_unicode=True, default_flow_style=None, width=4096
        )
        return f"---\n{front}---\n{self.body}"


def parse(text: str, path: str = "") -> Document:
    """The document in a text; raises InvalidInput for front matter that is not safe to read."""
    opening = _FENCE.match(text)
    if not opening:
        return Document({}, text)
    closing = _FENCE_END.search(text, opening.end(), opening.end() + FRONT_LIMIT)
    if not closing:
        raise InvalidInput(f"{path}: front matter has no end within {FRONT_LIMIT} bytes")
    front = read_yaml(text[opening.end() : closing.start()], f"{path}: front matter")
    return Document(front, text[closing.end() :])


def new_document(note: Note) -> Document:
    """A new file that holds one note."""
    front = {
        "date": note.date,
        "session": [note.session],
        "tags": list(note.tags),
        "keywords": list(note.keywords),
        "summary": clip(one_line(note.summary), SUMMARY_LIMIT),
        "sections": [note.title],
    }
    return Document(front, f"\n# {note.title}\n\n{_section(note)}")


def merge_note(document: Document, note: Note) -> Document:
    """The file with the note merged in; unchanged when it holds the note from this session."""
    front, is_known = dict(document.front), has(document.body, note.key)
    if is_known and note.session in _read_list(front, "session"):
        return document
    front["date"] = note.date
    front["session"] = _union(_read_list(front, "session"), [note.session])
    front["tags"] = _union(_read_list(front, "tags"), note.tags)
    front["keywords"] = _union(_read_list(front, "keywords"), note.keywords)
    front["summary"] = _revise(front.get("summary"), note.summary)
    if is_known:
        return Document(front, _with_evidence(document.body, note))
    sections = _read_list(front, "sections")
    numbered = (f"{note.title} ({number})" for number in itertools.count(2))
    title = next(name for name in itertools.chain([note.title], numbered) if name not in sections)
    note = note._replace(title=title)
    front["sections"] = [*sections, title]
    gap = "" if document.body.endswith("\n\n") else "\n"
    return Document(front, f"{document.body}{gap}{_section(note)}")


def without(document: Document, added: Added) -> Document:
    """The file without the note of one session; the notes of other sessions stay."""
    front, lines = dict(document.front), document.body.splitlines(keepends=True)
    place = _place(lines, added.key)
    if place is None:
        return document
    start, end = place
    front["session"] = [item for item in _read_list(front, "session") if item != added.session]
    own = f"{_EVIDENCE_LINE}{added.session}, "
    remaining = [line for line in lines[start:end] if not line.startswith(own)]
    if any(line.startswith(_EVIDENCE_LINE) for line in remaining):
        return Document(front, "".join(lines[:start] + remaining + lines[end:]))
    title = lines[start].removeprefix("## ").strip()
    front["sections"] = [item for item in _read_list(front, "sections") if item != title]
    front["summary"] = str(front.get("summary", "")).replace(added.summary, "").strip("; ")
    return Document(front, "".join(lines[:start] + lines[end:]))


def _place(lines: list[str], key: str) -> tuple[int, int] | None:
    """The start and the end of a note's section, heading included."""
    mark = next((at for at, line in enumerate(lines) if has(line, key)), None)
    if mark is None:
        return None
    after = range(mark + 1, len(lines))
    return mark - 1, next((at for at in after if lines[at].startswith("## ")), len(lines))


def _with_evidence(body: str, note: Note) -> str:
    """The text with the note's evidence at the end of its section."""
    if not note.evidence:
        return body
    lines = body.splitlines(keepends=True)
    start, end = _place(lines, note.key) or (0, len(lines))
    section = "".join(lines[start:end]).rstrip("\n")
    head = "" if f"\n{_EVIDENCE_LINE}" in section else "\n\nEvidence:\n"
    grown = f"{section}{head}\n{_evidence(note)}\n"
    gap = "\n" if lines[end:] else ""
    return "".join((*lines[:start], grown, gap, *lines[end:]))


def _evidence(note: Note) -> str:
    return "\n".join(f"{_EVIDENCE_LINE}{note.session}, {line}" for line in note.evidence)


def has(text: str | None, key: str) -> bool:
    """Whether the note with this key is in the text."""
    return f"<!-- hardwon:{key} -->" in (text or "")


def slug(title: str) -> str:
    """A file name made of a title."""
    words = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")
    return f"{words[:60].strip('-') or 'insight'}.md"


def _section(note: Note) -> str:
    evidence = f"\nEvidence:\n\n{_evidence(note)}\n" if note.evidence else ""
    return f"## {note.title}\n<!-- hardwon:{note.key} -->\n\n{note.body.strip()}\n{evidence}"


def read_yaml(text: str, name: str) -> dict[str, Any]:
    """The fields of a text that others wrote; with aliases a few lines could fill the memory."""
    try:
        for event in yaml.parse(text, Loader=_Loader):
            if getattr(event, "anchor", None):
                raise InvalidInput(f"{name} with anchors or aliases is not read")
        fields = yaml.load(text, Loader=_Loader)  # noqa: S506 - a safe loader
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        if isinstance(error, InvalidInput):
            raise
        reason = one_line(str(error), 200)
        raise InvalidInput(f"{name} is not valid YAML ({reason})") from error
    if fields is None:
        return {}
    if not isinstance(fields, dict):
        raise InvalidInput(f"{name} is not a list of fields")
    return fields


def _read_list(front: dict[str, Any], name: str) -> list[Any]:
    """A field as a list, also when a person wrote a single value."""
    value = front.get(name)
    if value is None:
        return []
    return list(value) if isinstance(value, list) else [value]


def _union(items: list[Any], new: Any) -> list[Any]:
    return [*items, *(item for item in dict.fromkeys(new) if item not in items)]


def _revise(summary: object, addition: str) -> str:
    """The two summaries as one, without repetition."""
    old, new = one_line(str(summary or "")), one_line(addition)
    if not old or new.lower() in old.lower():
        return old or clip(new, SUMMARY_LIMIT)
    room = SUMMARY_LIMIT - min(len(new), SUMMARY_LIMIT // 2) - 2
    return clip(f"{clip(old.rstrip('.'), room)}; {new}", SUMMARY_LIMIT)
