"""Microsoft Agent Framework: pip install hardwon agent-framework-core agent-framework-openai"""

import asyncio

from agent_framework import Agent
from agent_framework.openai import OpenAIChatCompletionClient
from shell import TASK, bash

import hardwon
from hardwon.integrations.plain import as_tool, run


async def main() -> None:
    with hardwon.open() as hw, run(hw.agent("coder"), TASK) as current:
        agent = Agent(
            OpenAIChatCompletionClient("gpt-5-mini"),
            instructions=current.context or "Be brief.",
            tools=[as_tool(current)(bash)],
        )
        print(await agent.run(TASK))


asyncio.run(main())
