"""Lessons as files of a repository, an item each: reviewed there, and read when a session begins.

A lesson that came from a file, or was written to one, has a tag with the digests of its name and
its text. A changed file changes its lesson; a file that is gone retires it.
"""

from __future__ import annotations

import os
import re
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple, Protocol, Unpack

from hardwon.core import _files
from hardwon.core.project import claim_of
from hardwon.core.text.clean import one_line
from hardwon.core.values.lesson import FILE_TAG, PROVISIONAL, USER_SUPPLIED, Lesson, Status
from hardwon.engine import trust
from hardwon.engine.pipeline.playbook import SORTS, sort_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hardwon.core.values.lesson_formats import LessonDetails, LessonEdits
    from hardwon.core.values.scope import Scope

PLACE = os.path.join(".hardwon", "lessons")
_GONE = "gone"  # instead of the digest of a text
_LOOKED_AT = 2_000  # lessons
_MOST = 200  # files
_SIZE = 8 * 1024  # bytes of a file
_NAME = 50  # characters
_MODE = 0o644
_FILE = re.compile(
    r"\s*# (?P<when>[^\n]+)\n(?P<head>(?:[ \t]*\n|(?:Sort|Wrong):[^\n]*\n)*)(?P<do>.*)", re.DOTALL
)
_FIELD = re.compile(r"^(Sort|Wrong):([^\n]*)", re.MULTILINE)


class Lessons(Protocol):
    """The lessons of an agent, as the API gives them."""

    def list(self, *, limit: int, status: str) -> Sequence[Lesson]: ...

    def add(self, situation: str, correction: str, **more: Unpack[LessonDetails]) -> Lesson: ...

    def edit(self, number: int, **changes: Unpack[LessonEdits]) -> Lesson: ...


class Words(NamedTuple):
    """What a file says."""

    when: str
    do: str
    wrong: str = ""
    sort: str = ""


def trusted_folder(cwd: str, home: str, scope: Scope) -> str:
    """The folder of lessons of the repository at `cwd`; "" if it has none or is not trusted."""
    claim = claim_of(cwd)
    folder = os.path.join(os.path.realpath(claim.folder), PLACE) if claim else ""
    if claim is None or not os.path.isdir(folder) or os.path.realpath(folder) != folder:
        return ""
    writes_to = trust.project_for(cwd, home, tenant=scope.tenant)
    return folder if writes_to == claim.project == scope.project else ""


def read(lessons: Lessons, scope: Scope, folder: str, *, is_copy: bool = False) -> int:
    """Bring the lessons of a scope up to date with the files; returns how many changed.

    In a copy of a server's lessons only those that were added here are changed; what the server
    says in the same words is told once.
    """
    own, known_there = _own_lessons(lessons, scope), set[tuple[str, str]]()
    if is_copy:
        theirs = [lesson for lesson in own if lesson.id < PROVISIONAL]
        known_there = {(lesson.situation, lesson.correction) for lesson in theirs}
        own = [lesson for lesson in own if lesson.id >= PROVISIONAL]
    known = {file: (lesson, digest) for lesson in own for file, digest in _file_of(lesson)}
    found = {_digest(name): text for name, text in _texts(folder)}
    changed = 0
    for file, (lesson, digest) in known.items():
        is_told_twice = lesson.is_active and (lesson.situation, lesson.correction) in known_there
        if is_told_twice or (file not in found and digest != _GONE):
            _retire(lessons, lesson, file)
            changed += 1
    # A new file takes over the lesson that says the same: it may have been renamed.
    free = [lesson for lesson in own if not any(file in found for file, _ in _file_of(lesson))]
    same = {(lesson.situation, lesson.correction): lesson for lesson in free}
    for file, text in found.items():
        own_lesson, digest = known.get(file, (None, ""))
        words = _parse(text) if digest != _digest(text) else None
        if words is None:
            continue
        if words[:2] not in known_there:
            lesson_of_file = own_lesson or same.get((words.when, words.do))
            _keep(lessons, lesson_of_file, words, f"{file}@{_digest(text)}")
            changed += 1
        elif own_lesson is not None and own_lesson.is_active:  # it says what the file said before
            _retire(lessons, own_lesson, file)
            changed += 1
    return changed


