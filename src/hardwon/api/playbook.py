"""The playbook of a project: what its work has taught, item by item."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from hardwon.api.operations import Written
from hardwon.core.errors import InvalidInput, NotFound, no_change
from hardwon.core.settings import default_home
from hardwon.core.text.clean import require_text
from hardwon.core.values.lesson import Change, Lesson, Status
from hardwon.core.values.report import Place
from hardwon.core.values.run import ASKED, RunSoFar
from hardwon.core.values.scope import Scope
from hardwon.engine.pipeline import inject, playbook
from hardwon.engine.runtime import Runtime
from hardwon.learn.reader import reading
from hardwon.learn.reader.answer import parse_items
from hardwon.storage.ports import Run
from hardwon.storage.stores import marked_block, run_files

if TYPE_CHECKING:
    from hardwon.api.lessons import Lessons
    from hardwon.learn.reader.answer import Item

_TIMES = ("when ", "before ", "after ", "while ")


class Playbook:
    """The playbook of one scope: read it, change it item by item, take changes back."""

    def __init__(self, engine: Runtime, own: Scope, lessons: Lessons, run: Run) -> None:
        self._engine = engine
        self._scope = own
        self._lessons = lessons
        self._run = run

    def list(self, *, status: str = Status.PROVEN) -> Sequence[Lesson]:
        """The items, in the order of what they save.

        With the status `candidate` or `quarantined` those that wait for a person.
        """
        lessons = self._lessons.list(limit=playbook.LOOKED_AT, status=status)
        return playbook.of(self._scope, lessons, self._engine.clock())

    def block(self) -> inject.Block:
        """What the start of a run shows: the text, the items in it, its tokens."""
        return inject.playbook(self.list(), budget=self._engine.settings.recall.start_tokens)

    def edit(
        self,
        number: int,
        *,
        when: str | None = None,
        do: str | None = None,
        wrong: str | None = None,
        sort: str | None = None,
    ) -> Lesson:
        """Change the words of an item, or its sort: `pitfall`, `way`, `fact`."""
        item = self._item(number)
        if when:
            text = require_text(when, "when")
            when = text if text.lower().startswith(_TIMES) else f"When {text}"
        texts = {"situation": when, "correction": do, "mistake": wrong}
        changes: Any = {name: text for name, text in texts.items() if text is not None}
        if sort is not None:
            if sort not in playbook.SORTS:
                raise InvalidInput(f"no such sort: {sort!r}; one of {', '.join(playbook.SORTS)}")
            changes["tags"] = (sort, *(tag for tag in item.tags if tag not in playbook.SORTS))
        if not changes:
            raise InvalidInput("name what to change: when, do, wrong or sort")
        return self._lessons.edit(item.id, **changes)

    def pin(self, number: int, *, on: bool = True) -> Lesson:
        """Show an item before all others, or no longer."""
        item = self._item(number)
        tags = tuple(tag for tag in item.tags if tag != playbook.PINNED)
        return self._lessons.edit(item.id, tags=(*tags, playbook.PINNED) if on else tags)

    def move(self, number: int, *, before: int) -> Lesson:
        """Put an item right before another one."""
        item, other = self._item(number), self._item(before)
        if item.id == other.id:
            raise InvalidInput(f"item {number} cannot stand before itself")
        return self._lessons.edit(item.id, tags=playbook.tags_to_move(item, other, self.list()))

    def remove(self, number: int) -> Lesson:
        """Retire an item; `undo` brings it back."""
        return self._lessons.edit(self._item(number).id, status=Status.RETIRED)

    def history(self, number: int | None = None) -> Sequence[Change]:
        """The changes of one item or of all, by people and by the reader, newest first."""
        named, newer = [], dict[int, Lesson]()
        for change in self._lessons.history(number):
            item = change.before
            if self._is_own(item):
                after = newer.get(item.id) or self._present(item)
                named.append(change._replace(act=playbook.act_between(item, after) or change.act))
            newer[item.id] = item
        return named

    def undo(self, number: int | None = None) -> Lesson:
        """Take back the newest change, of one item or of all."""
        changes = self.history(number)
        if not changes:
            raise no_change(number)
        return self._lessons.undo(changes[0].before.id)

    def add(self, text: str, *, run: str = "") -> Written:
        """Add the items that an agent wrote about its run, as far as the run's steps support them.

        `text` has a JSON object for each: sort, when, do, wrong. `run` is the name of the run;
        default: the present one of this handle, else the latest of the project that has not ended.
        """
        if self._engine.settings.is_on_copy:
            raise InvalidInput("a hook has only a copy of the database; run `hardwon playbook add`")
        items = _items_of(text)
        if not run and (past := self._run.so_far()).steps:
            return self._write(items, self._scope, self._run.name, past)
        home = self._engine.settings.home if self._engine.on_disk else ""
        return self._write(items, *find_run(home, self._scope, run))

    def write_down(self, text: str, scope: Scope, name: str, past: RunSoFar) -> Written:
        """The same about a run that the caller has at hand."""
        return self._write(_items_of(text), scope, name, past)

    def _write(self, items: Sequence[Item], scope: Scope, name: str, past: RunSoFar) -> Written:
        outcome = reading.write_down(self._engine, scope, items, name=name, past=past)
        refused = tuple((item.when, why) for item, why in outcome.refused)
        return Written(outcome.added, outcome.confirmed, refused)

    def request(self, program: str = "hardwon") -> str:
        """The words that ask the agent for its items at the end of its run; "" if nothing is new.

        A run is asked once. `program` is how the agent's shell calls hardwon.
        """
        past = self._run.so_far()
        if ASKED in past.counted:
            return ""
        command = self.command(program)
        name = self._run.name
        text = reading.agent_request(self._engine, self._scope, name, past, command=command)
        if text:
            self._run.note_marks([ASKED])
        return text

    @property
    def was_asked(self) -> bool:
        """Whether the run of this handle was asked for its items."""
        return ASKED in self._run.so_far().counted

    def command(self, program: str = "hardwon") -> str:
        """What an agent's shell runs to add items to this run, from its standard input."""
        home = self._engine.settings.home
        place = "" if home == default_home({}) else f" --home {shlex.quote(home)}"
        return f"{program} playbook add{place} --run {self._run.name} -"

    def write(self, path: str) -> bool:
        """Keep what the start of a run shows in a block of a file, such as AGENTS.md.

        All that stands around the block stays as it is. Whether that changed the file.
        """
        return marked_block.write(path, self.block().text)

    def erase(self, path: str) -> bool:
        """Remove the block from a file again; whether there was one."""
        return marked_block.write(path, "")

    def markdown(self) -> str:
        """The items as a Markdown list; "" without items."""
        return inject.playbook(self.list(), budget=sys.maxsize).text

    def _item(self, number: int) -> Lesson:
        lesson = self._lessons.get(number)
        if not self._is_own(lesson):
            words = f"there is no item #{number} in the playbook of this project"
            raise NotFound("item of the playbook", number, words=words)
        return lesson

    def _present(self, item: Lesson) -> Lesson:
        """The item as it is now; as it was if it is gone."""
        try:
            return self._lessons.get(item.id)
        except NotFound:
            return item

    def _is_own(self, lesson: Lesson) -> bool:
        return lesson.scope == self._scope and playbook.is_item(lesson)


def _items_of(text: str) -> Sequence[Item]:
    """The items in a text; InvalidInput if it has none."""
    if items := parse_items(text):
        return items
    raise InvalidInput('no item found; each is {"sort": …, "when": …, "do": …} in JSON')


def find_run(home: str, own: Scope, run: str) -> tuple[Scope, str, RunSoFar]:
    """A run at work in a home, by default the latest of the project: scope, name and steps."""
    if not run and home:
        at_work = run_files.at_work(home, Place(own.tenant, own.agent, own.project or ""))
        run = next((name for name, _, past in at_work if past.steps), "")
    found = run_files.find_run(home, own.tenant, run) if home else None
    if found is None or found[0][:2] != own[:2]:
        own_item = '`hardwon lesson add "WHEN" "DO" --project .` keeps an item of your own'
        raise NotFound("run at work", run, hint=f"; {own_item}")
    return found[0], run, found[1]
