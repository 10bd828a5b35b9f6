"""The same face, here and on a server: what holds for one holds for the other."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

import hardwon
from hardwon.api.client.agent import RemoteAgent
from hardwon.api.client.lessons import RemoteLessons
from hardwon.api.client.opening import RemoteHardwon
from hardwon.core.errors import InvalidInput
from tests.client.faces import on_a_server


def test_an_untried_verb_says_where_it_is_done(tmp_path: Path) -> None:
    with on_a_server(tmp_path) as face:
        for verb in (face.hw.drain, face.hw.check, lambda: face.hw.agent("a").answers.imagine("q")):
            with pytest.raises(InvalidInput, match="where the server runs"):
                verb()
        with pytest.raises(InvalidInput, match="key decides"):
            face.hw.agent("a", tenant="other")


def signatures(kind: type) -> dict[str, object]:
    members = inspect.getmembers(kind, inspect.isfunction)
    return {name: inspect.signature(one) for name, one in members if not name.startswith("_")}


@pytest.mark.parametrize(
    ("remote", "local"),
    [
        (RemoteHardwon, hardwon.Hardwon),
        (RemoteAgent, hardwon.Agent),
        (RemoteLessons, type(hardwon.open("memory:").agent("a").lessons)),
    ],
)
def test_every_verb_takes_the_same(remote: type, local: type) -> None:
    there, own = signatures(remote), signatures(local)

    differing = [name for name, one in own.items() if _arguments(one) != _arguments(there[name])]

    assert differing == []


def _arguments(signature: object) -> list[str]:
    assert isinstance(signature, inspect.Signature)
    return [f"{one.kind} {one.name}: {one.annotation}" for one in signature.parameters.values()]
