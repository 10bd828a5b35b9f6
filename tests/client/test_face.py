"""The same face, here and on a server: what holds for one holds for the other."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

import hardwon
from hardwon.api.client.handles import RemoteLessons, RemotePlaybook
from hardwon.api.client.remote import RemoteAgent, RemoteHardwon
from hardwon.core.errors import InvalidInput
from tests.client.faces import on_a_server


def test_a_verb_that_a_server_cannot_do_is_missing_and_says_so(tmp_path: Path) -> None:
    with on_a_server(tmp_path) as face:
        for handle, verb in (
            (face.hw, "drain"),
            (face.hw, "check"),
            (face.hw.agent("a"), "answers"),
        ):
            assert not hasattr(handle, verb)
            with pytest.raises(InvalidInput, match="where the server runs"):
                getattr(handle, verb)
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
        (RemotePlaybook, type(hardwon.open("memory:").agent("a").playbook)),
    ],
)
def test_every_verb_takes_the_same(remote: type, local: type) -> None:
    there, own = signatures(remote), signatures(local)

    shared = own.keys() & there.keys()
    differing = [name for name in shared if _arguments(own[name]) != _arguments(there[name])]

    assert shared
    assert differing == []


def _arguments(signature: object) -> list[str]:
    assert isinstance(signature, inspect.Signature)
    return [f"{one.kind} {one.name}: {one.annotation}" for one in signature.parameters.values()]
