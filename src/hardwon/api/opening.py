"""Open a hardwon on this machine or on a server."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, overload

from hardwon import api
from hardwon.core import _files
from hardwon.core.errors import InvalidInput
from hardwon.engine.runtime import MEMORY, settings_at, utc_now

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from hardwon.api import Hardwon
    from hardwon.api.client.remote import RemoteHardwon
    from hardwon.core.settings import Settings
    from hardwon.engine.runtime import Answerer
    from hardwon.storage.ports import Embedder, Model

_SERVERS = ("http://", "https://")


@overload
def open(
    target: str,
    *,
    key: str,
    settings: Settings | None = ...,
    clock: Callable[[], datetime] = ...,
) -> RemoteHardwon: ...


@overload
def open(
    target: str | os.PathLike[str] | None = ...,
    *,
    settings: Settings | None = ...,
    model: Model | Answerer | str | None = ...,
    embedder: Embedder | None = ...,
    work: bool = ...,
    clock: Callable[[], datetime] = ...,
) -> Hardwon: ...


def open(
    target: str | os.PathLike[str] | None = None,
    *,
    key: str | None = None,
    settings: Settings | None = None,
    model: Model | Answerer | str | None = None,
    embedder: Embedder | None = None,
    work: bool = False,
    clock: Callable[[], datetime] = utc_now,
) -> Hardwon | RemoteHardwon:
    """A hardwon at `target`: nothing (`~/.hardwon`), a directory, `memory:`, or a URL.

    After `hardwon login` it is that server: a `RemoteHardwon`, which has the verbs that can be done
    over the network. `postgresql://…` is a database that many machines share; `https://…` is a
    server of hardwon and needs a `key`. A `model` (a name, a function or an object) and an
    `embedder` of yours are used instead of the ones set in `model.name` and `recall.embedder`.
    With `work` a thread of this process works the queue until `close`.
    """
    place = os.fspath(target) if target is not None else ""
    if not place.startswith(_SERVERS):
        is_local = place == MEMORY or _files.is_database(place)
        settings = settings or settings_at(place, None)
        if settings.server.url and not (is_local or settings.is_for_hooks):
            from hardwon.api.client import remote

            return remote.log_in(settings, clock=clock)
        return api.open(
            target, settings=settings, model=model, embedder=embedder, work=work, clock=clock
        )
    if model is not None or embedder is not None or work:
        raise InvalidInput("models, embedders and workers are set where the server runs")
    from hardwon.api.client import remote  # loads http, which others do not need

    return remote.connect(place, key=key, settings=settings, clock=clock)
