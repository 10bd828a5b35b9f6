"""AutoGen: pip install hardwon autogen-agentchat 'autogen-ext[openai]'"""

import asyncio

from autogen_agentchat.agents import AssistantAgent
from autogen_ext.models.openai import OpenAIChatCompletionClient
from shell import TASK, bash

import hardwon
from hardwon.integrations.plain import as_tool, run


async def main() -> None:
    with hardwon.open() as hw, run(hw.agent("coder"), TASK) as current:
        agent = AssistantAgent(
            "coder",
            OpenAIChatCompletionClient(model="gpt-5-mini"),
            tools=[as_tool(current)(bash)],
            system_message=current.context or "Be brief.",
            max_tool_iterations=10,
        )
        print((await agent.run(task=TASK)).messages[-1].to_text())


asyncio.run(main())
