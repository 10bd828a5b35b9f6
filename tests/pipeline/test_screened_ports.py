"""No value passes a port with a secret in it, however deep it lies."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from typing import Any

import pytest

from hardwon.core.text.secrets import Screened
from hardwon.core.values.run import Step
from hardwon.core.values.scope import Scope
from hardwon.engine.pipeline.screen import (
    ScreenedModel,
    screen_value,
    screened_queue,
    screened_run,
    screened_store,
)
from hardwon.models.scripted import Scripted
from hardwon.storage.ports import Request
from hardwon.storage.queues.memory import MemoryQueue
from hardwon.storage.stores.sqlite import MemoryStore
from tests.samples import CODER, NOW, job, lesson

SECRET = "ghp_" + "a1B2c3D4e5" * 4
HIDDEN = f"use {SECRET} now"


@pytest.mark.parametrize(
    "value",
    [
        HIDDEN,
        [HIDDEN],
        (1, (HIDDEN,)),
        {"a": {"b": [HIDDEN]}},
        {HIDDEN: 1},
        Step("bash", HIDDEN),
        [Step("bash", "x", HIDDEN), 3],
    ],
    ids=["text", "list", "tuples", "dicts", "a key", "a value of ours", "values in a list"],
)
def test_a_secret_goes_wherever_it_lies(value: object) -> None:
    clean = screen_value(value)

    assert SECRET not in repr(clean)
    assert isinstance(clean, type(value))


@pytest.mark.parametrize("value", ["plain", ["plain"], {"a": ("plain",)}, CODER, 3, None])
def test_a_value_without_secrets_stays_the_same_object(value: object) -> None:
    assert screen_value(value) is value


def test_what_was_screened_before_is_not_looked_at_again() -> None:
    seen = Screened(HIDDEN)

    assert screen_value(seen) is seen
    assert screen_value([seen])[0] is seen


def test_a_text_that_passed_once_still_hides_nothing_beside_a_secret() -> None:
    assert screen_value(("plain",)) == ("plain",)

    assert SECRET not in repr(screen_value(("plain", HIDDEN)))
    assert SECRET not in repr(screen_value(("plain", HIDDEN)))


@pytest.mark.parametrize("text", ["password=hunter2", "password=hunter2abcde"])
def test_a_secret_as_long_as_a_digest_goes(text: str) -> None:
    assert screen_value(text) == "password=[REDACTED:password]"
    assert screen_value([text]) == ["password=[REDACTED:password]"]


def test_no_rule_is_read_for_our_own_digests() -> None:
    code = (
        "import sys\nfrom hardwon.engine.pipeline.screen import screen_value\n"
        "screen_value('da68aa855f4beee4')\nscreen_value(['mined:da68aa855f4beee4', 'bash'])\n"
        "print('hardwon.core.text.redact' in sys.modules)\n"
        "screen_value('a long word: da68aa855f4beee4g')\n"
        "print('hardwon.core.text.redact' in sys.modules)"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert told.stdout.split() == ["False", "True"]


def test_the_names_of_a_scope_stay_as_they_are() -> None:
    scope = Scope("t", SECRET, None)

    assert screen_value([scope, "plain"])[0] == scope
    assert screen_value([scope, HIDDEN])[0] == scope


def test_all_that_is_written_to_a_store_or_a_queue_is_screened() -> None:
    store, queue = MemoryStore(), MemoryQueue()
    kept = screened_store(store).lessons.add(lesson(HIDDEN))
    screened_queue(queue).put(job(HIDDEN))
    claimed = screened_queue(queue).claim(NOW)

    assert SECRET not in repr(screened_store(store).lessons.get(CODER, kept.id))
    assert claimed
    assert SECRET not in repr(claimed.episode)


def test_a_method_that_reads_gets_its_values_as_they_are() -> None:
    class Port:
        def record(self, *values: object, **more: object) -> object:
            return values, more

        look = record

    run: Any = screened_run(Port())  # type: ignore[arg-type]

    assert SECRET not in repr(run.record(HIDDEN, note=HIDDEN))
    assert SECRET in repr(run.look(HIDDEN))


def test_a_model_is_asked_without_secrets() -> None:
    model = Scripted(["fine"])
    screened_model = ScreenedModel(model)
    asyncio.run(screened_model.complete(Request("s", HIDDEN)))

    assert screened_model.name == "scripted"
    assert SECRET not in repr(model.requests)
