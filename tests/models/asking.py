"""How models are asked."""

from __future__ import annotations

import asyncio
from datetime import timedelta

from hardwon.models import open_model
from hardwon.storage.ports import Model, Reply, Request

ASKED = Request("the rules", "the question")


LIMIT = timedelta(seconds=20)


def opened(name: str, timeout: timedelta = LIMIT, **keys: str) -> Model:
    return open_model(name, keys=keys, timeout=timeout)


def ask(model: Model) -> Reply:
    return asyncio.run(model.complete(ASKED))
