"""What the rules find in a transcript."""

from __future__ import annotations

from collections.abc import Iterator

from hardwon import Step
from hardwon.learn.transcripts.findings import Findings
from hardwon.learn.transcripts.transcript import FinishedCall, Moment


def test_a_long_transcript_is_read_to_its_end_in_little_memory() -> None:
    def moments() -> Iterator[Moment]:
        for line in range(1, 20_001):
            yield FinishedCall(line, line, Step("bash", f"echo {line}", "x" * 100))
        yield FinishedCall(20_001, 20_001, Step("bash", "mkdir a/b", "mkdir: no", True))
        yield FinishedCall(20_002, 20_002, Step("bash", "mkdir -p a/b", ""))

    found = Findings(moments())

    assert "20002 calls" in found.summary.text.replace(",", "")
    assert [one.evidence[0].line for one in found.insights] == [20_001]
