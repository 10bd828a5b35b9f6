"""Loops, and those who act in them."""

from __future__ import annotations

TASK = "Say the answer to everything"


def reads_the_prompt(prompt: str) -> str:
    """Knows the answer only when the prompt says it."""
    return "42" if "want 42" in prompt else "41"


def wants_42(answer: str) -> object:
    return True if answer == "42" else f"want 42, got {answer}"
