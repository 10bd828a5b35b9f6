"""From an event to a reply: each kind of event is one verb of the public face."""

from __future__ import annotations

from hardwon.project import project_of
from hardwon.surfaces.hooks.events import SILENCE, Event, Reply
from hardwon.surfaces.hooks.notebook import Notebook, run_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hardwon.api import Agent, Hardwon
    from hardwon.values.delivery import Injection

CONTEXT_LIMIT = 8000  # characters; Claude Code cuts above 10,000
TASK, ERROR = "task", "error"


def respond(event: Event, hw: Hardwon) -> Reply:
    """What to tell the agent about this event, after what it teaches has been recorded."""
    own, run = hw.settings.scope, run_id(event.session)
    project = own.project or project_of(event.cwd)
    agent = hw.agent(own.agent, project=project, tenant=own.tenant, run=run)
    conversation = _Conversation(hw, agent, Notebook(hw.settings.home, run))
    reply: Reply = getattr(conversation, event.kind)(event)
    if event.is_nested and not hw.settings.hooks.subagents:
        return SILENCE
    return reply._replace(context=_fitting(reply.context))


class _Conversation:
    """One method for each kind of event."""

    def __init__(self, hw: Hardwon, agent: Agent, notes: Notebook) -> None:
        self._hw = hw
        self._agent = agent
        self._notes = notes

    def session_start(self, event: Event) -> Reply:
        self._notes.tidy()
        return Reply(self._agent.digest(tokens=self._hw.settings.hooks.digest_tokens))

    def prompt(self, event: Event) -> Reply:
        self._capture("")  # a run that was interrupted never stops
        self._notes.write(TASK, event.text)
        return Reply(self._agent.before_turn(event.text).text)

    def before_action(self, event: Event) -> Reply:
        found = self._agent.before_action(event.tool, event.args)
        return Reply(denial=found.text) if _is_guarded(found) else Reply(found.text)

    def action_worked(self, event: Event) -> Reply:
        found = self._agent.after_action(event.tool, event.args, output=event.output)
        return Reply(found.text)

    def action_failed(self, event: Event) -> Reply:
        self._notes.write(ERROR, event.output or "failed without a word")
        found = self._agent.after_action(event.tool, event.args, output=event.output, failed=True)
        return Reply(found.text)

    def batch(self, event: Event) -> Reply:
        return SILENCE  # each call of the batch has had its own event, and its answer

    def stop(self, event: Event) -> Reply:
        self._capture(event.text)
        return SILENCE

    def session_end(self, event: Event) -> Reply:
        self._capture(event.text)
        self._notes.tear_out(TASK, ERROR)
        return SILENCE

    def compaction(self, event: Event) -> Reply:
        return SILENCE  # Gemini CLI says so before every request; the run goes on

    def _capture(self, attempt: str) -> None:
        """Queue the run if something failed in it, and see that somebody works the queue."""
        error = self._notes.read(ERROR)
        if not error:
            return
        task = self._notes.read(TASK) or "(unknown task)"
        job = self._agent.after_run(task=task, attempt=attempt, error=error)
        self._notes.tear_out(ERROR)
        if job is not None and self._hw.settings.hooks.wake:
            self._hw.wake()


def _is_guarded(found: Injection) -> bool:
    """Whether a person has said that this very call must not run."""
    return any(lesson.guard for lesson in found.lessons)


def _fitting(context: str) -> str:
    """Whole or not at all: half a block would be worse than none."""
    return context if len(context) <= CONTEXT_LIMIT else ""
