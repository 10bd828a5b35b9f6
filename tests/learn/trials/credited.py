"""Trials with steps."""

from __future__ import annotations

import hardwon
from hardwon.learn.trials.values import (
    Action,
    ActorOutput,
    Changes,
    EvaluatorOutput,
    Record,
    StructuredError,
)

EMPTY = StructuredError(
    "test_failure", "ZeroDivisionError: division by zero", "cart.py", 2, tool="pytest",
    test="test_empty",
)  # fmt: skip


MEAN = StructuredError(
    "test_failure", "assert 3 == 2", "cart.py", 4, tool="pytest", test="test_mean"
)


TAX = StructuredError(
    "test_failure", "KeyError: 'VAT'", "tax.py", 9, tool="pytest", test="test_tax"
)


DIFF = "diff --git a/cart.py b/cart.py\n@@ -1 +1 @@\n-    return None\n+    return 0.0\n"


def edit(path: str) -> Action:
    return Action("code_modification", f"changed {path} (+1 -1)", path, Changes(1, 1, DIFF))


def judged(reward: float, *errors: StructuredError) -> EvaluatorOutput:
    return EvaluatorOutput(False, "unit_tests", errors=errors, reward_signal=reward)


def reflections(
    coder: hardwon.Agent,
    *verdicts: EvaluatorOutput,
    actions: tuple[Action, ...] = (edit("docs.md"), edit("cart.py")),
) -> list[Record]:
    """The reflections of a loop that is judged like this."""
    given = iter(verdicts)
    done = coder.loops.run(
        "Write average()",
        actor=lambda prompt: ActorOutput(actions),
        evaluate=lambda said: next(given),
        max_trials=len(verdicts),
    )
    return list(coder.loops.reflections(done.loop_id))
