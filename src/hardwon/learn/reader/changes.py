"""Check the reader's changes to a playbook, and apply them item by item; each can be taken back."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from hardwon.core.text.grounding import QUOTED, fold_text, keep_supported
from hardwon.core.text.randomness import is_random
from hardwon.core.values import lesson as lessons
from hardwon.core.values.lesson import Change, Evidence, Kind, Lesson, Status
from hardwon.core.values.run import Step, Trigger
from hardwon.core.values.scope import Scope
from hardwon.engine.pipeline.confirm import WITHDRAW, withdrawn
from hardwon.engine.pipeline.screen import screen_lesson
from hardwon.knowledge.evidence.advice import recommended_calls
from hardwon.knowledge.evidence.inner import each_failure, failed_key, failing_call
from hardwon.knowledge.reading.call_keys import typed_keys
from hardwon.learn.reader.answer import Answer, Item
from hardwon.storage.ports import Store

ORIGIN = "reader"  # of the items that a model read in a run; the run follows
CHANGE = "change"  # the act in the history of a lesson
_SURE = 0.8
_COST = {"pitfall": 0.6, "way": 0.6, "fact": 0.5}  # the importance of an item, by its sort
_EACH_FAILURE, _MOST_COST = 0.1, 0.9


class Reading(NamedTuple):
    """A run that was read: where, by whom, and what it showed."""

    scope: Scope
    job: str
    run: str  # its id
    author: str
    task: str
    steps: tuple[Step, ...]
    now: datetime


class Outcome(NamedTuple):
    """What came of an answer."""

    added: tuple[Lesson, ...] = ()
    changed: tuple[Lesson, ...] = ()
    confirmed: tuple[Lesson, ...] = ()
    withdrawn: tuple[Lesson, ...] = ()
    refused: tuple[Refusal, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.added or self.changed or self.confirmed or self.withdrawn)


def apply(answer: Answer, known: Mapping[int, Lesson], *, by: Reading, store: Store) -> Outcome:
    """Change the playbook as the answer says, as far as the steps support it.

    `known` are the items by the numbers that the answer uses. Call it inside `store.together()`.
    """
    change = [item for item in answer.change if item.id in known]
    new = check_items(answer.add, task=by.task, steps=by.steps, known={})
    better = check_items(change, task=by.task, steps=by.steps, known=known)
    items = list(known.values())
    added: list[Lesson] = []
    confirmed: list[Lesson] = []
    for number, item in enumerate(new.items, start=1):
        twin = next((lesson for lesson in (*items, *added) if is_same(item, lesson)), None)
        if twin is not None:
            confirmed += [] if twin in added else [_confirm(twin, by, store)]
        else:
            added.append(_add(item, number, items, by, store))
    changed = [_change(known[item.id], item, by, store) for item in better.items]
    touched = {lesson.id for lesson in (*changed, *confirmed)}
    for number in answer.confirm:
        if number in known and known[number].id not in touched:
            confirmed.append(_confirm(known[number], by, store))
    gone = [
        _withdraw(known[number], why, by, store)
        for number, why in answer.withdraw
        if number in known and known[number].id not in touched
    ]
    refused = (*new.refused, *better.refused)
    return Outcome(tuple(added), tuple(changed), tuple(confirmed), tuple(gone), refused)


def _add(item: Item, number: int, items: Sequence[Lesson], by: Reading, store: Store) -> Lesson:
    lesson = new_item(item, by)._replace(job=f"{by.job}:{number}")
    opposed = [other for other in items if contradicts(item, lesson.kinds, other)]
    if opposed:  # a person decides; until then it is shown at its failure only
        differs = (Evidence(Kind.DIFFERS, str(other.id)) for other in opposed)
        evidence = lessons.join_evidence(lesson.evidence, differs)
        lesson = lesson._replace(status=Status.CANDIDATE, evidence=evidence)
    return store.lessons.add(screen_lesson(lesson).with_dates(by.now, keeps_dates=False))


def new_item(item: Item, by: Reading) -> Lesson:
    """The lesson of an item, with the failures and calls of the steps that it cites."""
    cited = [by.steps[number - 1] for number in item.steps]
    is_pitfall = item.sort in {"pitfall", ""}
    failing = [
        each
        for step in cited
        if is_pitfall
        for each in each_failure(step)
        if each.failure and each.failure.is_telling
    ]
    about = _about(item, failing)
    failures = [step.failure for step in about if step.failure]
    keys = list[str]()
    for step in about:  # the call as it was typed, and as later runs may make it
        line = step.failure.line if step.failure else ""
        keys += (*typed_keys(step.tool, step.args, line), *failed_key(step, by.task))
    return Lesson(
        scope=by.scope,
        situation=f"When {item.when}",
        mistake=item.wrong,
        correction=item.do,
        tags=(item.sort,) if item.sort else (),
        trigger=Trigger.RUN,
        signatures=lessons.unique(tuple(failure.exact for failure in failures if failure.exact)),
        kinds=lessons.unique(tuple(failure.kind for failure in failures)),
        calls=lessons.kept_calls(lessons.unique(tuple(keys))),
        evidence=_evidence(item.steps, by),
        origin=f"{ORIGIN}:{by.run}",
        author=by.author,
        importance=min(
            _MOST_COST,
            _COST.get(item.sort, 0.5) + _EACH_FAILURE * len({step.output for step in failing}),
        ),
        confidence=_SURE,
    )


def _about(item: Item, failing: Sequence[Step]) -> list[Step]:
    """The failures that a pitfall is about: those whose error shares most with its words.

    Words of the call tell less, and those that several errors have nothing. Of several that share
    nothing those count whose program it names, unless one step had them all.
    """
    text = _words(f"{item.when} {item.wrong} {item.do}")
    said = [_words(step.failure.line) for step in failing if step.failure]
    by_kind: dict[str, set[str]] = {}  # one error that came twice is one
    for step, words in zip(failing, said, strict=True):
        by_kind.setdefault(step.failure.kind if step.failure else "", set()).update(words)
    counts = Counter(word for words in by_kind.values() for word in words)
    own = [{word for word in words if counts[word] == 1} for words in said]
    new = [words - _words(step.args) for words, step in zip(own, failing, strict=True)]
    for words_of in (new, own):
        shared = [len(text & words) for words in words_of]
        if most := max(shared, default=0):
            pairs = zip(failing, shared, strict=True)
            return [step for step, count in pairs if count >= max(1, most / 2)]
    if len(by_kind) == 1:
        return [*failing]
    if len({step.args for step in failing}) < len(failing):
        return []
    return [step for step in failing if (call := failing_call(step)) and call.program in text]


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w{4,}(?:\.\w+)*|[a-z]+\d+", text.lower()))


def _change(lesson: Lesson, item: Item, by: Reading, store: Store) -> Lesson:
    """The item with its new words; a person's item stays, and the new words wait beside it."""
    complete = item._replace(
        when=item.when or lesson.situation.removeprefix("When "),
        do=item.do or lesson.correction,
        wrong=item.wrong or lesson.mistake,
    )
    new = new_item(complete, by)
    if lesson.author == "person":
        differs = lessons.join_evidence(new.evidence, (Evidence(Kind.DIFFERS, str(lesson.id)),))
        new = new._replace(
            status=Status.CANDIDATE, evidence=differs, job=f"{by.job}:change:{lesson.id}"
        )
        return store.lessons.add(screen_lesson(new).with_dates(by.now, keeps_dates=False))
    changed = lesson._replace(
        situation=new.situation,
        mistake=new.mistake,
        correction=new.correction,
        signatures=lessons.unique((*lesson.signatures, *new.signatures)),
        kinds=lessons.unique((*lesson.kinds, *new.kinds)),
        calls=lessons.kept_calls(lessons.unique((*lesson.calls, *new.calls))),
        evidence=lessons.join_evidence(lesson.evidence, new.evidence, (_confirmation(by),)),
        author=by.author,
        importance=max(lesson.importance, new.importance),
        met=lesson.met + 1,
        updated_at=by.now,
    )
    store.history.note(Change(lesson, CHANGE, by.now))
    changed = screen_lesson(changed)
    store.lessons.update(changed)
    return changed


