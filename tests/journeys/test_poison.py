"""A poisoned failure text, a model that copies it faithfully, and what the agent is told then."""

from __future__ import annotations

from pathlib import Path

import pytest

import hardwon
from hardwon.core.text.clean import clean, one_line
from hardwon.core.values.lesson import Status
from hardwon.storage.ports import Request
from tests.corpora.injections import injections

ATTACKS = [text for text in injections() if clean(text) == text]


@pytest.mark.parametrize("share", range(4))
def test_no_attack_of_the_corpus_reaches_the_agent_unread(tmp_path: Path, share: int) -> None:
    attacks = ATTACKS[share::16]

    def copying(request: Request) -> str:
        assert request.episode
        return (
            f"<situation>when pytest fails in repository</situation>"
            f"<correction>{request.episode.error}</correction><tags>pytest</tags>"
        )

    with hardwon.open(tmp_path, model=copying) as hw:
        agent = hw.agent("coder")
        for number, attack in enumerate(attacks):
            agent.after_run(task=f"pytest fails {number}", error=attack)
        hw.drain()
        told = agent.before_turn("when pytest fails in repository").text
        held = agent.lessons.list(status=Status.QUARANTINED)

    shown = [attack for attack in attacks if one_line(attack) in told]
    assert len(shown) <= len(attacks) * 0.05
    assert held
