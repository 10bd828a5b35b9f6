"""Questions on a terminal: by arrow keys if there is a terminal, else by numbers."""

from __future__ import annotations

import sys
import textwrap
from typing import TYPE_CHECKING, Any

import click

from hardwon.core.errors import InvalidInput
from hardwon.core.text.clean import clip, one_line, printable
from hardwon.learn.transcripts.questions import NONE, Chosen, Question, valid
from hardwon.surfaces.cli.output import say, width

try:
    import questionary

    _HAS_KEYS = True
except ImportError:  # the extra `sessions` adds arrow keys; numbers always work
    _HAS_KEYS = False

if TYPE_CHECKING:
    from hardwon.learn.transcripts.mining import Phase

_MARGIN = 8  # columns that the arrow, the tick and the number need
_MARKS = {"pending": " ", "in_progress": "▸", "completed": "✔"}


def ask(question: Question) -> Chosen:
    """The values that the person chose; Ctrl-C and the end of input abort."""
    has_terminal = _HAS_KEYS and sys.stdin.isatty() and sys.stdout.isatty()
    answer = _by_keys if has_terminal else _by_number
    if has_terminal and _is_long(question):
        _show_options(question)
    elif not has_terminal:
        say(f"\n{question.text}")
        _show_options(question)
    while True:
        try:
            return valid(question, answer(question))
        except InvalidInput as error:
            say(f"  {error}")


def show(phases: tuple[Phase, ...]) -> None:
    """One line for the phase that begins, on standard error."""
    for number, phase in enumerate(phases, 1):
        if phase.status == "in_progress":
            line = f"{_MARKS[phase.status]} [{number}/{len(phases)}] {phase.active}"
            click.echo(line, err=True)


def _show_options(question: Question) -> None:
    """Print every option in full, wrapped to the terminal."""
    for number, option in enumerate(question.options, 1):
        head = f"  {number}) "
        text = head + one_line(printable(option.label))
        say("\n".join(textwrap.wrap(text, width(), subsequent_indent=" " * len(head))))


def _is_long(question: Question) -> bool:
    """Whether an option does not fit into its line of the menu."""
    return any(len(one_line(option.label)) > width() - _MARGIN for option in question.options)


def _by_keys(question: Question) -> Chosen:
    text, options = printable(question.text), _menu(question)
    if not question.multi:
        default = question.default[0] if question.default else None
        return (questionary.select(text, options, default=default).unsafe_ask(),)
    ticked = tuple(questionary.checkbox(text, options).unsafe_ask())
    # The keys that select all or invert also tick "none": it is ignored if anything else is ticked.
    return tuple(value for value in ticked if value != NONE) or question.default


def _menu(question: Question) -> list[Any]:
    """The options as lines of a menu; "none" is never ticked in advance."""
    ticked = set(question.default) - {NONE} if question.multi else set()
    return [
        questionary.Choice(line, option.value, checked=option.value in ticked)
        for line, option in zip(_lines(question), question.options, strict=True)
    ]


def _lines(question: Question) -> list[str]:
    labels = [one_line(printable(option.label)) for option in question.options]
    if not _is_long(question):
        return labels
    return [clip(f"{at}) {label}", width() - _MARGIN) for at, label in enumerate(labels, 1)]


def _by_number(question: Question) -> Chosen:
    hint = "numbers, as 1,3" if question.multi else "a number"
    text = click.prompt(f"Choose {hint}", default=_default(question), show_default=True)
    return _values(question, text)


def _default(question: Question) -> str:
    values = [option.value for option in question.options]
    return ",".join(str(values.index(value) + 1) for value in question.default)


def _values(question: Question, text: str) -> Chosen:
    """`1, 3` as the values of the first and the third option."""
    chosen = []
    for part in text.replace(",", " ").split():
        if not (part.isascii() and part.isdigit() and 1 <= int(part) <= len(question.options)):
            raise InvalidInput(f"{part!r} is not one of the numbers above")
        chosen.append(question.options[int(part) - 1].value)
    return tuple(chosen)
