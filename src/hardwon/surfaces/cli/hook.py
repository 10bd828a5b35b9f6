"""`hardwon hook`: the help text only; `hardwon.__main__` runs the hook without importing this."""

from __future__ import annotations

import click


@click.command("hook")
@click.argument("agent")
@click.argument("event", required=False)
def hook_command(agent: str, event: str | None) -> None:
    """Answer one event of a coding agent, read as JSON from standard input.

    AGENT is claude-code, codex, gemini, copilot, opencode, cline, qwen or cursor; EVENT is needed
    only for an agent that does not name it in the JSON. `hardwon install AGENT` sets this up.

    A hook never fails: after any error the exit code is 0, nothing is printed, and
    $HARDWON_HOME/hook.log has one line about it.
    """
