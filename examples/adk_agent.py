"""Google ADK: pip install hardwon google-adk litellm"""

import asyncio

from google.adk.agents import LlmAgent
from google.adk.models.lite_llm import LiteLlm
from google.adk.runners import InMemoryRunner
from shell import TASK, bash

import hardwon
from hardwon.integrations.plain import as_tool, run


async def main() -> None:
    with hardwon.open() as hw, run(hw.agent("coder"), TASK) as current:
        agent = LlmAgent(
            name="coder",
            model=LiteLlm("openai/gpt-5-mini"),
            instruction=lambda _: current.context or "Be brief.",  # a text would be a template
            tools=[as_tool(current)(bash)],
        )
        await InMemoryRunner(agent, app_name="shop").run_debug(TASK)


asyncio.run(main())
