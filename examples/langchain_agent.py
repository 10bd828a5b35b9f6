"""LangChain: pip install hardwon langchain langchain-openai"""

from langchain.agents import create_agent
from langchain.agents.middleware import ToolRetryMiddleware
from langchain_core.tools import tool
from shell import TASK, bash

import hardwon
from hardwon.integrations.langchain import Lessons

with hardwon.open() as hw:
    agent = create_agent(
        "openai:gpt-5-mini",
        [tool(bash)],
        # Inside: errors become messages. Outside: lessons see them.
        middleware=[Lessons(hw.agent("coder")), ToolRetryMiddleware(max_retries=0)],
    )
    answer = agent.invoke({"messages": [{"role": "user", "content": TASK}]})
    print(answer["messages"][-1].content)
