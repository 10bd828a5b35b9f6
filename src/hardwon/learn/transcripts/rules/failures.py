"""Failures: a later step shows the fix; what fails again and again is a pattern."""

from __future__ import annotations

from collections import deque
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from hardwon.core.text.clean import clip, clip_words, one_line
from hardwon.core.text.quoting import quotable
from hardwon.core.text.redact import redact
from hardwon.knowledge.evidence.inner import with_failure
from hardwon.knowledge.evidence.keys import failed_key
from hardwon.knowledge.evidence.wording import TRAIL
from hardwon.knowledge.reading.authored import writings
from hardwon.knowledge.reading.call_keys import call_keys
from hardwon.knowledge.reading.fixes import fixes_shown
from hardwon.knowledge.reading.mistakes import is_mistake
from hardwon.knowledge.reading.reading import read_failure
from hardwon.knowledge.reading.shell import parse
from hardwon.learn.transcripts.insight import (
    CONTENT,
    HIGH,
    IMPLICIT,
    MEDIUM,
    PATTERN,
    TIER_A,
    TIER_B,
    TITLE_LIMIT,
    Insight,
    Passage,
    by_count,
    evidence,
    tags_of,
)
from hardwon.learn.transcripts.transcript import FinishedCall, Moment

if TYPE_CHECKING:
    from hardwon.core.values.lesson import Fix
    from hardwon.core.values.run import Failure, Step

WINDOW = 31  # steps: a failure and the thirty steps in which its fix may come
_KINDS = 2_000  # different failures remembered
_PLACES = 20  # lines remembered of each
_FIXES = 8  # fixes remembered of each
_CATEGORY = "Tool Usage"


class Failed(NamedTuple):
    """A failing step, and its fix with the step that showed it."""

    act: FinishedCall
    failure: Failure
    fix: Fix | None = None
    fixed_at: int = 0
    worked: str = ""  # the call that showed the fix


class Failures:
    """Keeps a window of steps; each new step may show the fix of an earlier failure."""

    def __init__(self) -> None:
        self._window: deque[FinishedCall] = deque(maxlen=WINDOW)
        self._met: dict[str, list[Failed]] = {}  # by kind
        self._fixed: dict[str, dict[str, Failed]] = {}  # by kind, then by fix
        self._mended: set[int] = set()  # lines of failures that were fixed
        self.total = 0
        self.judged: list[Failed] | None = None  # set by a benchmark to collect all failures

    @property
    def fixed(self) -> int:
        """How many failures were fixed."""
        return len(self._mended)

    def see(self, moment: Moment) -> None:
        if not isinstance(moment, FinishedCall):
            return
        steps = [act.step for act in self._window]
        moment = moment._replace(step=with_failure(moment.step, steps[1 - WINDOW :]))
        self._window.append(moment)
        steps = [act.step for act in self._window]
        if moment.step.failed and is_mistake(moment.step, steps[:-1]):
            self.total += 1
            self._meet(_failed(moment, steps))
        if any(step.failure for step in steps[:-1]):
            self._mend(steps)

    def insights(self) -> list[Insight]:
        with_fix = [_fixed(failed, self._met[kind]) for kind, fixes in self._fixed.items()
                 for failed in fixes.values()]  # fmt: skip
        again = [
            _pattern(failures)
            for kind, failures in self._met.items()
            if kind not in self._fixed and len(failures) > 1
        ]
        return with_fix + again

    def missed(self) -> list[Insight]:
        """Failures that were met once and not got over."""
        return [
            _unsolved(failures[0])
            for kind, failures in self._met.items()
            if kind not in self._fixed and len(failures) == 1
        ]

    def _meet(self, failed: Failed | None) -> None:
        if failed is None:
            return
        failures = self._met.setdefault(failed.failure.kind, [])
        if len(failures) < _PLACES:
            failures.append(failed)
        if self.judged is not None:
            self.judged.append(failed)
        if len(self._met) > _KINDS:
            kind = next(iter(self._met))
            self._met.pop(kind)
            self._fixed.pop(kind, None)

    def _mend(self, steps: list[Step]) -> None:
        last = self._window[-1]
        for at, fix in _shown(steps):
            if _is_work(fix, steps[at + 1 :]):
                continue
            failed = _failed(self._window[at], steps[: at + 1])
            if failed is not None:
                if failed.failure.kind not in self._met:
                    self._meet(failed)
                worked = _without_secrets(last.step.args)
                self._keep(failed._replace(fix=fix, fixed_at=last.line, worked=worked), fix)

    def _keep(self, failed: Failed, fix: Fix) -> None:
        fixes = self._fixed.setdefault(failed.failure.kind, {})
        if len(fixes) < _FIXES:
            fixes.setdefault(fix.key, failed)
        self._mended.add(failed.act.line)
        if self.judged is not None:
            self.judged.append(failed)


