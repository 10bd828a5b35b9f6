"""What a session shows: what the recorder of live steps learns of it, and what was said in it.

It is read once, moment by moment, so that a long session is never in memory as a whole.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator

from hardwon.core.settings import Settings
from hardwon.core.text.clean import clip, clip_words, one_line, plural
from hardwon.core.text.quoting import quotable
from hardwon.core.text.redact import redact
from hardwon.core.values.lesson import EDITED, Fix, Lesson, Status
from hardwon.core.values.run import RunSoFar, Step
from hardwon.core.values.scope import Scope
from hardwon.engine.doors import Doors
from hardwon.engine.recording import Recording
from hardwon.engine.runtime import utc_now
from hardwon.knowledge.evidence.inner import failed_key
from hardwon.knowledge.evidence.wording import TRAIL
from hardwon.knowledge.ranking.query import stem
from hardwon.knowledge.reading.authored import writings
from hardwon.knowledge.reading.call_keys import typed_keys
from hardwon.knowledge.reading.shell import parse
from hardwon.learn.transcripts import insight as insights
from hardwon.learn.transcripts.insight import Insight, Passage, Summary, evidence, sentences
from hardwon.learn.transcripts.transcript import AGENT, USER, FinishedCall, Message, Moment
from hardwon.storage.stores.runs import STEPS_REMEMBERED
from hardwon.storage.stores.sqlite import MemoryStore

_FILES = 2_000
_PLACES = 20  # lines remembered of each failure
_LESSONS = 10_000  # of one session
_HERE = Scope("default", "session", None)
_MESSAGE_LIMIT = 2_000  # a longer message is a task, not a correction
_KEPT = 200  # corrections, and decisions
_EMPHASIS = frozenset(["again", "said", "told", "here", "now", "ever", "always", "must", "please"])
_CLAUSE_END = r"[,;:.!](?:\s|$)|\bbut\b"
_AGAINST = r"\b(?:not|never|avoid|stop|instead|rather|\w+n['’]t)\b"
_OPENING = r"(?i)^(?:(?:no|nope|wrong|stop|wait|hey|please|again|actually|but)\b[,.!: -]{0,3}){1,3}"
_RULE = re.compile(
    r"(?i)\b(?:do(?:n['’]t| not)|never|always|must(?: not)?|stop \w+ing|avoid|prefer"
    r"|use (?:\S+ ){1,8}?(?:instead|rather than|not\b)|instead of|make sure|remember to)\b"
    r"|^use \S"
)
_OBJECTION = re.compile(
    r"(?i)^(?:no\b|nope|wrong|that(?:['’]s| is) (?:not|wrong)|not like that|i (?:said|told|meant)"
    r"|why did you|you (?:should|shouldn['’]t|forgot|keep)|undo|revert)"
)
_CHOICE = re.compile(
    r"(?i)\b(?:decided (?:to|on|against)|chose|choose|opted (?:for|to)|went with|going with"
    r"|we(?:['’]ll| will| should) (?:use|keep|stay)|prefer|settled on)\b"
)
_GROUNDS = (  # what was not chosen, and why
    re.compile(r"(?i)\b(?:instead of|rather than|over\b|against|not\b|and not|keep)"),
    re.compile(r"(?i)\b(?:because|since|so that|to avoid|due to|otherwise|as it)\b"),
)


class Story:
    """Counts turns, calls, failures and files as moments come in."""

    def __init__(self) -> None:
        self.messages = self.turns = self.steps = self.failures = 0
        self.task = self.last = ""
        self.tools, self.files = Counter[str](), Counter[str]()

    def see(self, moment: Moment) -> None:
        self.messages += 1
        if isinstance(moment, FinishedCall):
            self.steps += 1
            self.failures += moment.step.failed
            self.tools[moment.step.tool[:60]] += 1
            for path in {one.path for one in writings(moment.step.tool, moment.step.args)}:
                if path in self.files or len(self.files) < _FILES:
                    self.files[path] += 1
        elif (text := insights.safe_line(moment.text, 300)) and moment.who == USER:
            self.turns += 1
            self.task = self.task or text
        elif moment.who == AGENT:
            self.last = text or self.last


class Findings:
    """What the moments of a session show, after all of them were seen."""

    def __init__(self, moments: Iterable[Moment]) -> None:
        self._story = Story()
        self._store = MemoryStore()
        self._recording = Recording(self._store, Settings(""), utc_now)
        self._past = RunSoFar()
        self._failing: dict[str, Step] = {}  # the first step that failed so, by kind
        self._failed: dict[str, list[Passage]] = defaultdict(list)
        self._worked: dict[tuple[str, str], Passage] = {}  # by kind and key of the fix
        self._asked: dict[object, list[Passage]] = {}  # corrections by the user
        self._decided: dict[str, Passage] = {}
        has_begun = False
        for moment in moments:
            self._story.see(moment)
            if isinstance(moment, FinishedCall):
                self._learn(moment)
            else:
                self._listen(moment, is_reply=has_begun and moment.who == USER)
            has_begun = has_begun or isinstance(moment, FinishedCall) or moment.who == AGENT

    def _learn(self, call: FinishedCall) -> None:
        """Record a call as a live step is recorded."""
        step = Doors.prepare_step(call.step, self._past.steps)
        marks = self._recording.learn(_HERE, step, self._past)
        if step.failure and len(places := self._failed[step.failure.kind]) < _PLACES:
            self._failing.setdefault(step.failure.kind, step)
            places.append(evidence(call.ended, step.failure.line))
        for way, kind, key in (mark.split(" ", 2) for mark in marks if mark.count(" ") > 1):
            if way == "worked":
                self._worked.setdefault((kind, key), evidence(call.line, step.args))
        past = self._past.after(step, marks)
        self._past = past._replace(steps=past.steps[-STEPS_REMEMBERED:])

    def _listen(self, said: Message, *, is_reply: bool) -> None:
        """Keep what the user corrects after the agent has begun, and the choices of both."""
        is_reply = is_reply and len(said.text) <= _MESSAGE_LIMIT
        if not (is_reply or _CHOICE.search(said.text)):
            return
        is_objection = is_reply and _OBJECTION.match(said.text.strip())
        for sentence in sentences(redact(said.text)):
            passage = Passage(said.line, sentence)
            if is_reply and (is_rule(sentence) or (is_objection and len(sentence.split()) > 3)):
                asked = asked_for(sentence)
                key = asked if any(asked) else passage
                if key in self._asked or len(self._asked) < _KEPT:
                    self._asked.setdefault(key, []).append(passage)
            if _CHOICE.search(sentence) and len(self._decided) < _KEPT:
                self._decided.setdefault(one_line(sentence), passage)

    @property
    def insights(self) -> list[Insight]:
        """What got past failures, failures that came back, corrections and decisions."""
        of_calls = [one for one in self._of_calls() if not _is_of_this_work(one)]
        decided = [_decision(*one) for one in self._decided.items() if is_decision(one[0])]
        return [*of_calls, *map(_correction, self._asked.values()), *decided]

    @property
    def missed(self) -> list[Insight]:
        """What the session shows besides: single failures, edits, choices without a reason."""
        single = filter(_is_of_this_work, self._of_calls())
        choices = [_decision(*one) for one in self._decided.items() if not is_decision(one[0])]
        return [*single, *choices]

    def _of_calls(self) -> Iterator[Insight]:
        """The fixes that the session shows, and failures without one, as the recorder has them."""
        every = self._store.lessons.recent(_HERE, status=Status.ALL, limit=_LESSONS)
        for lesson in sorted((one for one in every if one.kinds), key=lambda one: one.id):
            kind = lesson.kinds[0]
            fixes = [fix for fix in lesson.fixes if (kind, fix.key) in self._worked]
            for fix in fixes:
                yield self._of_fix(lesson, fix)
            if not fixes:
                yield self._of_failure(lesson)

    def _of_fix(self, lesson: Lesson, fix: Fix) -> Insight:
        """The insight that a fix got past the failure of a lesson."""
        kind = lesson.kinds[0]
        is_general = fix.sort == TRAIL  # it also helps with other tasks
        step, (first, *others) = self._failing[kind], self._failed[kind]
        where = f"That helps where {_call(step)} {_ending(step)}."
        return self._of_failure(lesson)._replace(
            kind=insights.CONTENT if is_general else insights.IMPLICIT,
            confidence=insights.HIGH if is_general else insights.MEDIUM,
            text=f"{fix.text}\n{where}" if "\n" in fix.text else f"{fix.text.rstrip('.')}. {where}",
            evidence=(first, self._worked[kind, fix.key], *others[:8]),
            tier=insights.TIER_A if is_general and others else insights.TIER_B,
            mistake=f"{_call(step)} {_ending(step, past=True)}.",
            subject=f"{kind}\0{fix.key}",  # another fix of it is another insight
            fixes=(fix,),
        )

    def _of_failure(self, lesson: Lesson) -> Insight:
        step, passages = self._failing[lesson.kinds[0]], self._failed[lesson.kinds[0]]
        commands = () if step.args.startswith("{") else parse(step.args)
        program = commands[0].does.split(" ")[0] if commands else step.tool
        error = quotable(step.failure.line if step.failure else "")
        title = error if error.startswith(program) else f"{program}: {error or 'fails'}"
        text = f"Do not try {_call(step)} again without a change: it {_ending(step)} every time."
        mistake = f"{_call(step)} failed {len(passages)} times."
        if len(passages) == 1:
            ended = _ending(step, past=True)
            mistake = f"{_call(step)} {ended}."
            text = f"Look out with {_call(step)}: it {ended}, and the session shows no fix."
        return Insight(
            title=clip_words(one_line(title), insights.TITLE_LIMIT),
            category="Tool Usage",
            kind=insights.PATTERN,
            confidence=insights.by_count(len(passages)),
            text=text,
            evidence=tuple(passages),
            tags=insights.tags_of(step.tool.lower(), program.lower()),
            mistake=mistake,
            signatures=lesson.signatures,
            calls=(*failed_key(step, ""), *typed_keys(step.tool, step.args)),
            subject=lesson.kinds[0],
            kinds=lesson.kinds[:1],
        )

    @property
    def summary(self) -> Summary:
        """Three to five sentences about what happened."""
        story = self._story
        task = story.task.rstrip(".") or "nothing that was written down"
        tools = ", ".join(name for name, _ in story.tools.most_common(3)) or "no tool"
        text = (
            f"The user asked for: {clip(task, 200)}. The agent made {plural(story.steps, 'call')}"
            f" in {plural(story.turns, 'turn')}, mostly with {tools}."
            f" {plural(story.failures, 'call')} failed; overcome later: {len(self._worked)}."
        )
        if story.files:
            names = ", ".join(path.rsplit("/", 1)[-1] for path, _ in story.files.most_common(4))
            text += f" It edited {plural(len(story.files), 'file')}, most often {names}."
        if story.last:
            text += f" It ended with: “{clip(story.last.rstrip('.'), 200)}”."
        return Summary(
            text=text,
            task=story.task or "(no task was stated)",
            decisions=tuple(filter(is_decision, self._decided))[:5],
            duration=f"{story.messages} messages",
        )


def _is_of_this_work(insight: Insight) -> bool:
    """Whether it is an edit that got past a failure, or a failure that came once and stayed."""
    if insight.fixes:
        return any(EDITED in fix.key for fix in insight.fixes)
    return insight.times == 1


def _ending(step: Step, *, past: bool = False) -> str:
    """How the call ends; the error is quoted if it may be."""
    error = quotable(step.failure.line) if step.failure else ""
    if past:
        return f"ended in “{error}”" if error else "failed"
    return f"ends in “{error}”" if error else "fails"


def _call(step: Step) -> str:
    """The call in back quotes, shortened; only the tool if its arguments are named."""
    if step.args.startswith("{"):
        return f"`{step.tool}`"
    return f"`{clip(one_line(step.args), 240).replace('`', chr(39))}`"


def asked_for(sentence: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The stems of what a sentence asks for, and of what it forbids, each in their order."""
    asked: tuple[list[str], list[str]] = ([], [])
    for clause in re.split(_CLAUSE_END, _OBJECTION.sub("", sentence.lower())):
        for stems, part in zip(asked, re.split(_AGAINST, clause, maxsplit=1), strict=False):
            words = re.findall(r"[\w'’.+#-]*[\w+#]", part)
            named = (word for word in words if insights.content_words(word))
            stems += [stem(word) for word in named if word not in _EMPHASIS]
    return tuple(asked[0]), tuple(asked[1])


