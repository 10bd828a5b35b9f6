"""Failures: the later call that works is the fix; what fails again and again is a pattern."""

from __future__ import annotations

from collections import deque
from functools import lru_cache
from typing import NamedTuple

from hardwon.failures.call_keys import call_keys, call_shape
from hardwon.failures.later_call import Fix, find_fix, has_fields, is_search_miss
from hardwon.failures.sentences import quoted
from hardwon.failures.signature import Signature, error_line, fold, signature
from hardwon.learn.transcripts.insight import (
    CONTENT,
    HIGH,
    IMPLICIT,
    MEDIUM,
    PATTERN,
    TIER_A,
    TIER_B,
    Evidence,
    Insight,
    by_count,
    evidence,
    tags_of,
)
from hardwon.learn.transcripts.transcript import Acted, Moment
from hardwon.text.clean import clip, one_line
from hardwon.text.quoting import quotable
from hardwon.text.redact import redact
from hardwon.values.step import Step

WINDOW = 61  # a failure and the sixty steps in which its fix is looked for
_KINDS = 2_000  # different failures remembered
_PLACES = 20  # lines remembered of each
_SURE = 0.8
_CATEGORY = "Tool Usage"
_VERBS = {"ran": "run", "edited": "edit", "wrote": "write"}


class Failed(NamedTuple):
    """One failing step with its fix, if the transcript holds one."""

    act: Acted
    name: Signature
    fix: Fix | None
    fixed_at: int = 0  # line of the call that worked


class Failures:
    """Holds a window of steps; a failure is judged when what came after it is known."""

    def __init__(self) -> None:
        self._window: deque[Acted] = deque()
        self._met: dict[str, list[Failed]] = {}
        self.total = self.fixed = 0
        self.judged: list[Failed] | None = None  # a benchmark wants them all

    def see(self, moment: Moment) -> None:
        if isinstance(moment, Acted):
            self._window.append(moment)
            if len(self._window) == WINDOW:
                self._judge_first()

    def insights(self) -> list[Insight]:
        while self._window:
            self._judge_first()
        return [_insight(met) for met in self._met.values() if _is_telling(met)]

    def _judge_first(self) -> None:
        if self._window[0].step.failed and not is_search_miss(self._window[0].step):
            self._judge()
        self._window.popleft()

    def _judge(self) -> None:
        act, steps = self._window[0], [one.step for one in self._window]
        fix = find_fix(steps, 0)
        name = signature(act.step.tool, act.step.output)
        failed = Failed(act, name, fix, self._window[fix.at].line if fix else 0)
        self.total += 1
        self.fixed += fix is not None
        if self.judged is not None:
            self.judged.append(failed)
        self._remember(failed, steps)

    def _remember(self, failed: Failed, steps: list[Step]) -> None:
        met = self._met.setdefault(failed.name.digest, [])
        if len(met) < _PLACES:
            met.append(_safe(failed, steps))
        elif failed.fix:
            met[-1] = _safe(failed, steps)
        if len(self._met) > _KINDS:
            self._met.pop(next(iter(self._met)))


def _safe(failed: Failed, steps: list[Step]) -> Failed:
    """The failure as it may be told: short, and no secret in it, nor half of one."""
    step = steps[0]._replace(args=_redacted(steps[0].args), output=redact(steps[0].output))
    name = signature(step.tool, step.output)
    fix = failed.fix
    if fix:
        fix = find_fix([one._replace(args=_redacted(one.args)) for one in steps[: fix.at + 1]], 0)
    shown = step._replace(output=clip(error_line(step.output), 600), args=clip(step.args, 2000))
    return Failed(
        failed.act._replace(step=shown, args=None),
        Signature(failed.name.digest, name.text),  # found again by its own words
        fix,
        failed.fixed_at,
    )


@lru_cache(maxsize=4096)
def _redacted(args: str) -> str:
    return redact(args)


def _is_telling(met: list[Failed]) -> bool:
    return any(one.fix for one in met) or len(met) > 1


def _insight(met: list[Failed]) -> Insight:
    fixed = [one for one in met if one.fix]
    if not fixed:
        return _pattern(met)
    best = max(fixed, key=lambda one: one.fix.confidence if one.fix else 0)
    return _fixed(best, met)


def _fixed(best: Failed, met: list[Failed]) -> Insight:
    fix, step = best.fix, best.act.step
    if fix is None:
        return _pattern(met)
    is_general = bool(fix.changed) and fix.confidence >= _SURE
    return Insight(
        title=_title(best),
        category=_CATEGORY,
        kind=CONTENT if is_general else IMPLICIT,
        confidence=HIGH if is_general else MEDIUM,
        text=_advice(best, fix),
        evidence=(
            evidence(best.act.ended, error_line(step.output)),
            evidence(best.fixed_at, fix.step.args),
            *_more(met, but=best),
        ),
        tier=TIER_A if is_general and len(met) > 1 else TIER_B,
        tags=_tags(best),
        mistake=f"{_call(step)} failed: {_said(best)}".rstrip(": "),
        signatures=(best.name.digest,),
        calls=call_keys(step.tool, step.args),
        subject=fold(_advice(best, fix)),  # another fix of the same failure is another insight
    )


def _pattern(met: list[Failed]) -> Insight:
    first = met[0]
    error = _said(first)
    ending = f": it kept ending in “{error}”" if error else ""
    call = _call(first.act.step)
    return Insight(
        title=_title(first),
        category=_CATEGORY,
        kind=PATTERN,
        confidence=by_count(len(met)),
        text=f"Do not try {call} again without a change{ending}.",
        evidence=tuple(evidence(one.act.ended, one.act.step.output) for one in met),
        tags=_tags(first),
        mistake=f"{call} failed {len(met)} times: {error}".rstrip(": "),
        signatures=(first.name.digest,),
        calls=call_keys(first.act.step.tool, first.act.step.args),
        subject=first.name.text,
    )


def _advice(failed: Failed, fix: Fix) -> str:
    """What to do, in the imperative."""
    step, error = failed.act.step, _said(failed)
    ends = f"ends in “{error}”" if error else "fails"
    if not fix.changed:
        first = " and ".join(_imperative(one) for one in fix.after)
        again = f"{'use' if has_fields(step) else 'run'} {_call(step)}"
        return f"First {first}, then {again}: without that it {ends}."
    instead = f"Use `{_shown(fix.step.args)}` where {_call(step)} {ends}"
    return f"{instead} (what changed: {fix.words})."


def _imperative(done: str) -> str:
    """`ran x` as `run x`."""
    verb, _, rest = done.partition(" ")
    return f"{_VERBS.get(verb, verb)} {rest}"


def _said(failed: Failed) -> str:
    """What may be quoted of the error."""
    return quotable(error_line(failed.act.step.output))


def _title(failed: Failed) -> str:
    program, error = _program(failed), _said(failed) or "fails"
    return clip(one_line(error if error.startswith(program) else f"{program}: {error}"), 90)


def _program(failed: Failed) -> str:
    shape = call_shape(failed.act.step.tool, failed.act.step.args)
    return shape.split()[0] if shape else "call"


def _tags(failed: Failed) -> tuple[str, ...]:
    return tags_of(failed.act.step.tool.lower(), _program(failed).lower())


def _more(met: list[Failed], *, but: Failed) -> list[Evidence]:
    return [evidence(one.act.ended, one.act.step.output) for one in met if one is not but][:8]


def _call(step: Step) -> str:
    return quoted(step) if has_fields(step) else f"`{_shown(step.args)}`"


def _shown(call: str) -> str:
    return clip(one_line(call), 240).replace("`", "'")
