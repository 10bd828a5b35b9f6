"""The reward of a trial: tests count half, types three tenths, style two tenths.

Only verified kinds count: the weights of absent kinds are spread over those present.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hardwon.learn.trials.diagnostics import ToolReport
    from hardwon.learn.trials.values import VerificationResult

WEIGHTS = {"tests": 0.5, "types": 0.3, "lint": 0.2}
_GROUPS = {"type_check": "types", "compilation": "types", "lint": "lint"}


def reward(judged: Sequence[tuple[VerificationResult, ToolReport]]) -> float:
    """The reward in 0 … 1; 1 exactly when everything passed."""
    groups: dict[str, list[tuple[VerificationResult, ToolReport]]] = {}
    for result, report in judged:
        groups.setdefault(_GROUPS.get(result.kind, "tests"), []).append((result, report))
    total = sum(WEIGHTS[name] for name in groups)
    earned = sum(WEIGHTS[name] * _share(name, group) for name, group in groups.items())
    return round(earned / total, 6) if total else 0.0


def _share(name: str, group: Sequence[tuple[VerificationResult, ToolReport]]) -> float:
    if name != "tests":
        return float(all(result.status == "pass" for result, _ in group))
    passed, ran = 0, 0
    for result, report in group:
        good_tests, all_tests = _tests(result, report)
        passed, ran = passed + good_tests, ran + all_tests
    return passed / ran if ran else 0.0


def _tests(result: VerificationResult, report: ToolReport) -> tuple[int, int]:
    """Tests passed and run; a tool without counts is one test; a failing one is never perfect."""
    good, ran = report.metrics.tests_passed, report.metrics.tests_total
    if result.status == "pass":
        return (good, ran) if ran and good == ran else (1, 1)
    if not ran or good is None:
        return 0, 1
    return (good, ran) if good < ran else (good, ran + 1)
