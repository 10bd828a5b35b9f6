"""Make a lesson without a model: the failing call, its error, and the fix the run shows."""

from __future__ import annotations

import re
from datetime import timedelta

from hardwon.core.errors import PermanentError
from hardwon.core.text.clean import clip, one_line
from hardwon.core.text.quoting import quotable
from hardwon.core.values.run import Episode, Step
from hardwon.knowledge.reading.error_line import error_line
from hardwon.knowledge.reading.fixes import fix_shown
from hardwon.knowledge.reading.mined_lesson import UNSOLVED, situation
from hardwon.knowledge.reading.mistakes import focus, is_passing
from hardwon.knowledge.reading.reading import read_failure
from hardwon.knowledge.reading.shell import main_command
from hardwon.storage.ports import Reply, Request

_FIXED, _UNFIXED = 0.8, 0.3
_SKIP = "<skip>nothing actionable</skip>"
_TAG = re.compile(r"[A-Za-z][\w.+-]{1,30}")


def open(kind: str, name: str, *, key: str, timeout: timedelta) -> Rules:
    """The rules; they need no key."""
    return Rules()


class Rules:
    """Answers in the format of models, so that everything after it is the same."""

    name = "rules"

    async def complete(self, request: Request) -> Reply:
        if request.episode is None:
            raise PermanentError("rules can only reflect on an episode; this needs a model")
        return Reply(answer(request.episode), model=self.name)


def answer(episode: Episode) -> str:
    """The lesson of an episode as the blocks of the protocol."""
    at = focus(episode)
    if at is None:
        return _without_steps(episode)
    failed = episode.steps[at]
    failure = failed.failure or read_failure(failed, episode.steps[:at])
    line = error_line(failed.output.strip() or episode.error)
    fix = fix_shown(episode.steps, at)
    if fix is None and is_passing(line):
        return _SKIP
    quote, names = quotable(line), [failed.tool.lower()]
    if not failed.args.startswith("{"):
        names += main_command(failed.args).does.split(" ")[:2]
    printed = f" It printed: {clip(quote, 200)}" if quote else ""
    return _blocks(
        situation=situation(failure.text if failure else "", failed),
        mistake=f"{_call(failed)} failed.{printed}",
        correction=fix.text if fix else UNSOLVED,
        tags=list(dict.fromkeys(name for name in names if _TAG.fullmatch(name)))[:5],
        confidence=_FIXED if fix else _UNFIXED,
    )


def _without_steps(episode: Episode) -> str:
    flaw = episode.signal("verifier_discrepancies") or episode.signal("refine_low_quality_reason")
    why = episode.error or flaw
    if not why.strip():
        return _SKIP
    if is_passing(error_line(why)):
        return _SKIP
    # A verifier's finding is quoted; of an error only what may be quoted.
    line = quotable(error_line(why)) if episode.error else clip(one_line(flaw), 300)
    ended = f"ended with “{line}”" if line else "failed"
    return _blocks(
        situation=f"When the task is like “{clip(one_line(episode.task), 160)}”",
        mistake=f"The attempt {ended}",
        correction=f"Check this before you answer: the last attempt {ended}.",
        tags=[],
        confidence=_UNFIXED,
    )


def _call(step: Step) -> str:
    """The failing call, quoted; text in it cannot end the backticks around it."""
    if step.args.startswith("{"):
        names = "file_path|path|url|filename|pattern|query"
        target = re.search(rf'"(?:{names})": ?"([^"]{{1,120}})"', step.args)
        quoted = "`{}`".format(target[1].replace("`", "'")) if target else "that input"
        return f"{step.tool} on {quoted}"
    lines = [line.strip() for line in step.args.strip().splitlines() if line.strip()]
    command = "; ".join(lines)
    if "<<" in step.args and len(lines) > 2:  # a here-document is left out
        after = [] if re.fullmatch(r"\w+", lines[-1]) else [lines[-1]]
        command = " … ".join([lines[0], *after])
    return "`{}`".format(clip(command, 140).replace("`", "'"))


def _blocks(
    *, situation: str, mistake: str, correction: str, tags: list[str], confidence: float
) -> str:
    return (
        f"<situation>{_safe(situation)}</situation>\n<mistake>{_safe(mistake)}</mistake>\n"
        f"<correction>{_safe(correction)}</correction>\n<tags>{', '.join(tags)}</tags>\n"
        f"<confidence>{confidence}</confidence>"
    )


def _safe(text: str) -> str:
    """Text that cannot close its block or open another."""
    return re.sub(r"<(?=/?(?:situation|mistake|correction|tags|skip|confidence)\b)", "‹", text)
