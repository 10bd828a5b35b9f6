"""smolagents: pip install hardwon 'smolagents[openai]'"""

from shell import TASK, bash
from smolagents import OpenAIServerModel, ToolCallingAgent, tool

import hardwon
from hardwon.integrations.smolagents import Lessons

with hardwon.open() as hw:
    agent = ToolCallingAgent([tool(bash)], OpenAIServerModel("gpt-5-mini"), verbosity_level=0)
    print(Lessons(hw.agent("coder")).attach(agent).run(TASK))
