"""`hardwon loop`: try until the work is verified."""

from __future__ import annotations

import click

from hardwon.surfaces.cli.group import Group
from hardwon.surfaces.cli.loop import look, report, run


@click.group("loop", cls=Group)
def command() -> None:
    """Try a task until its verifiers pass, and learn from every failed trial.

    \b
    hardwon loop run "fix the rounding in cart.py" --actor claude \\
        --verify "pytest -q" --verify "mypy ." --max-trials 5
    """


for _command in (
    run.run,
    run.resume,
    run.abort,
    run.trust_file,
    look.status,
    look.show,
    look.list_,
    look.search,
    look.patterns,
    report.analyze,
    report.export,
    report.import_,
):
    command.add_command(_command)