def is_rule(sentence: str) -> bool:
    """Whether a sentence says how to do things."""
    return bool(_RULE.search(sentence)) and len(sentence.split()) > 2 and sentence[-1] != "?"


def is_decision(sentence: str) -> bool:
    """Whether a sentence names a choice, what was not chosen, and why."""
    has_grounds = all(part.search(sentence) for part in (_CHOICE, *_GROUNDS))
    return has_grounds and len(sentence.split()) >= 6


def _correction(said: list[Passage]) -> Insight:
    """What the user asked for in the imperative: "no, use pnpm" as "Use pnpm"."""
    rules = [one.quote for one in said if is_rule(one.quote)]
    longest = one_line(max(rules or [one.quote for one in said], key=len))
    advice = re.sub(_OPENING, "", longest).strip(" ,.-") or longest
    advice = advice[0].upper() + advice[1:]
    kind, confidence = insights.IMPLICIT, insights.MEDIUM
    if rules:
        kind, confidence = insights.CONTENT, insights.HIGH
    elif len(said) > 1:
        kind, confidence = insights.PATTERN, insights.by_count(len(said))
    return Insight(
        title=clip_words(advice, insights.TITLE_LIMIT),
        category=insights.PREFERENCES,
        kind=kind,
        confidence=confidence,
        text=advice,
        evidence=tuple(evidence(*one) for one in said[:10]),
        tier=insights.TIER_A,
        tags=insights.stack(advice),
        mistake="The user had to correct this.",
    )


def _decision(text: str, passage: Passage) -> Insight:
    return Insight(
        title=clip_words(text, insights.TITLE_LIMIT),
        category="Technical Decisions",
        kind=insights.CONTENT,
        confidence=insights.HIGH if is_decision(text) else insights.LOW,
        text=text,
        evidence=(evidence(*passage),),
        tier=insights.TIER_A,
        tags=insights.stack(text),
    )
