"""Answer an event: each kind of event is one verb of the public API.

Before an agent ends it may be asked to write down what it found out; its answer is recognised.
"""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Sequence
from contextlib import suppress

from hardwon.api import Agent, Hardwon
from hardwon.core import _isolation
from hardwon.core.errors import HardwonError
from hardwon.core.text.clean import one_line
from hardwon.core.values.delivery import Injection
from hardwon.core.values.job import Job
from hardwon.core.values.lesson import Lesson
from hardwon.core.values.run import ASKED
from hardwon.engine import trust
from hardwon.engine.runtime import prompt_text
from hardwon.knowledge.reading.call_keys import canonical
from hardwon.knowledge.reading.mined_lesson import fixes_to_show, learnt_line
from hardwon.surfaces.hooks.agents import SILENCE, Event, EventKind, HookReply

_AGAIN = {"resume", "clear", "compact"}  # why a session starts once more, without its context
_ASKING = {EventKind.PROMPT, EventKind.BEFORE}
_SAID = "said in the turn of"
_TASK = 80  # characters that identify a turn
_LINE = 100  # characters of a lesson in the line for the person
CONTEXT_LIMIT = 8000  # characters; Claude Code cuts above 10,000
_SHELL = "Bash"  # only Claude Code takes a permission from a hook
_PLAIN = {"command", "description", "timeout"}
_MCP_TOOL = "playbook_add"
_ANSWERED = "answered about items"  # the mark of a run
_COMMAND = "playbook add"
_WHOLE = 8192  # characters of a call; a longer one may have been cut when it was read


def respond(event: Event, hw: Hardwon, program: str = "") -> HookReply:
    """Record the event of a program; the reply to the agent."""
    default_scope = hw.settings.scope
    project = default_scope.project or trust.project_for(
        event.cwd, hw.settings.home, tenant=default_scope.tenant
    )
    is_mute = event.is_nested and not hw.settings.hooks.subagents
    # What a muted sub-agent asks must not count as shown in the conversation.
    run = f"{event.session}/nested" if is_mute and event.kind in _ASKING else event.session
    agent = hw.agent(default_scope.agent, project=project, tenant=default_scope.tenant, run=run)
    agent.program = program.partition("-")[0]  # as its past sessions name it
    reply: HookReply = getattr(_Conversation(hw, agent), event.kind)(event)
    if is_mute:
        return HookReply(denial=reply.denial)  # guards apply to everybody
    return reply if len(reply.context) <= CONTEXT_LIMIT else SILENCE  # half a block would be worse


