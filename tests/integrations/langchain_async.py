"""The LangChain example for asyncio, run by test_frameworks in the framework's environment."""

import asyncio

from langchain.agents import create_agent
from langchain.agents.middleware import ToolRetryMiddleware
from langchain_core.tools import tool
from shell import TASK, bash  # type: ignore[import-not-found] # of examples

import hardwon
from hardwon.integrations.langchain import Lessons


async def main() -> None:
    with hardwon.open() as hw:
        inside = ToolRetryMiddleware(max_retries=0)
        middleware = [Lessons(hw.agent("coder")), inside]
        agent = create_agent("openai:gpt-5-mini", [tool(bash)], middleware=middleware)
        await agent.ainvoke({"messages": [{"role": "user", "content": TASK}]})


asyncio.run(main())
