"""Run by the interpreter that has the libraries: one job, its model a function that calls one.

    python sdk_models.py LIBRARY ADDRESS HOME

Prints what became of the job, as JSON.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

import hardwon

LIMIT = 0.5  # seconds that a library waits for an answer
ASKED = [{"role": "user", "content": "what is to be learnt?"}]


def by_openai(address: str) -> Callable[[Any], str]:
    openai = import_module("openai")
    client = openai.OpenAI(base_url=address, api_key="k", max_retries=0, timeout=LIMIT)
    return lambda asked: str(client.chat.completions.create(model="m", messages=ASKED))


def by_openai_async(address: str) -> Callable[[Any], Any]:
    openai = import_module("openai")

    async def answer(asked: Any) -> str:
        client = openai.AsyncOpenAI(base_url=address, api_key="k", max_retries=0, timeout=LIMIT)
        return str(await client.chat.completions.create(model="m", messages=ASKED))

    return answer


def by_anthropic(address: str) -> Callable[[Any], str]:
    anthropic = import_module("anthropic")
    client = anthropic.Anthropic(base_url=address, api_key="k", max_retries=0, timeout=LIMIT)
    return lambda asked: str(client.messages.create(model="m", max_tokens=9, messages=ASKED))


def by_httpx(address: str) -> Callable[[Any], str]:
    httpx = import_module("httpx")

    def answer(asked: Any) -> str:
        reply = httpx.post(address, json={}, timeout=LIMIT)
        return str(reply.raise_for_status().text)

    return answer


LIBRARIES = {
    "openai": by_openai,
    "openai-async": by_openai_async,
    "anthropic": by_anthropic,
    "httpx": by_httpx,
}


def main(library: str, address: str, home: str) -> None:
    """Work one job and say how it stands."""
    with hardwon.open(home, model=LIBRARIES[library](address)) as hw:
        hw.agent("coder").after_run(task="t", error="e")
        hw.drain()
        waiting, dead = hw.queue.waiting(), hw.queue.dead()
        wait = (waiting[0].due - waiting[0].enqueued_at).total_seconds() if waiting else 0
    error = (waiting or dead)[0].last_error
    print(json.dumps({"waiting": len(waiting), "dead": len(dead), "error": error, "wait": wait}))


if __name__ == "__main__":
    main(*sys.argv[1:])
