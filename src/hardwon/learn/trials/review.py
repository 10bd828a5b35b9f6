"""Manual review: a person says at the terminal whether the work is right."""

from __future__ import annotations

import asyncio
import os
import sys

from hardwon.errors import InvalidInput
from hardwon.learn.trials.diagnostics import ToolReport, error
from hardwon.learn.trials.values import VerificationResult
from hardwon.text.clean import clean

_ACCEPTED = {"", "y", "yes", "ok"}
_HOW = "Enter accepts it; otherwise say what is wrong: "
_CHUNK = 4096


class Reviewer:
    """Asks the person at standard input; one line is one answer."""

    def __init__(self) -> None:
        self._unread = b""

    async def review(self, question: str) -> tuple[VerificationResult, ToolReport]:
        """The person's verdict; InvalidInput if nobody is there to answer."""
        print(f"{question}\n{_HOW}", end="", file=sys.stderr, flush=True)
        answer = clean((await self._line()).decode("utf-8", "replace")).strip()
        is_right = answer.lower() in _ACCEPTED
        result = VerificationResult(
            "review", "pass" if is_right else "fail", stdout=answer, command=question,
            kind="manual_review",
        )  # fmt: skip
        return result, ToolReport(() if is_right else (error("other", answer, tool="review"),))

    async def _line(self) -> bytes:
        handle = sys.stdin.fileno()
        while b"\n" not in self._unread:
            await _readable(handle)
            chunk = os.read(handle, _CHUNK)
            if not chunk:
                raise InvalidInput("nobody answered the review; resume the loop at a terminal")
            self._unread += chunk
        line, _, self._unread = self._unread.partition(b"\n")
        return line


async def _readable(handle: int) -> None:
    """Wait until a person has answered; the event loop goes on, so the loop can be aborted."""
    loop, answered = asyncio.get_running_loop(), asyncio.Event()
    try:
        loop.add_reader(handle, answered.set)
    except PermissionError:  # a plain file, which can always be read
        return
    try:
        await answered.wait()
    finally:
        loop.remove_reader(handle)
