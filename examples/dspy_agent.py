"""DSPy: pip install hardwon dspy"""

import dspy
from shell import TASK, bash

import hardwon
from hardwon.integrations.plain import as_tool, run

dspy.configure(lm=dspy.LM("openai/gpt-5-mini", cache=False))
with hardwon.open() as hw, run(hw.agent("coder"), TASK) as current:
    signature = dspy.Signature("task -> answer", current.context or "Do the task.")
    agent = dspy.ReAct(signature, tools=[as_tool(current)(bash)], max_iters=5)
    print(agent(task=TASK).answer)
