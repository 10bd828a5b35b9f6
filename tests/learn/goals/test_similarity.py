"""Goals are alike by their meaning."""

from __future__ import annotations

from pathlib import Path

import pytest

import hardwon
from hardwon import Agent, Hardwon
from tests.embedders import Away, Topics


@pytest.mark.parametrize(
    ("earlier", "asked"),
    [
        ("Send the weekly report", "Mail the report"),
        ("Mail the report", "Send the weekly report"),
        ("Researching competitor prices", "Research the pricing of a competitor"),
        ("Fetch the invoices of May", "Download all invoices"),
        ("Deploying the web shop", "Release the web shop"),
    ],
)
def test_a_goal_in_other_words_is_a_similar_goal(
    hw: Hardwon, coder: Agent, earlier: str, asked: str
) -> None:
    coder.goals.ended("g1", earlier, "failed", error="OSError: disk full")
    coder.goals.ended("g2", "Paint the garden fence", "failed", error="KeyError: 'green'")
    hw.drain()

    found = coder.goals.context("new", objective=asked).text
    assert f"[Goal: {earlier}]" in found
    assert "fence" not in found


def test_goals_are_alike_by_meaning_where_an_embedder_is_on(tmp_path: Path) -> None:
    with hardwon.open(tmp_path, embedder=Topics()) as hw:
        coder = hw.agent("coder")
        coder.goals.ended("g1", "Find the mutex", "failed", error="OSError: disk full")
        coder.goals.ended("g2", "Buy an umbrella", "failed", error="KeyError: 'green'")
        hw.drain()

        assert "Find the mutex" in coder.goals.context("new", objective="Avoid every deadlock").text
        assert "umbrella" not in coder.goals.context("new", objective="Avoid every deadlock").text
    with hardwon.open(tmp_path) as hw:
        assert not hw.agent("coder").goals.context("new", objective="Avoid every deadlock")


def test_vectors_of_another_embedder_are_not_compared(tmp_path: Path) -> None:
    with hardwon.open(tmp_path, embedder=Topics("one")) as hw:
        hw.agent("coder").goals.ended("g1", "Find the mutex", "failed")
        hw.drain()
    with hardwon.open(tmp_path, embedder=Topics("other")) as hw:
        assert not hw.agent("coder").goals.context("new", objective="Avoid every deadlock")


def test_an_embedder_that_is_away_leaves_words_to_find_goals(tmp_path: Path) -> None:
    with hardwon.open(tmp_path, embedder=Away()) as hw:
        hw.on_trouble(lambda error: None)
        coder = hw.agent("coder")
        coder.goals.ended("g1", "Send the weekly report", "failed", error="OSError: disk full")
        hw.drain()

        assert "weekly report" in coder.goals.context("new", objective="Mail the report").text
