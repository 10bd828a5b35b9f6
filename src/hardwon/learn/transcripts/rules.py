"""What a transcript shows without a model: what the recorder learns of it, and what was said."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from hardwon.core.settings import Settings
from hardwon.core.text.clean import clip, clip_words, one_line, plural
from hardwon.core.text.quoting import quotable
from hardwon.core.text.redact import redact
from hardwon.core.values.lesson import PREPARED, Fix, Lesson, Status
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


class Findings(NamedTuple):
    """What the rules found in a transcript."""

    insights: list[Insight]
    summary: Summary
    missed: list[Insight]  # what the session shows besides, for a person who misses something


def apply_rules(moments: Iterable[Moment]) -> Findings:
    """What `session learn` would record of these moments, and what was said in them."""
    story, failures, statements = Story(), Failures(), Statements()
    for moment in moments:
        for part in (story, failures, statements):
            part.see(moment)
    insights = [*failures.insights(), *statements.insights()]
    summary = story.summary(statements.decisions, failures.fixed)
    missed = [*failures.unsure_insights(), *statements.unsure_insights()]
    return Findings(insights, summary, missed)


class Failures:
    """Failures and what got past them, as the recorder of live steps finds them in one run."""

    def __init__(self) -> None:
        self._store = MemoryStore()
        self._recording = Recording(self._store, Settings(""), utc_now)
        self._past = RunSoFar()
        self._steps: dict[str, Step] = {}  # the first step that failed so, by kind
        self._seen: dict[str, list[Passage]] = defaultdict(list)
        self._worked: dict[tuple[str, str], Passage] = {}  # by kind and key of the fix

    @property
    def fixed(self) -> int:
        """How many fixes the session shows."""
        return len(self._worked)

    def see(self, moment: Moment) -> None:
        if not isinstance(moment, FinishedCall):
            return
        past, step = self._past, Doors.prepare_step(moment.step, self._past.steps)
        marks = self._recording.learn(_HERE, step, past)
        if step.failure and len(seen := self._seen[step.failure.kind]) < _PLACES:
            self._steps.setdefault(step.failure.kind, step)
            seen.append(evidence(moment.ended, step.failure.line))
        for mark in marks:
            way, kind, key = (*mark.split(" ", 2), "", "")[:3]
            if way == "worked" and key and not self._is_work(kind, key):
                self._worked.setdefault((kind, key), evidence(moment.line, step.args))
        past = past.after(step, marks)
        self._past = past._replace(steps=past.steps[-STEPS_REMEMBERED:])

    def insights(self) -> list[Insight]:
        """The fixes that the session shows, and failures that came back without one."""
        fixed = [
            self._fix_insight(lesson, fix)
            for lesson in self._lessons
            for fix in lesson.fixes
            if (lesson.kinds[0], fix.key) in self._worked
        ]
        return fixed + [self._pattern(lesson) for lesson in self._open(is_again=True)]

    def unsure_insights(self) -> list[Insight]:
        """Failures that were met once and not got over."""
        found = []
        for lesson in self._open(is_again=False):
            step = self._steps[lesson.kinds[0]]
            ended, mistake = _ending(step, past=True), f"{_call(step)} {_ending(step, past=True)}."
            text = f"Look out with {_call(step)}: it {ended}, and the session shows no fix."
            found.append(self._pattern(lesson)._replace(text=text, mistake=mistake))
        return found

    @property
    def _lessons(self) -> list[Lesson]:
        every = self._store.lessons.recent(_HERE, status=Status.ALL, limit=_LESSONS)
        return sorted((lesson for lesson in every if lesson.kinds), key=lambda one: one.id)

    def _open(self, *, is_again: bool) -> list[Lesson]:
        """The lessons without a fix, about failures that were met once, or again."""
        fixed = {kind for kind, _ in self._worked}
        unfixed = (lesson for lesson in self._lessons if lesson.kinds[0] not in fixed)
        return [one for one in unfixed if (len(self._seen[one.kinds[0]]) > 1) is is_again]

    def _is_work(self, kind: str, key: str) -> bool:
        """Whether files were changed until the same call worked: that is the work itself."""
        fixes = (fix for lesson in self._lessons if kind in lesson.kinds for fix in lesson.fixes)
        failing = self._past.last_failing(kind)
        between = self._past.steps[(failing or 0) + 1 :]
        is_before = (PREPARED in fix.key for fix in fixes if fix.key == key)
        return any(is_before) and any(writings(step.tool, step.args) for step in between)

    def _fix_insight(self, lesson: Lesson, fix: Fix) -> Insight:
        """The insight that a fix got past the failure of a lesson."""
        kind, is_general = lesson.kinds[0], fix.sort == TRAIL  # it also helps with other tasks
        step, (first, *others) = self._steps[kind], self._seen[kind]
        where = f"That helps where {_call(step)} {_ending(step)}."
        return self._pattern(lesson)._replace(
            kind=insights.CONTENT if is_general else insights.IMPLICIT,
            confidence=insights.HIGH if is_general else insights.MEDIUM,
            text=f"{fix.text}\n{where}" if "\n" in fix.text else f"{fix.text.rstrip('.')}. {where}",
            evidence=(first, self._worked[kind, fix.key], *others[:8]),
            tier=insights.TIER_A if is_general and others else insights.TIER_B,
            mistake=f"{_call(step)} {_ending(step, past=True)}.",
            subject=f"{kind}\0{fix.key}",  # another fix of it is another insight
            fixes=(fix,),
        )

    def _pattern(self, lesson: Lesson) -> Insight:
        step, passages = self._steps[lesson.kinds[0]], self._seen[lesson.kinds[0]]
        commands = () if step.args.startswith("{") else parse(step.args)
        program = commands[0].does.split(" ")[0] if commands else step.tool
        error = quotable(step.failure.line if step.failure else "")
        title = error if error.startswith(program) else f"{program}: {error or 'fails'}"
        return Insight(
            title=clip_words(one_line(title), insights.TITLE_LIMIT),
            category="Tool Usage",
            kind=insights.PATTERN,
            confidence=insights.by_count(len(passages)),
            text=f"Do not try {_call(step)} again without a change: it {_ending(step)} every time.",
            evidence=tuple(passages),
            tags=insights.tags_of(step.tool.lower(), program.lower()),
            mistake=f"{_call(step)} failed {len(passages)} times.",
            signatures=lesson.signatures,
            calls=(*failed_key(step, ""), *typed_keys(step.tool, step.args)),
            subject=lesson.kinds[0],
            kinds=lesson.kinds[:1],
        )


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


class Story:
    """Counts turns, calls, failures and files as moments come in."""

    def __init__(self) -> None:
        self.turns = self.steps = self.failures = self.messages = 0
        self.task = self._last = ""
        self.tools: Counter[str] = Counter()
        self.files: Counter[str] = Counter()

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
        else:
            self._last = text or self._last

    def summary(self, decisions: tuple[str, ...], fixed: int) -> Summary:
        """Three to five sentences about what happened."""
        task = self.task.rstrip(".") or "nothing that was written down"
        tools = ", ".join(name for name, _ in self.tools.most_common(3)) or "no tool"
        text = (
            f"The user asked for: {clip(task, 200)}. The agent made {plural(self.steps, 'call')}"
            f" in {plural(self.turns, 'turn')}, mostly with {tools}."
            f" {plural(self.failures, 'call')} failed; overcome later: {fixed}."
        )
        if self.files:
            names = ", ".join(path.rsplit("/", 1)[-1] for path, _ in self.files.most_common(4))
            text += f" It edited {plural(len(self.files), 'file')}, most often {names}."
        if self._last:
            text += f" It ended with: “{clip(self._last.rstrip('.'), 200)}”."
        return Summary(
            text=text,
            task=self.task or "(no task was stated)",
            decisions=decisions[:5],
            duration=f"{self.messages} messages",
        )


# What was said: corrections by the user, and decisions with their reasons.
_MESSAGE_LIMIT = 2_000  # a longer one is a task, not a correction
_KEPT = 200
_EMPHASIS = frozenset(["again", "said", "told", "here", "now", "ever", "always", "must", "please"])
_AGAINST = frozenset(["not", "never", "avoid", "stop", "instead", "rather"])  # and what ends in n't
_CLAUSE = frozenset((*",;:.!", "but"))  # a new clause begins behind it
_OPENING = re.compile(
    r"(?i)(?:no|nope|wrong|stop|wait|hey|please|again|actually|but)\b[,.!: -]{0,3}"
)
_RULE = re.compile(
    r"(?i)\b(?:do(?:n['’]t| not)|never|always|must(?: not)?|stop \w+ing|avoid|prefer"
    r"|use (?:\S+ ){1,8}?(?:instead|rather than|not\b)|instead of|make sure|remember to)\b"
    r"|^use \S"
)
_OBJECTION = re.compile(
    r"(?i)^(?:no\b|nope|wrong|that(?:['’]s| is) (?:not|wrong)|not like that|i (?:said|told|meant)"
    r"|why did you|you (?:should|shouldn['’]t|forgot|keep)|undo|revert)"
)


_DECISIONS = 12
_CHOICE = re.compile(
    r"(?i)\b(?:decided (?:to|on|against)|chose|choose|opted (?:for|to)|went with|going with"
    r"|we(?:['’]ll| will| should) (?:use|keep|stay)|prefer|settled on)\b"
)
_OTHER = re.compile(r"(?i)\b(?:instead of|rather than|over\b|against|not\b|and not|keep)")
_REASON = re.compile(r"(?i)\b(?:because|since|so that|to avoid|due to|otherwise|as it)\b")


class Statements:
    """Collects what the user says after the agent has begun, and the decisions of both."""

    def __init__(self) -> None:
        self._has_begun = False
        self._heard: dict[tuple[object, ...], list[Passage]] = {}
        self._decisions: dict[str, Passage] = {}
        self._choices: dict[str, Passage] = {}  # without a reason or an alternative

    def see(self, moment: Moment) -> None:
        if not isinstance(moment, Message):
            self._has_begun = True
            return
        is_reply = moment.who == USER and self._has_begun and len(moment.text) <= _MESSAGE_LIMIT
        self._has_begun = self._has_begun or moment.who == AGENT
        has_choice = bool(_CHOICE.search(moment.text))
        for sentence in sentences(redact(moment.text)) if is_reply or has_choice else ():
            if is_reply:
                self._hear(moment, sentence)
            if has_choice and _CHOICE.search(sentence):
                kept = self._decisions if is_decision(sentence) else self._choices
                if len(kept) < _DECISIONS:
                    kept.setdefault(one_line(sentence), Passage(moment.line, sentence))

    def _hear(self, said: Message, sentence: str) -> None:
        """Keep a correction; another tool, module or place makes another one."""
        objected = _OBJECTION.match(said.text.strip()) and len(sentence.split()) > 3
        if objected or is_rule(sentence):
            asked = asked_for(sentence)
            key = asked if any(asked) else (said.line, sentence)
            if key in self._heard or len(self._heard) < _KEPT:
                self._heard.setdefault(key, []).append(Passage(said.line, sentence))

    @property
    def decisions(self) -> tuple[str, ...]:
        """The decisions in their own words."""
        return tuple(self._decisions)

    def insights(self) -> list[Insight]:
        """A correction each, however often it was said; then the decisions."""
        decided = (_decision(*one, insights.HIGH) for one in self._decisions.items())
        return [*map(_correction, self._heard.values()), *decided]

    def unsure_insights(self) -> list[Insight]:
        """Choices that name no reason or no alternative."""
        return [_decision(*one, insights.LOW) for one in self._choices.items()]


def asked_for(sentence: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The stems of what a sentence asks for, and of what it forbids."""
    plain = _OBJECTION.sub("", sentence.strip(), count=1).lower()
    wanted: list[str] = []
    forbidden: list[str] = []
    current = wanted
    for word in re.findall(r"[,;:.!](?=\s|$)|[\w'’.+#-]{0,60}[\w+#]", plain):
        if word in _AGAINST or word.endswith(("n't", "n’t")):
            current = forbidden
        elif word in _CLAUSE:
            current = wanted
        elif word not in _EMPHASIS:
            current += [stem(part) for part in insights.content_words(word)]
    return tuple(wanted), tuple(forbidden)


