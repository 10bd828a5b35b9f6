"""Guided selection over MCP: forms if the client can show them, else questions as data.

Annotations are evaluated here (no `from __future__`): the SDK reads resolvers from them.
"""

import asyncio
from functools import wraps
from typing import TYPE_CHECKING, Annotated, Any, Literal, ParamSpec, TypeVar

from mcp.server import mcpserver
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import ToolAnnotations
from pydantic import BaseModel, Field, create_model

from hardwon.core.errors import HardwonError
from hardwon.core.text.clean import clip, one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from hardwon import Agent
    from hardwon.learn.transcripts.mining import OpenQuestions
    from hardwon.learn.transcripts.questions import Option, Question

P = ParamSpec("P")
R = TypeVar("R")
_LABEL = 120
_SAVED = ("Q2", "Q3-missed")  # questions whose answers are numbers of insights
SessionId = Annotated[str, Field(max_length=128, pattern=r"^[A-Za-z0-9._-]*$")]
Answers = dict[str, list[str]]


def explain_errors(tool: "Callable[P, R]") -> "Callable[P, R]":
    """The tool; errors of hardwon reach the host as messages."""

    @wraps(tool)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return tool(*args, **kwargs)
        except HardwonError as error:
            raise ToolError(str(error)) from error

    return call


class Form(BaseModel):
    """The choices of a person; each call defines its own fields."""


class OptionView(BaseModel):
    """One answer that can be chosen."""

    value: str
    label: str


class QuestionView(BaseModel):
    """A question as data."""

    id: str
    text: str
    options: list[OptionView]
    multi: bool
    when: str = Field(description="Which earlier answer leads to it; empty: ask always.")


class Selected(BaseModel):
    """The result: `saved`, `declined`, or `questions` for the host to ask."""

    status: Literal["saved", "declined", "questions"]
    run: str = Field(default="", description="Pass it back together with the answers.")
    summary: str = ""
    questions: list[QuestionView] = []
    lessons: list[int] = []
    files: list[str] = []


class Desk:
    """Runs with open questions; a form must be the same when it is shown again."""

    def __init__(self, agent: "Agent", folder: str) -> None:
        self._agent = agent
        self._folder = folder
        self._waiting: dict[str, OpenQuestions] = {}

    async def questions(self, session: str) -> "OpenQuestions":
        """The questions of a session; computed once."""
        if session not in self._waiting:
            find, ask = self._agent.sessions.choose, self._agent.sessions.ask
            look = explain_errors(lambda: ask(find(session, cwd=self._folder)))
            self._waiting[session] = await asyncio.to_thread(look)
        return self._waiting[session]

    async def save(self, session: str, run: str, answers: Answers) -> Selected:
        """Save the insights that the answers choose."""
        self._waiting.pop(session, None)
        save = explain_errors(self._agent.sessions.answer)
        report = (await asyncio.to_thread(save, run, answers)).report
        return Selected(status="saved", lessons=list(report.lessons), files=list(report.files))


def add_selection(server: mcpserver.MCPServer, agent: "Agent", folder: str) -> None:
    """Register `select_insights`; by default it looks for sessions in the folder."""
    desk = Desk(agent, folder)
    which, where = _resolvers(desk)

    @server.tool(annotations=ToolAnnotations(read_only_hint=False, destructive_hint=False))
    async def select_insights(
        ctx: mcpserver.Context,
        chosen: Annotated[mcpserver.ElicitationResult[Form], mcpserver.Resolve(which)],
        placed: Annotated[mcpserver.ElicitationResult[Form], mcpserver.Resolve(where)],
        session: SessionId = "",
        run: SessionId = "",
        answers: Answers | None = None,
    ) -> Selected:
        """Let the user choose which insights of a session are kept (default: the newest here).

        A client that cannot show forms gets questions: ask them, then call again with `run` and
        `answers` (option values by question id; a question that is left out takes its default).
        """
        if run:
            return await desk.save(session, run, answers or {})
        waiting = await desk.questions(session)
        if not _can_ask(ctx):
            summary = waiting.delta.summary.text
            views = [
                QuestionView.model_validate(one, from_attributes=True) for one in waiting.questions
            ]
            return Selected(status="questions", run=waiting.run, summary=summary, questions=views)
        filled_in = _filled_in(waiting, (chosen, placed))
        if filled_in is None:
            return Selected(status="declined")
        return await desk.save(session, waiting.run, filled_in)


def _resolvers(desk: Desk) -> tuple[Any, Any]:
    """Two forms: which insights to keep, then where."""

    async def which(session: str, run: str, ctx: mcpserver.Context) -> Any:
        if run or not _can_ask(ctx):
            return Form()
        waiting = await desk.questions(session)
        shown = [question for question in waiting.questions if "." not in question.id]
        return mcpserver.Elicit(
            f"Insights of a session: {waiting.delta.summary.text}", _form(shown)
        )

    async def where(
        session: str,
        run: str,
        ctx: mcpserver.Context,
        chosen: Annotated[mcpserver.ElicitationResult[Form], mcpserver.Resolve(which)],
    ) -> Any:
        if run or not _can_ask(ctx) or not isinstance(chosen, mcpserver.AcceptedElicitation):
            return Form()
        waiting = await desk.questions(session)
        answers = _answers(waiting.questions, chosen.data)
        saved = {number for question in _SAVED for number in answers.get(question, [])}
        shown = [one for one in waiting.questions if one.id.partition(".")[2] in saved]
        return mcpserver.Elicit("Where should they be kept?", _form(shown)) if shown else Form()

    return which, where


def _filled_in(waiting: "OpenQuestions", forms: "Iterable[Any]") -> Answers | None:
    """All answers, or None when the person declined."""
    answers: Answers = {}
    for form in forms:
        if not isinstance(form, mcpserver.AcceptedElicitation):
            return None
        answers |= _answers(waiting.questions, form.data)
    if answers.get("Q3-missed", ["none"]) != ["none"]:
        answers["Q3"] = ["yes"]
    return answers


def _can_ask(ctx: mcpserver.Context) -> bool:
    able = ctx.client_capabilities
    return able is not None and able.elicitation is not None


def _form(questions: "Iterable[Question]") -> type[Form]:
    """A form with one field per question; the protocol allows only flat forms."""
    fields: dict[str, Any] = {}
    for question in questions:
        kind: Any = Literal[tuple(map(_option_label, question.options))]
        default = [
            _option_label(option) for option in question.options if option.value in question.default
        ]
        text = clip(one_line(question.text), 400)
        if question.multi:
            fields[_field(question)] = (list[kind], Field(default=default, description=text))
        else:
            fields[_field(question)] = (kind, Field(default=default[0], description=text))
    return create_model("Form", __base__=Form, **fields)


def _field(question: "Question") -> str:
    return question.id.replace(".", "_").replace("-", "_")


def _option_label(option: "Option") -> str:
    return clip(one_line(f"{option.value}: {option.label}"), _LABEL)


def _answers(questions: "Iterable[Question]", form: Form) -> Answers:
    """Option values by question id."""
    answers: Answers = {}
    for question in questions:
        ticked = getattr(form, _field(question), None)
        if ticked is not None:
            labels = ticked if isinstance(ticked, list) else [ticked]
            values = {_option_label(option): option.value for option in question.options}
            answers[question.id] = [values[text] for text in labels if text in values]
    return answers
