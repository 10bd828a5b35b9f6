"""The course of the work in a project: what runs changed and called to get it done, in order.

Each act is told with the failures that it got past. What only looked around is left out: what
comes before the first change of a run, and what was called between a failure and its cure.
"""

from __future__ import annotations

import math
import re
from itertools import takewhile
from typing import TYPE_CHECKING, NamedTuple

from hardwon.core.text.clean import clip_middle, one_line
from hardwon.core.values.run import Failure, Step
from hardwon.knowledge.evidence.calls import (
    CHANGING,
    COMMON,
    READERS,
    Call,
    calls_of,
    is_own,
    only_asks,
    only_looks,
    part_words,
    runs_one_of,
)
from hardwon.knowledge.evidence.cures import (
    At,
    asks,
    cures_of,
    said_words,
    sources_of,
)
from hardwon.knowledge.evidence.folding import fold_call, shorten_values
from hardwon.knowledge.evidence.inner import each_failure, failing_call, working_calls
from hardwon.knowledge.reading.authored import BACKUP, Writing, made_files, tail, text_of
from hardwon.knowledge.reading.mined_lesson import situation
from hardwon.knowledge.reading.shell import INTERPRETERS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from collections.abc import Set as AbstractSet

_YOUNG = 3  # runs of a project in which one run is enough
_SHARE = 3  # one run in so many has to change a file
_STEPS = 150  # steps of a run that are looked at, its last ones
_FORMS = 5  # forms of a call that are named
_WORD = 24  # characters of a word by which they differ
_SHORT = 180  # characters of a change that is shown
_CALL, _WHOLE = 150, 190  # characters of a call that is cut, and of one that is shown whole
_FAILED = 48  # characters of a call that failed
_COMPLAINTS = 8  # of one failing call that are told, its last ones
_APART = 5  # calls between two places of the same call
_AGAIN_WORD = ("again", False)  # marks the second of them
_OUTSIDE = ("/", "~", "$", "..")  # how the paths of files begin that are not the project's
_PASSED, _SOURCE, _AGAIN = 4.0, 1.0, 0.5  # worth of a cure, a source, and each further run
_LOOK, _EDIT = 0.2, 0.5  # how much a call counts that only asks, and an edit that is not shown
_KNOWN, _KNOWN_CURE = 0.1, 0.5  # words that count for an act all of whose words are told already
_PART = re.compile(r"[A-Za-z]+|\d+")

Words = tuple[tuple[str, bool], ...]  # of an act, each with whether it is a value of its task


class Met(NamedTuple):
    """A failure that a run met: its kind, its words as far as they may be quoted, and its call."""

    kind: str
    words: str
    call: str = ""  # what failed, if it is short and another call than the one that got past it


class Act(NamedTuple):
    """A call that worked, or a change of a file, as it was made."""

    words: Words  # what it does, without values
    text: str
    news: frozenset[str]  # its words that an agent could not guess
    passed: tuple[Met, ...] = ()  # the failures that it got past
    is_source: bool = False  # it printed a value that later calls need
    is_look: bool = False  # it only asked for something
    is_of_task: bool = False  # an edit that says nothing about other tasks, unless it comes again
    proof: int = 2  # how sure it is that it worked as it is shown; 0 if it failed
    runs: int = 1

    def worth(self, told: AbstractSet[str] = frozenset()) -> float:
        """What it is worth to a newcomer: hard to guess, needed often, wrong at first.

        Words, and kinds of failures that another act gets past, may be `told` already.
        """
        is_new = not told >= {met.kind for met in self.passed}
        need = _PASSED * is_new + _SOURCE * self.is_source
        new = len(self.news - told) or (_KNOWN_CURE if need else _KNOWN)
        share = _LOOK if self.is_look else _EDIT if self.is_of_task else 1.0
        return math.sqrt(new) * share * (1 + need) * (1 + _AGAIN * (self.runs - 1))

    def is_telling(self, runs: int) -> bool:
        """Whether it holds for other tasks, too, as far as so many runs of the project show."""
        if not self.proof or (self.is_of_task and self.runs * _SHARE < runs):
            return False
        return self.runs > 1 or (runs <= _YOUNG and (not self.is_of_task or bool(self.passed)))

    @property
    def program(self) -> str:
        """The program that it calls; "" for a change of a file."""
        call = re.match(r"\$ (?:[A-Z_]+=\S* )*(\S+)", self.text)
        return call[1] if call else ""

    def is_like(self, other: Act) -> bool:
        """Whether another act does the same; values of two tasks may differ."""
        return len(self.words) == len(other.words) and all(
            word == its or (is_value and is_its_value)
            for (word, is_value), (its, is_its_value) in zip(self.words, other.words, strict=True)
        )

    def add(self, other: Act) -> Act:
        """The act with what another run shows of it."""
        best = other if other.proof > self.proof else self
        passed = tuple(dict.fromkeys((*self.passed, *other.passed)))
        is_source = self.is_source or other.is_source
        return best._replace(passed=passed, is_source=is_source, runs=self.runs + 1)