def _confirm(lesson: Lesson, by: Reading, store: Store) -> Lesson:
    evidence = lessons.join_evidence(lesson.evidence, _evidence((), by), (_confirmation(by),))
    confirmed = lesson._replace(met=lesson.met + 1, evidence=evidence, updated_at=by.now)
    store.lessons.update(confirmed)
    return confirmed


def _withdraw(lesson: Lesson, why: str, by: Reading, store: Store) -> Lesson:
    """The item, retired with the reason; a person's item is only marked as doubtful."""
    marked = lesson._replace(evidence=lessons.join_evidence(lesson.evidence, _evidence((), by)))
    if lesson.author == "person":
        doubt = Evidence(Kind.WEAKENED, f"{by.run}: {why}", by.now.timestamp())
        marked = marked._replace(
            evidence=lessons.join_evidence(marked.evidence, (doubt,)), updated_at=by.now
        )
    else:
        store.history.note(Change(lesson, WITHDRAW, by.now))
        marked = withdrawn(marked, why or "the reader withdrew it", by.now)
    store.lessons.update(marked)
    return marked


def _evidence(steps: Sequence[int], by: Reading) -> tuple[Evidence, ...]:
    """The job, and the steps of the run that show an item."""
    moment = by.now.timestamp()
    shown = Evidence(Kind.SHOWN_BY, f"{by.run}: {', '.join(map(str, steps))}", moment)
    return (Evidence(Kind.JOB, by.job, moment), *((shown,) if steps else ()))


