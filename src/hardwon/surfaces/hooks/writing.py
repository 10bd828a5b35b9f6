"""Ask an agent before it ends to write down what it found out, and recognise its answer."""

from __future__ import annotations

import os
import shlex
import sys
from typing import TYPE_CHECKING

from hardwon.core import _isolation
from hardwon.core.errors import HardwonError
from hardwon.engine.runtime import prompt_text
from hardwon.knowledge.reading.call_keys import canonical

if TYPE_CHECKING:
    from hardwon.api import Agent
    from hardwon.surfaces.hooks.events import Event

_SHELL = "Bash"  # only Claude Code takes a permission from a hook
_PLAIN = {"command", "description", "timeout"}
_MCP_TOOL = "playbook_add"
_ANSWERED = "answered about items"  # the mark of a run
_TASK = "playbook add"
_WHOLE = 8192  # characters of a call; a longer one may have been cut when it was read


def request(agent: Agent, event: Event) -> str:
    """The words that make the agent go on and write its items; "" if it may end.

    Items that it wrote into its last words, as it could not call hardwon, are added.
    """
    run, playbook = agent.run, agent.playbook
    if not playbook.was_asked:
        is_due = event.can_be_asked and not event.is_nested
        return playbook.request(_program(event)) if is_due else ""
    if _ANSWERED not in run.so_far().counted:
        run.note_marks([_ANSWERED])
        _add_said(agent, event.text)
    return ""


def is_request(prompt: str) -> bool:
    """Whether a prompt is our own request, not the person's words."""
    return prompt_text("ask").partition("\n")[0] in prompt


def is_ours(agent: Agent, event: Event) -> bool:
    """Whether a call writes items down."""
    if event.tool.endswith(_MCP_TOOL):
        return True
    call = canonical(event.args)
    return _TASK in call and agent.run.name in call


def is_allowed(agent: Agent, event: Event) -> bool:
    """Whether a call is exactly the one that we asked for, and so needs no permission.

    What the agent adds to it is data: lines of a quoted block that ends where the command ends.
    """
    args = event.args if isinstance(event.args, dict) else {}
    command = args.get("command")
    if not isinstance(command, str) or len(command) > _WHOLE or not event.takes_permission:
        return False
    if event.tool != _SHELL or args.keys() - _PLAIN:
        return False  # another tool, or an option of this one, may do more than the command says
    first, *items = command.rstrip("\n").split("\n")
    is_closed = items[-1:] == ["END"] and items.count("END") == 1
    asked = f"{agent.playbook.command(_program(event))} <<'END'"
    is_text = all(line.replace("\t", " ").isprintable() for line in items)  # no NUL in an "END"
    return first == asked and is_closed and is_text and agent.playbook.was_asked


def _add_said(agent: Agent, text: str) -> None:
    """Add the items in the agent's last words, if there are any."""
    try:
        agent.playbook.add(text)
    except HardwonError:  # it said nothing about items, or has added them
        return


def _program(event: Event) -> str:
    """How the agent's shell calls hardwon.

    Where we give the permission it is the program of this hook, whatever else has its name on the
    PATH. Others ask the person, and some of them also about each path: there it is the name.
    """
    import shutil  # it takes long to import, and few sessions are asked

    script = os.path.join(os.path.dirname(sys.executable), "hardwon")
    if event.takes_permission and os.access(script, os.X_OK):
        return shlex.quote(script)
    is_found = not event.takes_permission and shutil.which("hardwon")
    return "hardwon" if is_found else shlex.join(_isolation.command())
