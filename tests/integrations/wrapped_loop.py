"""Run by the interpreter that has the libraries: one run of a plain loop over a wrapped client.

    python wrapped_loop.py LOOP ADDRESS [read]

Prints the commands that it ran, one on a line.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
from collections.abc import Callable
from importlib import import_module
from typing import Any

import hardwon

TASK = "Make the folder for the nightly report"
SCHEMA = {"type": "object", "properties": {"command": {"type": "string"}}}


def bash(command: str) -> str:
    print(command)
    ran = subprocess.run(command, shell=True, capture_output=True, text=True)
    return f"Exit code {ran.returncode}\n{ran.stderr}" if ran.returncode else ran.stdout


def chat(client: Any) -> None:
    function = {"name": "bash", "parameters": SCHEMA}
    messages: list[Any] = [{"role": "user", "content": TASK}]
    while True:
        response = client.chat.completions.create(
            model="m", messages=messages, tools=[{"type": "function", "function": function}]
        )
        message = response.choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return
        for call in message.tool_calls:
            output = bash(**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": output})


async def achat(client: Any) -> None:
    function = {"name": "bash", "parameters": SCHEMA}
    messages: list[Any] = [{"role": "system", "content": "Be brief."}]
    messages.append({"role": "user", "content": TASK})
    while True:
        response = await client.chat.completions.create(
            model="m", messages=messages, tools=[{"type": "function", "function": function}]
        )
        message = response.choices[0].message
        messages.append(message.model_dump(exclude_none=True))
        if not message.tool_calls:
            return
        for call in message.tool_calls:
            output = bash(**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": output})


def responses(client: Any) -> None:
    tools = [{"type": "function", "name": "bash", "parameters": SCHEMA}]
    given: list[Any] = [{"role": "user", "content": TASK}]
    while True:
        response = client.responses.create(model="m", input=given, tools=tools)
        given += response.output
        calls = [item for item in response.output if item.type == "function_call"]
        if not calls:
            return
        for call in calls:
            output = bash(**json.loads(call.arguments))
            given.append(
                {"type": "function_call_output", "call_id": call.call_id, "output": output}
            )


def messages(client: Any) -> None:
    tools = [{"name": "bash", "input_schema": SCHEMA}]
    turns: list[Any] = [{"role": "user", "content": TASK}]
    while True:
        response = client.messages.create(model="m", max_tokens=99, messages=turns, tools=tools)
        turns.append({"role": "assistant", "content": response.content})
        calls = [block for block in response.content if block.type == "tool_use"]
        if not calls:
            return
        results = [
            {"type": "tool_result", "tool_use_id": call.id, "content": bash(**call.input)}
            for call in calls
        ]
        turns.append({"role": "user", "content": results})


async def amessages(client: Any) -> None:
    tools = [{"name": "bash", "input_schema": SCHEMA}]
    turns: list[Any] = [{"role": "user", "content": TASK}]
    while True:
        async with client.messages.stream(
            model="m", max_tokens=99, messages=turns, tools=tools
        ) as stream:
            response = await stream.get_final_message()
        turns.append({"role": "assistant", "content": response.content})
        calls = [block for block in response.content if block.type == "tool_use"]
        if not calls:
            return
        results = [
            {"type": "tool_result", "tool_use_id": call.id, "content": bash(**call.input)}
            for call in calls
        ]
        turns.append({"role": "user", "content": results})


LOOPS: dict[str, tuple[str, str, Callable[[Any], Any]]] = {
    "chat": ("openai", "OpenAI", chat),
    "achat": ("openai", "AsyncOpenAI", achat),
    "responses": ("openai", "OpenAI", responses),
    "messages": ("anthropic", "Anthropic", messages),
    "amessages": ("anthropic", "AsyncAnthropic", amessages),
}


def main(loop: str, address: str, *how: str) -> None:
    """Run one loop."""
    library, name, run = LOOPS[loop]
    base = f"{address}/v1" if library == "openai" else address
    made = getattr(import_module(library), name)(base_url=base, api_key="k", max_retries=0)
    client = hardwon.wrap(made, "coder", read="read" in how)
    done = run(client)
    if done is not None:
        asyncio.run(done)
    with hardwon.open() as hw:  # reading goes on in the background
        while how and hw.queue.waiting():
            time.sleep(0.05)


if __name__ == "__main__":
    main(*sys.argv[1:])