def write(lessons: Lessons, scope: Scope, items: Sequence[Lesson], folder: str) -> Sequence[str]:
    """Write a file for each item, and remove those of items that are gone; the changed names.

    The caller has read the folder before, so that nobody's change is lost.
    """
    before, after = dict(_texts(folder)), dict[str, str]()
    names = {_digest(name): name for name in before}
    for item in items:
        known = [names[file] for file, _ in _file_of(item) if file in names]
        name = known[0] if known else _new_name(item, {*before, *after})
        after[name] = _render(item)
        tags = _with_file(item.tags, f"{_digest(name)}@{_digest(after[name])}")
        if tags[0] not in item.tags:
            lessons.edit(item.id, tags=tags)
    ours = {file for lesson in _own_lessons(lessons, scope) for file, _ in _file_of(lesson)}
    gone = {name for name in before.keys() - after.keys() if _digest(name) in ours}
    changed = sorted({*gone, *(name for name, text in after.items() if before.get(name) != text)})
    for name in changed:
        _put(os.path.join(folder, name), after.get(name))
    return changed


def _put(path: str, text: str | None) -> None:
    """Write a file, or remove it for None."""
    _files.update_text(path, lambda _: text, root=os.path.dirname(path), mode=_MODE)


def _own_lessons(lessons: Lessons, scope: Scope) -> Sequence[Lesson]:
    every = lessons.list(limit=_LOOKED_AT, status=Status.ALL)
    return [lesson for lesson in every if lesson.scope == scope]


def _digest(text: str) -> str:
    """A short digest: tags have few characters."""
    return blake2b(text.encode(), digest_size=5).hexdigest()


def _keep(lessons: Lessons, lesson: Lesson | None, words: Words, file: str) -> None:
    sort = (words.sort,) if words.sort in SORTS else ()
    if lesson is None:
        lesson = lessons.add(words.when, words.do, mistake=words.wrong, tags=sort)
    tags = [tag for tag in lesson.tags if tag not in SORTS] if sort else lesson.tags
    lessons.edit(
        lesson.id,
        situation=words.when,
        correction=words.do,
        mistake=words.wrong or lesson.mistake,
        tags=_with_file((*sort, *tags), file),
        status=Status.PROVEN,
    )


def _retire(lessons: Lessons, lesson: Lesson, file: str) -> None:
    """Retire the lesson of a file; when the file is to be told again, it is taken up again."""
    tags = _with_file(lesson.tags, f"{file}@{_GONE}")
    lessons.edit(lesson.id, status=Status.RETIRED, tags=tags)


def _file_of(lesson: Lesson) -> list[tuple[str, str]]:
    """The digests of the name and the text of the file that a lesson has; [] for none."""
    files = (tag.removeprefix(FILE_TAG) for tag in lesson.tags if tag.startswith(FILE_TAG))
    return [(name, digest) for name, at, digest in (one.partition("@") for one in files) if at]


def _with_file(tags: Sequence[str], file: str) -> tuple[str, ...]:
    return (f"{FILE_TAG}{file}", *(tag for tag in tags if not tag.startswith(FILE_TAG)))


def _texts(folder: str) -> Iterator[tuple[str, str]]:
    """The names and texts of the files; links, and files that are too long, are left out."""
    with os.scandir(folder) as entries:
        files = (one for one in entries if one.name.endswith(".md"))
        names = sorted(one.name for one in files if one.is_file(follow_symlinks=False))
    for name in names[:_MOST]:
        raw = _files.content(os.path.join(folder, name), _SIZE + 1)
        if len(raw) <= _SIZE:
            yield name, raw.decode("utf-8", "replace")


def _parse(text: str) -> Words | None:
    """What a file says: a heading, `Sort:` and `Wrong:` below it, then what to do."""
    match = _FILE.match(text.replace("\r\n", "\n") + "\n")
    if match is None or not match["do"].strip():
        return None
    fields = {name: value.strip() for name, value in _FIELD.findall(match["head"])}
    when, do = match["when"].strip(), match["do"].strip()
    return Words(when, do, fields.get("Wrong", ""), fields.get("Sort", ""))


def _render(item: Lesson) -> str:
    wrong = "" if item.mistake == USER_SUPPLIED else one_line(item.mistake)
    head = [f"# {one_line(item.situation)}", "", f"Sort: {sort_of(item)}"]
    return "\n".join([*head, *([f"Wrong: {wrong}"] if wrong else []), "", item.correction, ""])


def _new_name(item: Lesson, taken: set[str]) -> str:
    name = re.sub(r"[^a-z0-9]+", "-", item.situation.lower())[:_NAME].strip("-") or "item"
    while f"{name}.md" in taken:
        name = f"{name}-{item.id}"
    return f"{name}.md"
