"""Questions on a terminal: arrow keys where there is one, numbers where there is not."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from hardwon.errors import InvalidInput
from hardwon.learn.transcripts.questions import Chosen, Question, valid
from hardwon.surfaces.cli.output import say
from hardwon.text.clean import clip, one_line, printable

try:
    import questionary

    _HAS_KEYS = True
except ImportError:  # the extra `sessions` adds arrow keys; numbers always work
    _HAS_KEYS = False

if TYPE_CHECKING:
    from hardwon.learn.transcripts.phases import Phase

_WIDTH = 160
_MARKS = {"pending": " ", "in_progress": "▸", "completed": "✔"}


def ask(question: Question) -> Chosen:
    """The values that the person chose; Ctrl-C and the end of input abort."""
    if not (_HAS_KEYS and sys.stdin.isatty() and sys.stdout.isatty()):
        return _by_number(question)
    return _by_keys(question)


def show(phases: tuple[Phase, ...]) -> None:
    """One line for the phase that begins, on standard error."""
    for number, phase in enumerate(phases, 1):
        if phase.status == "in_progress":
            line = f"{_MARKS[phase.status]} [{number}/{len(phases)}] {phase.active}"
            click.echo(line, err=True)


def _by_keys(question: Question) -> Chosen:
    options = [
        questionary.Choice(
            _shown(option.label), option.value, checked=option.value in _checked(question)
        )
        for option in question.options
    ]
    text = printable(question.text)
    if question.multi:
        chosen = questionary.checkbox(text, options).unsafe_ask()
        return tuple(chosen) or question.default
    default = question.default[0] if question.default else None
    return (questionary.select(text, options, default=default).unsafe_ask(),)


def _checked(question: Question) -> Chosen:
    """What is ticked at first: never the answer that excludes all others."""
    return tuple(one for one in question.default if one != "none") if question.multi else ()


def _by_number(question: Question) -> Chosen:
    say(f"\n{question.text}")
    for number, option in enumerate(question.options, 1):
        say(f"  {number}) {_shown(option.label)}")
    hint = "numbers, as 1,3" if question.multi else "a number"
    while True:
        text = click.prompt(f"Choose {hint}", default=_default(question), show_default=True)
        try:
            return valid(question, _values(question, text))
        except InvalidInput as error:
            say(f"  {error}")


def _default(question: Question) -> str:
    values = [option.value for option in question.options]
    return ",".join(str(values.index(one) + 1) for one in question.default)


def _values(question: Question, text: str) -> Chosen:
    """`1, 3` as the values of the first and the third option."""
    chosen = []
    for part in text.replace(",", " ").split():
        if not (part.isascii() and part.isdigit() and 1 <= int(part) <= len(question.options)):
            raise InvalidInput(f"{part!r} is not one of the numbers above")
        chosen.append(question.options[int(part) - 1].value)
    return tuple(chosen)


def _shown(label: str) -> str:
    return clip(one_line(label), _WIDTH)
