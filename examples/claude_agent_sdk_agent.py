"""Claude Agent SDK: pip install hardwon claude-agent-sdk"""

import asyncio

from claude_agent_sdk import ClaudeAgentOptions, ResultMessage, query
from shell import TASK

import hardwon
from hardwon.integrations.claude_agent_sdk import hooks


async def main() -> None:
    with hardwon.open() as hw:
        options = ClaudeAgentOptions(
            hooks=hooks(hw.agent("coder")), permission_mode="bypassPermissions"
        )
        async for message in query(prompt=TASK, options=options):
            if isinstance(message, ResultMessage):
                print(message.result)


asyncio.run(main())