def _confirmation(by: Reading) -> Evidence:
    return Evidence(Kind.CONFIRMED, by.run, by.now.timestamp())


_MAIL = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,24}){1,4}(?![\w:/])")
_UUID = re.compile(r"\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b")
_HEX = re.compile(r"(?<![\w#-])(?=[0-9a-f]*[a-f])(?=[0-9a-f]*\d[0-9a-f]*\d)[0-9a-f]{7,64}(?![\w-])")
_LONG = re.compile(r"(?<![\w/.-])[\w-]{16,}(?![\w/.-])")
_HOME = re.compile(r"(?<![\w/])/(?:home|Users)/[\w.-]+(?=/|\b)")
_OF_TASK = re.compile(  # but `480,960` and `640+09` show a form
    r"(?<![\w.-])(?<!\d[,+:/])(?:[A-Z][A-Z0-9]{0,9}-)?\d{3,}(?![\w-]|[.,+:/]\d)"
)
_YEAR = re.compile(r"(?:19|20)\d\d")
_WORDS = re.compile(r"[^\W_]+")
_LEAST_WORDS = 3  # in what an item says to do
_ALIKE = 0.6  # share of common words of two items that may contradict each other
_TURNING = re.compile(
    r"(?i)(?<![\w-])(?:\d[\w.:]*|no|not|never|without|don[’']?t|cannot|only)(?!\w)"
)


class Refusal(NamedTuple):
    """An item, or a part of one, that was dropped, and why."""

    item: Item
    why: str


class Checked(NamedTuple):
    """What remains of the items of an answer."""

    items: tuple[Item, ...] = ()
    refused: tuple[Refusal, ...] = ()


