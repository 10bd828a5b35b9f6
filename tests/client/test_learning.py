"""Goals, runs and dreams through a client, as without one."""

from __future__ import annotations

import pytest

from hardwon.core.errors import NotFound
from tests.client.faces import Face


@pytest.mark.parametrize("name", ["no such", "a/b", "a?b", "é"])
def test_a_dream_that_is_not_there_is_not_found(face: Face, name: str) -> None:
    dreams = face.hw.agent("coder").dreams

    for verb in (dreams.get, dreams.changes, dreams.undo):
        with pytest.raises(NotFound):
            verb(name)
