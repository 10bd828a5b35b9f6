"""Rules that judge how well a run went: its score, issues and pattern."""

from typing import NamedTuple

_SLOW, _MODERATE = 30.0, 10.0  # seconds
_MANY_TOOLS = 4
_RECURRING = 3  # runs of a kind that make a pattern
_LINE_LIMIT = 125
_OVERLAP = 0.25

_ADVICE = {
    "failure": "look at the error before the same tools are used again",
    "slow_execution": "split the work or do less of it",
    "instability": "find out why it has to be tried again",
    "retried": "expect it to need another try",
    "high_skill_count": "settle on fewer tools",
    "redundant_skills": "keep what a tool has already answered",
    "moderate_latency": "watch its time",
}


class FinishedRun(NamedTuple):
    """What is known of a run when it ends."""

    task: str
    tools: tuple[str, ...] = ()
    seconds: float = 0.0
    has_failed: bool = False
    retries: int = 0
    error: str = ""


class Judgement(NamedTuple):
    """The efficiency of a run in 0 … 1, and the issues that lowered it."""

    efficiency: float
    issues: tuple[str, ...]

    @property
    def suggestion(self) -> str:
        """What to do about the most serious issue."""
        return next((advice for issue, advice in _ADVICE.items() if issue in self.issues), "")


def judge(run: FinishedRun) -> Judgement:
    """The published score: points off for time, tools, failure and retries."""
    deductions: list[tuple[str, float]] = []
    if run.seconds > _MODERATE:
        is_slow = run.seconds > _SLOW
        deductions.append(("slow_execution", 0.30) if is_slow else ("moderate_latency", 0.10))
    different = len(set(run.tools))
    if different > _MANY_TOOLS:
        deductions.append(("high_skill_count", 0.10))
    elif len(run.tools) > 2 and different < len(run.tools):
        deductions.append(("redundant_skills", 0.05))
    if run.has_failed:
        deductions.append(("failure", 0.40))
    if run.retries > 2:
        deductions.append(("instability", 0.10 * min(run.retries, 3)))
    elif run.retries > 0:
        deductions.append(("retried", 0.05 * run.retries))
    score = max(0.0, 1.0 - sum(points for _, points in deductions))
    return Judgement(round(score, 2), tuple(issue for issue, _ in deductions))


def pattern_key(run: FinishedRun) -> str:
    """The name of runs of this kind: up to three tools, and how it ended."""
    tools = "+".join(sorted(set(run.tools))[:3]) or "no-tools"
    return f"{tools[:95]}:{'fail' if run.has_failed else 'ok'}"


def kind_of(run: FinishedRun, judgement: Judgement, times: int) -> str:
    """The kind of reflection: error, pattern, efficiency or optimization."""
    if run.has_failed:
        return "error"
    if is_recurring(times):
        return "pattern"
    return "efficiency" if judgement.efficiency < 0.8 else "optimization"


def is_recurring(times: int) -> bool:
    """Whether this many runs of a kind make a pattern."""
    return times >= _RECURRING


def insight(run: FinishedRun, judgement: Judgement) -> str:
    """One line for the agent."""
    tools = ", ".join(dict.fromkeys(run.tools)) or "no tools"
    ending = "failed" if run.has_failed else "worked"
    ending += f": {run.error}" if run.has_failed and run.error else ""
    issues = ", ".join(issue.replace("_", " ") for issue in judgement.issues if issue != "failure")
    return f"{tools} ({run.seconds:.0f} s) {ending}{f' [{issues}]' if issues else ''}"


def line(text: str, suggestion: str, *, is_again: bool) -> str:
    """The insight as a line of the block."""
    mark = "↻ " if is_again else ""
    rendered = f"• {mark}{text}{f' → {suggestion}' if suggestion else ''}"
    return rendered if len(rendered) <= _LINE_LIMIT else rendered[: _LINE_LIMIT - 1].rstrip() + "…"


def fits(query: set[str], words: set[str]) -> bool:
    """Whether a run matches a query: a quarter of the words in common."""
    return bool(query) and len(query & words) / max(len(query), len(words), 1) >= _OVERLAP
