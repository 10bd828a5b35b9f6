"""The values of a page, and jobs that end as dead letters."""

from __future__ import annotations

import json
from typing import Any

import hardwon
from hardwon.core.errors import PermanentError
from hardwon.storage.ports import Request
from tests.surfaces.serve.pages.stocked import Reader


def values(reader: Reader, path: str) -> Any:
    return json.loads(reader.get(path))


def fail_for_good(request: Request) -> str:
    """A model that can never answer."""
    raise PermanentError("there is no such model")


def bury(home: str, *tasks: str, tenant: str = "default") -> None:
    """Dead letters of these tasks."""
    with hardwon.open(home, model=fail_for_good) as hw:
        hw.drain()
        for task in tasks:
            hw.agent("coder", tenant=tenant).after_run(task=task, error=f"{task} did not work")
        hw.drain()