class _Conversation:
    """One method for each kind of event."""

    def __init__(self, hw: Hardwon, agent: Agent) -> None:
        self._hw = hw
        self._agent = agent

    def session_start(self, event: Event) -> HookReply:
        from hardwon.learn import lessons_folder

        scope, settings = self._agent.scope, self._hw.settings
        # The lessons of the repository; beside a server's, they stay on this machine.
        if folder := lessons_folder.trusted_folder(event.cwd, settings.home, scope):
            with suppress(HardwonError, OSError):  # the session begins all the same
                lessons_folder.read(self._agent.lessons, scope, folder, is_copy=settings.is_on_copy)
        injection = self._agent.start(again=event.text in _AGAIN)
        if settings.hooks.wake and settings.remote:
            self._hw.wake()  # updates the copy of the server's lessons meanwhile
        return self._reply(injection)

    def prompt(self, event: Event) -> HookReply:
        if self._asks and prompt_text("ask").partition("\n")[0] in event.text:
            return SILENCE  # some agents report what a hook said, our own request, as a prompt
        self._capture("")  # an interrupted run has no stop event
        return self._reply(self._agent.before_turn(event.text))

    def before_action(self, event: Event) -> HookReply:
        if self._asks and _is_call_we_asked_for(self._agent, event):
            return HookReply(is_allowed=True)
        injection = self._agent.before_action(event.tool, event.args)
        if injection.denied:
            return HookReply(denial=injection.text, note=self._note(injection))
        return self._reply(injection)

    def action_failed(self, event: Event) -> HookReply:
        if self._asks and _writes_items(self._agent, event):
            return SILENCE  # no step of the work
        has_failed = event.kind == EventKind.FAILED
        return self._reply(
            self._agent.after_action(event.tool, event.args, output=event.output, failed=has_failed)
        )

    action_worked = action_failed

    def batch(self, event: Event) -> HookReply:
        return SILENCE  # each call of the batch had its own event and answer

    compaction = batch  # Gemini CLI sends this before every request; the run continues

    def stop(self, event: Event) -> HookReply:
        if self._asks and (words := _request_items(self._agent, event)):
            return HookReply(request=words)  # the run goes on
        self._capture(event.text)
        return SILENCE

    def session_end(self, event: Event) -> HookReply:
        self._capture(event.text)
        self._wake(self._agent.end_run())
        return SILENCE

    def _reply(self, injection: Injection) -> HookReply:
        """The reply with the lessons and a line for the person."""
        return HookReply(injection.text, note=self._note(injection))

    def _note(self, injection: Injection) -> str:
        """A line on what was learnt or shown; once a turn, and only if the setting is on."""
        line = injection.learnt or _describe(injection.lessons)
        if not line or not self._hw.settings.hooks.say:
            return ""
        run = self._agent.run
        past = run.so_far()
        mark = f"{_SAID} {past.task[:_TASK]}"
        if mark in past.counted:
            return ""
        try:
            run.note_marks([mark])
        except HardwonError:  # the home cannot be written: the line would come at every event
            return ""
        return f"hardwon: {line}"

    @property
    def _asks(self) -> bool:
        return self._hw.settings.hooks.ask

    def _capture(self, attempt: str) -> None:
        """Queue the run if something failed in it, and make sure a worker is running."""
        run = self._agent.run
        past = run.so_far()
        if not past.last_error:
            return
        task = past.task or "(unknown task)"
        job = self._agent.after_run(task=task, attempt=attempt, error=past.last_error)
        run.note_shown(past.told)  # the conversation continues and still contains these
        run.note_marks(past.counted & {ASKED})
        self._wake(job)

    def _wake(self, job: Job | None) -> None:
        """Make sure a worker is running if there is a job."""
        if (job is not None or self._hw.settings.remote) and self._hw.settings.hooks.wake:
            self._hw.wake()


def _describe(lessons: Sequence[Lesson]) -> str:
    """The shown lessons that have a fix, in one line; "" when there are none."""
    with_fix = [lesson for lesson in lessons if lesson.is_active]
    if not with_fix:
        return ""
    best = with_fix[0]
    fixes = fixes_to_show(best.fixes)
    others = f" and {len(with_fix) - 1} more" if len(with_fix) > 1 else ""
    if fixes and fixes[0].mistake:
        return f"{learnt_line(fixes[0])}{others}"
    return f"showed lesson #{best.id}{others}: {one_line(best.situation, _LINE)}"


def _request_items(agent: Agent, event: Event) -> str:
    """The words that make the agent go on and write its items; "" if it may end.

    Items that it wrote into its last words, as it could not call hardwon, are added.
    """
    run, playbook = agent.run, agent.playbook
    if not playbook.was_asked:
        is_due = event.can_be_asked and not event.is_nested
        return playbook.request(_program(event)) if is_due else ""
    if _ANSWERED not in run.so_far().counted:
        run.note_marks([_ANSWERED])
        with suppress(HardwonError):  # it said nothing about items, or has added them
            playbook.add(event.text)
    return ""


def _writes_items(agent: Agent, event: Event) -> bool:
    """Whether a call writes items down."""
    if event.tool.endswith(_MCP_TOOL):
        return True
    call = canonical(event.args)
    return _COMMAND in call and agent.run.name in call


def _is_call_we_asked_for(agent: Agent, event: Event) -> bool:
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
