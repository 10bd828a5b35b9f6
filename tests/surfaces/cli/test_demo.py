"""The demo shows the main job, and shows it only because lessons are injected."""

from __future__ import annotations

import json

import pytest

from hardwon.surfaces.cli import run

Capture = pytest.CaptureFixture[str]


def runs(capsys: Capture, *arguments: str) -> tuple[list[list[str]], list[list[str]]]:
    """The failed commands of each task, before and after."""
    assert run(["demo", "--json", *arguments]) == 0
    played = json.loads(capsys.readouterr().out)
    before, after = (
        [[command for command, error in one["calls"] if error] for one in played[name]]
        for name in ("before", "after")
    )
    return before, after


def test_no_mistake_of_the_first_run_is_made_again(capsys: Capture) -> None:
    before, after = runs(capsys)

    assert all(before)
    assert after == [[]] * len(before)


def test_without_injection_the_second_run_fails_as_the_first_did(capsys: Capture) -> None:
    before, after = runs(capsys, "--no-inject")

    assert after == before


def test_the_demo_tells_the_second_run_before_its_first_call(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")

    assert run(["demo"]) == 0

    shown = capsys.readouterr().out
    first, second = shown.split("Run 2: ")
    assert "What worked in earlier runs" not in first
    assert second.index("$ rm -r build   ← ") < second.index("✓ $")
    assert "4 failed calls became 0" in shown


@pytest.mark.parametrize("columns", [40, 60])
def test_the_demo_fits_a_narrow_terminal(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch, columns: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))

    assert run(["demo"]) == 0

    shown = capsys.readouterr().out
    assert [line for line in shown.splitlines() if len(line) > columns] == []
    assert "cannot remove 'build': Is a directory" in " ".join(shown.split())
