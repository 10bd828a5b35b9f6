"""OpenAI Agents SDK: pip install hardwon openai-agents"""

from agents import Agent, OpenAIChatCompletionsModel, Runner
from openai import AsyncOpenAI
from shell import TASK, bash

import hardwon
from hardwon.integrations.openai_agents import Lessons

with hardwon.open() as hw:
    lessons = Lessons(hw.agent("coder"))
    agent = Agent(
        name="coder",
        model=OpenAIChatCompletionsModel("gpt-5-mini", AsyncOpenAI()),
        tools=[lessons.tool(bash)],
    )
    config = lessons.config(tracing_disabled=True)
    print(Runner.run_sync(agent, TASK, hooks=lessons, run_config=config).final_output)
