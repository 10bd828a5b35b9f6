"""`hardwon model`: try the model that reads runs and words lessons."""

from __future__ import annotations

import time

import click

import hardwon
from hardwon.core.errors import HardwonError
from hardwon.core.text.clean import one_line, plural
from hardwon.surfaces.cli import options
from hardwon.surfaces.cli.group import Group
from hardwon.surfaces.cli.output import complain, dump, say_folded

_SHOWN = 300  # characters of an answer


@click.group("model", cls=Group)
def model_command() -> None:
    """The model that reads runs and words lessons; `hardwon config set model.name` chooses it."""


@model_command.command()
@options.home
@options.as_json
def test(home: str | None, as_json: bool) -> None:
    """Send one small request to the model, and say what came back."""
    began = time.monotonic()
    try:
        with hardwon.open(home) as hw:
            reply = hw.try_model()
    except HardwonError as error:
        complain(str(error))
        raise click.exceptions.Exit(1) from error
    seconds = time.monotonic() - began
    if as_json:
        dump({**reply._asdict(), "seconds": round(seconds, 2)})
        return
    tokens = plural(reply.tokens_in + reply.tokens_out, "token")
    say_folded(
        f"{reply.model} answered in {seconds:.1f} s, {tokens}: {one_line(reply.text, _SHOWN)}"
    )
