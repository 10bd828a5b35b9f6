"""Commands, functions, scripts and names as models."""

from __future__ import annotations

from hardwon.models import open_model
from tests.models.asking import LIMIT


def test_without_a_name_the_first_key_given_to_us_decides_else_rules() -> None:
    def by_default(*preferred: str) -> str:
        return open_model("", keys={"openai": "k"}, preferred=preferred, timeout=LIMIT).name

    assert by_default() == "rules"
    assert by_default("openai", "anthropic").startswith("anthropic:")
    assert by_default("openai").startswith("openai:")