def course_of(runs: Iterable[tuple[str, Sequence[Step]]]) -> list[Act]:
    """The acts that runs show (task and steps of each, oldest first), in order.

    The longest run gives the order. An act of another run comes behind the one it followed there.
    What only one run did belongs to its task, unless the project is young.
    """
    found = [acts for task, steps in runs if (acts := _acts_of(task, steps[-_STEPS:]))]
    found.reverse()
    course: list[Act] = []
    for acts in sorted(found, key=len, reverse=True):
        at = 0
        for act in acts:
            known = next((n for n, one in enumerate(course) if one.is_like(act)), None)
            if known is None:
                course.insert(at, act)
                at += 1
            else:
                course[known] = course[known].add(act)
                at = max(at, known + 1)
    return list(_join_acts(act for act in course if act.is_telling(len(found))))


class _Made(NamedTuple):
    """A call of a run, and what it was good for."""

    place: int  # among all calls of the run
    at: int  # its step
    call: Call
    passed: tuple[Met, ...]
    proof: int  # 0: it failed, 1: something else in its step did, 2: nothing
    is_source: bool
    is_work: bool  # it neither looked around nor searched for a cure
    is_edit: bool  # what tells is the file that it changes


def _acts_of(task: str, steps: Sequence[Step]) -> list[Act]:
    """The acts of one run. A call that was made again stands where it was made last.

    One that got past a failure stands where it did so first; one that got past another failure
    after the next call of the work stands there again.

    What is made after the last new call only checks the result.
    """
    made = [*_made_in(task, steps)]
    told = [*_calls_to_tell(made, steps)]
    firsts = {one.call.text: one.at for one in reversed(told)}
    last_new = max(firsts.values(), default=-1)
    done = max((one.place for one in made if one.at <= last_new), default=0)
    calls: dict[Words, list[_Made]] = {}
    for one in told:
        calls.setdefault(_sort_of(one.call, task), []).append(one)
    edits = [
        (one.place, act)
        for one in made
        if one.is_edit
        for act in _edits(steps, one.at, one.call, task, one.passed)
    ]
    usual = {words: act for words, act in _usual_acts(made, task).items() if words not in calls}
    acts = [
        *_lasting(edits, steps),
        *(act for words, forms in calls.items() for act in _call_acts(words, forms, task, done)),
        *(act for act in usual.values() if act[0] < done),  # others only end the work
    ]
    ordered = [act for _, act in sorted(acts, key=lambda act: act[0])]
    return [act for act in ordered if not _asks_usage(act, ordered)]


def _asks_usage(act: Act, acts: Iterable[Act]) -> bool:
    """Whether a call without the arguments of others only asked for its usage."""
    is_cure = bool(act.passed) and " " in act.text.removeprefix("$ ")
    return not is_cure and any(other.text.startswith(f"{act.text} ") for other in acts)


def _made_in(task: str, steps: Sequence[Step]) -> Iterator[_Made]:
    """The calls of a run, in order."""
    cures, sources = cures_of(steps), sources_of(steps, task)
    begun, place = _first_change(steps), 0
    for at, step in enumerate(steps):
        working = working_calls(step)
        for call in calls_of(step):
            place += 1
            here = At(at, call.text)
            is_source = here in sources
            failures = () if only_asks(call) and not is_source else cures.passed.get(here, ())
            passed = tuple(met for failed in failures for met in _met(steps[failed], call, task))
            is_moved = bool(passed) and call.program in CHANGING  # the call itself tells how
            yield _Made(
                *(place, at, call, passed),
                proof=(call in working) * (1 if step.failure else 2),
                is_source=is_source,
                is_work=at >= begun and at not in cures.searching,
                is_edit=bool(call.paths) and not is_moved and call is not failing_call(step),
            )


def _calls_to_tell(made: Iterable[_Made], steps: Sequence[Step]) -> Iterator[_Made]:
    """The calls that may be told: cures, sources, and those of the work that worked."""
    own = made_files(steps)
    said = {word for step in steps for word in said_words(step)}
    for one in made:
        is_wanted = one.passed or one.is_source or (one.is_work and one.proof)
        is_shown = is_wanted and _is_shown(one.call, own, is_cure=bool(one.passed))
        if is_shown and not one.is_edit and not asks(one.call, said):
            yield one


