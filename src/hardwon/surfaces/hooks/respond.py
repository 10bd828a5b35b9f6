"""Answer an event: each kind of event is one verb of the public API."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from hardwon.core.errors import HardwonError
from hardwon.core.text.clean import one_line
from hardwon.core.values.run import ASKED
from hardwon.engine import trust
from hardwon.knowledge.reading.mined_lesson import fixes_to_show, learnt_line
from hardwon.surfaces.hooks import writing
from hardwon.surfaces.hooks.events import SILENCE, Event, EventKind, HookReply

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hardwon.api import Agent, Hardwon
    from hardwon.core.values.delivery import Injection
    from hardwon.core.values.job import Job
    from hardwon.core.values.lesson import Lesson

_AGAIN = {"resume", "clear", "compact"}  # why a session starts once more, without its context
_ASKING = {EventKind.PROMPT, EventKind.BEFORE}
_SAID = "said in the turn of"
_TASK = 80  # characters that identify a turn
_LINE = 100  # characters of a lesson in the line for the person
CONTEXT_LIMIT = 8000  # characters; Claude Code cuts above 10,000


def respond(event: Event, hw: Hardwon) -> HookReply:
    """Record the event; the reply to the agent."""
    default_scope = hw.settings.scope
    project = default_scope.project or trust.project_for(
        event.cwd, hw.settings.home, tenant=default_scope.tenant
    )
    is_mute = event.is_nested and not hw.settings.hooks.subagents
    # What a muted sub-agent asks must not count as shown in the conversation.
    run = f"{event.session}/nested" if is_mute and event.kind in _ASKING else event.session
    agent = hw.agent(default_scope.agent, project=project, tenant=default_scope.tenant, run=run)
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
        self._read_folder(event.cwd)
        injection = self._agent.start(again=event.text in _AGAIN)
        if self._hw.settings.hooks.wake and self._hw.settings.remote:
            self._hw.wake()  # updates the copy of the server's lessons meanwhile
        return self._reply(injection)

    def _read_folder(self, cwd: str) -> None:
        """Take in the lessons of the repository; a copy of a server's lessons takes in nothing."""
        scope, settings = self._agent.scope, self._hw.settings
        from hardwon.api import lessons_folder

        folder = "" if settings.remote else lessons_folder.trusted_folder(cwd, settings.home, scope)
        if folder:
            with suppress(HardwonError, OSError):  # the session begins all the same
                lessons_folder.read(self._agent.lessons, scope, folder)

    def prompt(self, event: Event) -> HookReply:
        if self._asks and writing.is_request(event.text):
            return SILENCE  # some agents report what a hook said as a prompt
        self._capture("")  # an interrupted run has no stop event
        return self._reply(self._agent.before_turn(event.text))

    def before_action(self, event: Event) -> HookReply:
        if self._asks and writing.is_allowed(self._agent, event):
            return HookReply(is_allowed=True)
        injection = self._agent.before_action(event.tool, event.args)
        if injection.denied:
            return HookReply(denial=injection.text, note=self._note(injection))
        return self._reply(injection)

    def action_worked(self, event: Event) -> HookReply:
        if self._asks and writing.is_ours(self._agent, event):
            return SILENCE  # no step of the work
        injection = self._agent.after_action(
            event.tool, event.args, output=event.output, failed=False
        )
        return self._reply(injection)

    def action_failed(self, event: Event) -> HookReply:
        if self._asks and writing.is_ours(self._agent, event):
            return SILENCE
        injection = self._agent.after_action(
            event.tool, event.args, output=event.output, failed=True
        )
        return self._reply(injection)

    def batch(self, event: Event) -> HookReply:
        return SILENCE  # each call of the batch had its own event and answer

    def stop(self, event: Event) -> HookReply:
        if self._asks and (words := writing.request(self._agent, event)):
            return HookReply(request=words)  # the run goes on
        self._capture(event.text)
        return SILENCE

    def session_end(self, event: Event) -> HookReply:
        self._capture(event.text)
        self._wake(self._agent.end_run())
        return SILENCE

    def compaction(self, event: Event) -> HookReply:
        return SILENCE  # Gemini CLI sends this before every request; the run continues

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