def is_rule(sentence: str) -> bool:
    """Whether a sentence says how to do things."""
    return bool(_RULE.search(sentence)) and len(sentence.split()) > 2 and sentence[-1] != "?"


def _correction(said: list[Passage]) -> Insight:
    ruling = [one.quote for one in said if is_rule(one.quote)]
    advice = _imperative(max(ruling or [one.quote for one in said], key=len))
    kind, confidence = (
        (insights.CONTENT, insights.HIGH) if ruling else (insights.IMPLICIT, insights.MEDIUM)
    )
    if len(said) > 1 and not ruling:
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


def _imperative(sentence: str) -> str:
    """The sentence without its opening objection: "no, use pnpm" as "Use pnpm"."""
    text = one_line(sentence)
    for _ in range(3):
        text = _OPENING.sub("", text, count=1) if _OPENING.match(text) else text
    text = text.strip(" ,.-") or one_line(sentence)
    return text[0].upper() + text[1:]


def _decision(text: str, passage: Passage, confidence: str) -> Insight:
    return Insight(
        title=clip_words(text, insights.TITLE_LIMIT),
        category="Technical Decisions",
        kind=insights.CONTENT,
        confidence=confidence,
        text=text,
        evidence=(evidence(*passage),),
        tier=insights.TIER_A,
        tags=insights.stack(text),
    )


def is_decision(sentence: str) -> bool:
    """Whether a sentence names a choice, what was not chosen, and why."""
    parts = (_REASON, _CHOICE, _OTHER)
    return all(part.search(sentence) for part in parts) and len(sentence.split()) >= 6
