"""CrewAI: pip install hardwon crewai"""

from crewai import Agent, Crew, Task
from crewai.tools import tool
from shell import TASK, bash

import hardwon
from hardwon.integrations.crewai import watching

coder = Agent(
    role="coder",
    goal="get it done",
    backstory="careful",
    tools=[tool(bash)],
    llm="openai/gpt-5-mini",
    max_iter=5,
)
crew = Crew(agents=[coder], tasks=[Task(description=TASK, expected_output="done", agent=coder)])
with hardwon.open() as hw, watching(hw.agent("coder"), TASK):
    print(crew.kickoff())
