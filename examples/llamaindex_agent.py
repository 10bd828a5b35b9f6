"""LlamaIndex: pip install hardwon llama-index-core llama-index-llms-openai-like"""

import asyncio
import os

from llama_index.core.agent.workflow import FunctionAgent
from llama_index.llms.openai_like import OpenAILike
from shell import TASK, bash

import hardwon
from hardwon.integrations.plain import as_tool, run


async def main() -> None:
    model = OpenAILike(
        model="gpt-5-mini",
        api_base=os.environ["OPENAI_BASE_URL"],
        is_chat_model=True,
        is_function_calling_model=True,
    )
    with hardwon.open() as hw, run(hw.agent("coder"), TASK) as current:
        tools = [as_tool(current)(bash)]
        agent = FunctionAgent(llm=model, tools=tools, system_prompt=current.context or "Be brief.")
        print(await agent.run(TASK))


asyncio.run(main())
