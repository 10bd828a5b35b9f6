"""What these tests share."""

from __future__ import annotations

from hardwon import Step
from hardwon.knowledge.reading.call_keys import canonical
from hardwon.learn.transcripts.findings import Findings
from hardwon.learn.transcripts.insight import Insight
from hardwon.learn.transcripts.transcript import AGENT, USER, FinishedCall, Message, Moment


class Talk:
    """Moments in order, each on its own line."""

    def __init__(self) -> None:
        self.moments: list[Moment] = []

    def user(self, text: str) -> Talk:
        return self._add(Message(self._line, USER, text))

    def agent(self, text: str) -> Talk:
        return self._add(Message(self._line, AGENT, text))

    def ran(self, command: str, output: str = "", failed: bool = False) -> Talk:
        return self._add(
            FinishedCall(self._line, self._line, Step("bash", command, output, failed))
        )

    def edited(self, path: str, old: str, new: str) -> Talk:
        args = {"file_path": path, "old_string": old, "new_string": new}
        return self._add(
            FinishedCall(self._line, self._line, Step("Edit", canonical(args), "", False))
        )

    def found(self) -> Findings:
        return Findings(self.moments)

    def one(self) -> Insight:
        (insight,) = self.found().insights
        return insight

    @property
    def _line(self) -> int:
        return len(self.moments) + 1

    def _add(self, moment: Moment) -> Talk:
        self.moments.append(moment)
        return self
