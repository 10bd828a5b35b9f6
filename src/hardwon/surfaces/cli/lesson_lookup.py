"""The lesson that a command names by id, and a hint when it is elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from hardwon.core.errors import NotFound
from hardwon.surfaces.cli import options

if TYPE_CHECKING:
    import hardwon


class LessonLookup(options.Scoped):
    """Opens the store for a lesson; prints the project, or where else a missing lesson is."""

    def __init__(self, *, as_json: bool, **place: Any) -> None:
        super().__init__(**place)
        self._is_quiet = as_json

    def __enter__(self) -> hardwon.Agent:
        self._agent = super().__enter__()
        return self._agent

    def __exit__(self, *raised: object) -> None:
        try:
            error = raised[1]
            if isinstance(error, NotFound) and error.kind == "lesson":
                self._point_elsewhere(error.name)
            elif error is None and not self._is_quiet:
                options.say_where(self._agent.scope)
        finally:
            super().__exit__()

    def _point_elsewhere(self, number: Any) -> None:
        scope = self._agent.lessons.place_of(number)
        if scope is None:
            raise NotFound("lesson", number, hint="; `hardwon lesson list` names those here")
        where = f"hardwon lesson show {number} {options.scope_options(scope)}"
        raise NotFound("lesson", number, hint=f" here; it is elsewhere: {where}")


def lesson_id(text: str) -> int:
    """`7` or `#7`."""
    digits = text.removeprefix("#")
    if not (digits.isascii() and digits.isdigit() and len(digits) < 19):
        raise click.UsageError(f"lesson id {text!r} is not a number")
    return int(digits)
