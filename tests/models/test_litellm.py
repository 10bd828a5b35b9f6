"""Models that litellm reaches."""

from __future__ import annotations

import pytest

from hardwon.core.errors import SetupError
from tests.models.asking import opened


def test_litellm_is_asked_for_by_name_only() -> None:
    with pytest.raises(SetupError, match="pip install litellm"):
        opened("litellm:x/y")