def check_items(
    items: Sequence[Item], *, task: str, steps: Sequence[Step], known: Mapping[int, Lesson]
) -> Checked:
    """The items that the steps support; sentences and values that they must not hold are left out.

    `known` are the items of the playbook by number: what a changed one says is supported, too.
    """
    kept: list[Item] = []
    refused: list[Refusal] = []
    everything = fold_text("\n".join(f"{step.args}\n{step.output}" for step in steps))
    for item in items:
        before = known.get(item.id)
        cited = tuple(number for number in item.steps if 0 < number <= len(steps))
        grounds = f"{everything} {fold_text(text_of(before))}" if before else everything
        held, missing = _keep_grounded(item._replace(steps=cited), grounds)
        if not cited:
            refused.append(Refusal(item, "no step of the run shows it"))
        elif len(_WORDS.findall(held.do)) < _LEAST_WORDS and (item.do or not before):
            refused.append(Refusal(item, f"the steps do not hold {', '.join(missing[:8])}"))
        else:
            kept.append(without_values(held, task))
            refused += [Refusal(item, f"partly: no {', '.join(missing[:8])}")] if missing else []
    return Checked(tuple(kept), tuple(refused))


def text_of(lesson: Lesson) -> str:
    """All words of a lesson."""
    return f"{lesson.situation}\n{lesson.mistake}\n{lesson.correction}"


def _keep_grounded(item: Item, grounds: str) -> tuple[Item, list[str]]:
    """The item without sentences that name what the grounds do not hold, and these names."""
    when, lost = keep_supported(item.when, grounds)
    wrong, more = keep_supported(item.wrong, grounds)
    do, most = keep_supported(item.do, grounds)
    held = item._replace(when=when or re.sub(QUOTED, "it", item.when), wrong=wrong, do=do)
    return held, [*lost, *more, *most]


def without_values(item: Item, task: str) -> Item:
    """The item with placeholders for the values of one run: ids, mail addresses, hashes."""
    of_task = {value for value in _OF_TASK.findall(task) if not _YEAR.fullmatch(value)}

    def general(text: str) -> str:
        text = _MAIL.sub("<mail>", _HOME.sub("~", text))
        text = _HEX.sub("<id>", _UUID.sub("<id>", text))
        text = _LONG.sub(lambda found: "<id>" if is_random(found[0]) else found[0], text)
        return _OF_TASK.sub(lambda found: "<id>" if found[0] in of_task else found[0], text)

    return item._replace(when=general(item.when), wrong=general(item.wrong), do=general(item.do))


def is_same(item: Item, lesson: Lesson) -> bool:
    """Whether an item says what a lesson says: the same words in the same order."""
    return _plain_words(item.do) == _plain_words(lesson.correction) and (
        _plain_words(item.when) == _plain_words(lesson.situation)
        or lesson.situation == lesson.correction
    )


def _plain_words(text: str) -> str:
    return " ".join(text.lower().split()).rstrip(".").removeprefix("when ")


def contradicts(item: Item, kinds: Sequence[str], lesson: Lesson) -> bool:
    """Whether an item is about the failure or the call of a lesson, and says the opposite."""
    if lesson.origin == lessons.MINED or not _is_about_the_same(item, kinds, lesson):
        return False
    words, other = _bag(item.do), _bag(lesson.correction)
    if len(words & other) < _ALIKE * len(words | other):
        return False
    return _turns(item.do) != _turns(lesson.correction) or (
        words == other and _plain_words(item.do) != _plain_words(lesson.correction)
    )


def _is_about_the_same(item: Item, kinds: Sequence[str], lesson: Lesson) -> bool:
    if not set(kinds).isdisjoint(lesson.kinds):
        return True
    own, others = _calls(item.do), _calls(lesson.correction)
    if own or others:
        return not own.isdisjoint(others)
    return _plain_words(item.when) == _plain_words(lesson.situation)


def _calls(text: str) -> set[str]:
    return {call.kind for call in recommended_calls(text)}


def _bag(text: str) -> set[str]:
    return set(_WORDS.findall(text.lower()))


def _turns(text: str) -> list[str]:
    """The words that turn a sentence into another one: numbers and words of denial."""
    return [word.lower() for word in _TURNING.findall(text)]