def _usual_acts(made: Sequence[_Made], task: str) -> dict[Words, tuple[int, Act]]:
    """What agents do everywhere at the end of a step, as `git commit`, with its first place."""
    ends = {one.at: one.place for one in made}
    last = {one.at: one for one in made if one.proof and not only_looks(one.call)}
    found: dict[Words, tuple[int, Act]] = {}
    for one in last.values():
        if one.is_work and _is_usual(one.call):
            text = f"$ {' '.join(part_words(one.call))}"
            act = Act(_sort_of(one.call, task), text, frozenset([one.call.kind]))
            found.setdefault(act.words, (ends[one.at], act))
    return found


def _met(step: Step, cure: Call, task: str) -> Iterator[Met]:
    """The failure of a step that a call got past, and what else the failing call complained of."""
    failure, failing = step.failure or Failure("", "", ""), failing_call(step)
    is_like = failing is None or failing.is_tool or failing.text == cure.text
    call = "" if is_like or failing is None else one_line(fold_call(failing.text, task))
    call = call if len(call) <= _FAILED else ""
    is_form = failing is not None and _typed_part(failing) == _typed_part(cure)
    words = _quote(failure, step)
    # in another form of the same, as everybody sees
    yield Met(failure.kind, words, "" if words and is_form else call)
    for other in [*each_failure(step)][1:][1 - _COMPLAINTS :] if is_form else ():
        if other.failure and (words := _quote(other.failure, other)):
            yield Met(other.failure.kind, words)


def _quote(failure: Failure, step: Step) -> str:
    """The words of an error as far as they may be quoted."""
    told = one_line(situation(failure.text, step))
    return told[told.index("“") :] if "“" in told else ""


def _typed_part(call: Call) -> list[str]:
    """The program and the part of it, as they were typed."""
    text = re.sub(r"^cd \S+ && ", "", call.text)
    words = [word for word in text.split() if "=" not in word]
    return [tail(word) for word in words[:2]]


def _first_change(steps: Sequence[Step]) -> int:
    """The first step that changes a file or fails."""
    changes = (
        at
        for at, step in enumerate(steps)
        if step.failure is not None or any(call.paths for call in calls_of(step))
    )
    return next(changes, 0)


def _is_shown(call: Call, own: set[str], *, is_cure: bool) -> bool:
    """Whether a call may be told; one that everybody knows only if it cured something.

    What runs code or files of the run itself tells nothing, and values of tools are private.
    """
    if call.is_tool or call.has_script or _has_variable(call.text):
        return False
    if only_looks(call) or not (is_own(call) or is_cure):
        return False
    return not runs_one_of(call, own)


def _is_usual(call: Call) -> bool:
    """Whether a call does what agents do everywhere, as `git commit`: only its place is news."""
    is_known = call.program in COMMON and call.program not in READERS | INTERPRETERS
    is_special = is_own(call) or only_looks(call) or call.has_script or call.paths
    return is_known and not (call.is_tool or is_special)


def _sort_of(call: Call, task: str) -> Words:
    """What a call does: the part of its program, or the options of one that has no parts."""
    program, *parts = part_words(call) or [""]
    if not parts:
        return _mark_values(call.kind.split(), task)
    return ((tail(program), False), (parts[0], False), *_mark_values(parts[1:], task))


def _call_acts(words: Words, made: list[_Made], task: str, done: int) -> Iterator[tuple[int, Act]]:
    """The acts of a call: where it is first needed, and where it is needed again later."""
    cures = [one for one in made if one.passed]
    first = {met.kind for one in cures[:1] for met in one.passed}
    later = [one for one in cures[1:] if not first.issuperset(met.kind for met in one.passed)]
    again = [one for one in made if later and one.place >= later[0].place]
    if not again or later[0].place - cures[0].place < _APART:
        yield _call_act(words, made, task, done)
        return
    yield _call_act(words, [one for one in made if one not in again], task, done)
    yield _call_act((*words, _AGAIN_WORD), again, task, done)


def _call_act(words: Words, made: list[_Made], task: str, done: int) -> tuple[int, Act]:
    """The place of a call in its run, and the act that its forms show."""
    proof = max(one.proof for one in made)
    proven = [one for one in made if one.proof == proof]
    calls = [one.call for one in proven if one.passed] or [one.call for one in proven]
    longer = (one.call for one in made if one.call.text.startswith(f"{calls[-1].text} "))
    calls += [*longer][-1:]  # the same with more arguments
    is_source = any(one.is_source for one in made)
    act = Act(
        words,
        _show_forms(calls, task),
        news=calls[-1].own_words,
        is_look=only_asks(calls[-1]) and not is_source,
        passed=tuple(dict.fromkeys(met for one in made for met in one.passed)),
        is_source=is_source,
        proof=proof,
    )
    first_cure = next((one.place for one in made if one.passed), None)
    return first_cure or max(one.place for one in made if one.place <= done), act