def _shown(steps: list[Step]) -> list[tuple[int, Fix]]:
    """The fixes that the last step shows; secrets are removed first."""
    if not fixes_shown(steps):
        return []
    return fixes_shown([_redacted(step) for step in steps])


def _is_work(fix: Fix, between: list[Step]) -> bool:
    """Whether the session changed files until the same call worked: the next task is another."""
    return fix.is_vague and any(writings(step.tool, step.args) for step in between)


def _failed(act: FinishedCall, steps: list[Step]) -> Failed | None:
    """The failure as it may be stored: short, and without any part of a secret."""
    raw = read_failure(act.step, steps[:-1])
    step = _redacted(act.step)
    failure = read_failure(step, steps[:-1])
    if raw is None or failure is None:
        return None
    failure = failure._replace(exact=raw.exact, kind=raw.kind)  # recognized by the unredacted text
    short = step._replace(output=clip(failure.line, 600), args=clip(step.args, 2000))
    return Failed(act._replace(step=short, args=None), failure)


def _redacted(step: Step) -> Step:
    return step._replace(args=_without_secrets(step.args), output=_without_secrets(step.output))


@lru_cache(maxsize=1024)
def _without_secrets(text: str) -> str:
    return redact(text)


def _fixed(failed: Failed, failures: list[Failed]) -> Insight:
    fix, step, failure = failed.fix, failed.act.step, failed.failure
    if fix is None:
        return _pattern(failures)
    is_general = fix.sort == TRAIL  # it also helps with other tasks
    others = [_met(other) for other in failures if other.act.line != failed.act.line]
    return Insight(
        title=_title(failed),
        category=_CATEGORY,
        kind=CONTENT if is_general else IMPLICIT,
        confidence=HIGH if is_general else MEDIUM,
        text=_advice(fix.text, f"That helps where {_call(step)} {_ending(failed)}."),
        evidence=(_met(failed), evidence(failed.fixed_at, failed.worked), *others[:8]),
        tier=TIER_A if is_general and others else TIER_B,
        tags=_tags(step),
        mistake=f"{_call(step)} {_ending(failed, past=True)}.",
        signatures=_signatures(failure),
        calls=(*failed_key(step, ""), *call_keys(step.tool, step.args)),
        subject=f"{failure.text}\0{fix.key}",  # another fix of it is another insight
        kinds=(failure.kind,),
        fixes=(fix,),
    )


def _pattern(failures: list[Failed]) -> Insight:
    first = failures[0]
    step, failure = first.act.step, first.failure
    call = _call(step)
    return Insight(
        title=_title(first),
        category=_CATEGORY,
        kind=PATTERN,
        confidence=by_count(len(failures)),
        text=f"Do not try {call} again without a change: it {_ending(first)} every time.",
        evidence=tuple(map(_met, failures)),
        tags=_tags(step),
        mistake=f"{call} failed {len(failures)} times.",
        signatures=_signatures(failure),
        calls=call_keys(step.tool, step.args),
        subject=failure.text,
        kinds=(failure.kind,),
    )


def _unsolved(failed: Failed) -> Insight:
    met, call = _pattern([failed]), _call(failed.act.step)
    end = f"it {_ending(failed, past=True)}, and the session shows no fix."
    return met._replace(
        text=f"Look out with {call}: {end}", mistake=f"{call} {_ending(failed, past=True)}."
    )


def _advice(fix: str, where: str) -> str:
    """The fix, then where it helps; lines of code stay lines."""
    if "\n" in fix:
        return f"{fix}\n{where}"
    return f"{fix.rstrip('.')}. {where}"


def _signatures(failure: Failure) -> tuple[str, ...]:
    return (failure.exact,) if failure.exact else ()


def _met(failed: Failed) -> Passage:
    return evidence(failed.act.ended, failed.failure.line)


def _ending(failed: Failed, *, past: bool = False) -> str:
    """How the call ends; the error is quoted if it may be."""
    error = quotable(failed.failure.line)
    if past:
        return f"ended in “{error}”" if error else "failed"
    return f"ends in “{error}”" if error else "fails"


def _title(failed: Failed) -> str:
    program, error = _program(failed.act.step), quotable(failed.failure.line) or "fails"
    title = one_line(error if error.startswith(program) else f"{program}: {error}")
    return clip_words(title, TITLE_LIMIT)


def _program(step: Step) -> str:
    """The program of a command, or the tool."""
    commands = () if step.args.startswith("{") else parse(step.args)
    return commands[0].does.split(" ")[0] if commands else step.tool


def _tags(step: Step) -> tuple[str, ...]:
    return tags_of(step.tool.lower(), _program(step).lower())


def _call(step: Step) -> str:
    """The call in back quotes, shortened; only the tool if its arguments are named."""
    if step.args.startswith("{"):
        return f"`{step.tool}`"
    return f"`{clip(one_line(step.args), 240).replace('`', chr(39))}`"
