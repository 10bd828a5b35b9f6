"""No test of the server leaves a worker behind."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True, scope="package")
def no_worker() -> Iterator[None]:
    """A run that ends starts no worker; `/v1/queue/wake` has a test of its own."""
    os.environ["HARDWON_HOOKS_WAKE"] = "false"
    yield
    del os.environ["HARDWON_HOOKS_WAKE"]
