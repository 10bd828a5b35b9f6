"""A tiny orchestrator that is reminded why a similar goal failed."""

import hardwon


class Orchestrator:
    on_goal_ended = None

    def pursue(self, goal_id, objective, **skills):
        done, error = [], ""
        for name, skill in skills.items():
            try:
                done.append({"name": name, "output": skill()})
            except ZeroDivisionError as problem:
                error = f"{name}: {problem}"
        state = "failed" if error else "completed"
        self.on_goal_ended(goal_id, objective, state, error, tasks=done)


with hardwon.open("memory:") as hw:
    planner, orchestrator = hw.agent("planner"), Orchestrator()
    hardwon.attach(orchestrator, planner)
    orchestrator.pursue("g1", "Compare the prices of rivals", mean=lambda: 1 / 0)
    hw.drain()
    print(planner.goals.context("g2", objective="Compare prices of a new rival"))
