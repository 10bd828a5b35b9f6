"""The same face, here and on a server."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import hardwon
from hardwon.api.client.remote import RemoteAgent, RemoteHardwon, connect
from hardwon.core.settings import load
from tests.surfaces.serve.served import served

MKDIR = {"command": "mkdir out/nightly"}


MKDIR_ERROR = "mkdir: cannot create directory 'out/nightly': No such file or directory"


class Face(NamedTuple):
    """A hardwon to use, and how its queue is worked."""

    hw: hardwon.Hardwon | RemoteHardwon
    work: Callable[[], object]


@contextmanager
def here(folder: Path) -> Iterator[Face]:
    with hardwon.open(folder / "home") as hw:
        yield Face(hw, hw.drain)


@contextmanager
def on_a_server(folder: Path) -> Iterator[Face]:
    with served(folder / "server") as server:
        settings = load(str(folder / "client"))
        with connect(server.service.url, key=server.key(), settings=settings, patience=30) as hw:

            def work() -> None:
                hw.send()
                server.hw.drain()

            yield Face(hw, work)


def fail_at_the_nightly_folder(coder: hardwon.Agent | RemoteAgent) -> hardwon.Job | None:
    coder.after_action("bash", MKDIR, output=MKDIR_ERROR, failed=True)
    coder.after_action("bash", {"command": "mkdir -p out/nightly"})
    return coder.after_run(task="Make the folder for the nightly report", error=MKDIR_ERROR)