def _show_forms(calls: Sequence[Call], task: str) -> str:
    """The last form of a call; with those before it, if they differ in one word."""
    texts = [shorten_values(one_line(fold_call(call.text, task))) for call in calls]
    alike = [text for text in texts if len(text.split()) == len(texts[-1].split())]
    text = _join_texts(alike[-_FORMS:]) or texts[-1]
    return f"$ {text if len(text) <= _WHOLE else clip_middle(text, _CALL)}"


def _edits(
    steps: Sequence[Step], at: int, call: Call, task: str, passed: tuple[Met, ...]
) -> Iterator[Act]:
    """The changes of the project's files that a call makes."""
    made = {writing.path: writing for writing in call.writings}
    for path in call.paths:
        if path not in made or path.startswith(_OUTSIDE) or re.search(rf"\$|{BACKUP}", path):
            continue
        words = (("edit", False), *_mark_values(_PART.findall(path), task))
        text = _show_new(made[path], call, task, last=text_of(path, steps))
        if passed and _is_typed(call):
            text = f"$ {one_line(fold_call(call.text, task))}"
        name = "edit" if made[path].is_edit else "new file"
        shown = text or f"{name} {fold_call(path, task)}"
        yield Act(words, shown, frozenset([path]), passed, is_of_task=not text)


def _show_new(change: Writing, call: Call, task: str, *, last: str) -> str:
    """A new and short file of a folder, as it was in the end; "" if that is not known."""
    if change.is_edit or "/" not in change.path:
        return ""
    if change.text:
        lines = fold_call(last, task).splitlines()
        is_short = 0 < len(last) <= _SHORT
        return f"new file {fold_call(change.path, task)}: {' ⏎ '.join(lines)}" if is_short else ""
    is_shown = _is_typed(call) and ">" in call.text
    return f"$ {one_line(fold_call(call.text, task))}" if is_shown else ""


def _is_typed(call: Call) -> bool:
    """Whether a call that changes files says itself how, on one short line."""
    is_line = not (call.is_tool or call.script or "\n" in call.text or _has_variable(call.text))
    return is_line and len(call.text) <= _SHORT


def _has_variable(text: str) -> bool:
    """Whether the shell replaces something in a call; what stands in single quotes stays."""
    return re.search(r"\$\{?\w", re.sub(r"'[^']*'", "", text)) is not None


def _lasting(edits: Iterable[tuple[int, Act]], steps: Sequence[Step]) -> Iterator[tuple[int, Act]]:
    """The edits of each file once, without what the run removed again or put into own folders."""
    calls = (call for step in steps for call in calls_of(step) if call.program in ("rm", "mkdir"))
    scratch = {tuple(_PART.findall(word)) for call in calls for word in call.text.split()[1:]}
    found: dict[Words, tuple[int, Act]] = {}
    for at, act in edits:
        first, known = found.get(act.words, (at, act))
        passed = tuple(dict.fromkeys((*known.passed, *act.passed)))
        first, known = (at, act) if act.passed else (first, known)  # what cured tells more
        found[act.words] = first, known._replace(passed=passed)
    for at, act in found.values():
        parts = tuple(word for word, _ in act.words[1:])
        if scratch.isdisjoint(parts[:length] for length in range(1, len(parts) + 1)):
            yield at, act


def _mark_values(words: Iterable[str], task: str) -> Words:
    """The words, each with whether it is a value of the task."""
    named = {*_PART.findall(task)}

    def is_named(word: str) -> bool:
        return all(part.isdigit() or part in named for part in _PART.findall(word))

    return tuple((word, is_named(word)) for word in words)


def _join_acts(acts: Iterable[Act]) -> Iterator[Act]:
    """The acts; those in a row that differ in one word are one."""
    row: list[Act] = []
    for act in acts:
        if row and not _join_texts([*(one.text for one in row), act.text]):
            yield _join_row(row)
            row = []
        row.append(act)
    if row:
        yield _join_row(row)


def _join_row(row: Sequence[Act]) -> Act:
    best = max(row, key=Act.worth)
    passed = dict.fromkeys(met for act in row for met in act.passed)
    return best._replace(text=_join_texts([act.text for act in row]), passed=tuple(passed))


def _join_texts(texts: Iterable[str]) -> str:
    """Texts that differ in one short word as one, `put a, then b, c`; "" if they differ in more."""
    rows = [text.split() for text in dict.fromkeys(texts)]
    last = rows[-1]
    if len(rows) == 1:
        return " ".join(last)
    if any(len(row) != len(last) for row in rows):
        return ""
    places = [at for at, word in enumerate(last) if any(row[at] != word for row in rows)]
    words = [row[places[0]] for row in rows]
    part = 2 + len([*takewhile(lambda word: "=" in word, last[1:])])  # behind variables, program
    if len(places) > 1 or places[0] <= part or any(len(word) > _WORD for word in words):
        return ""
    named = f"{words[0]}, then {', '.join(words[1:])}"
    return " ".join([*last[: places[0]], named, *last[places[0] + 1 :]])
