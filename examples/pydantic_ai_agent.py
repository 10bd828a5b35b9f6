"""Pydantic AI: pip install hardwon 'pydantic-ai-slim[openai]'"""

from pydantic_ai import Agent, ModelRetry
from shell import TASK, bash

import hardwon
from hardwon.integrations.pydantic_ai import Lessons

with hardwon.open() as hw:
    agent = Agent("openai-chat:gpt-5-mini", capabilities=[Lessons(hw.agent("coder"))], retries=3)

    @agent.tool_plain(name="bash")
    def run(command: str) -> str:
        """Run a shell command."""
        try:
            return bash(command)
        except RuntimeError as error:
            raise ModelRetry(str(error)) from error

    print(agent.run_sync(TASK).output)
