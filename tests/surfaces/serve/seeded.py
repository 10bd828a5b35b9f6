"""A home in which a tenant has something of everything."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

import hardwon
from hardwon.core import _files
from hardwon.models.budget import FileLedger, Spent
from hardwon.models.shared_ledger import SharedLedger
from hardwon.storage.service import KeyRing, open_database

MKDIR = {"command": "mkdir out/nightly"}
MKDIR_ERROR = "mkdir: cannot create directory 'out/nightly': No such file or directory"
AGENT, PROJECT = "coder", "acme/api"


class Seeds(NamedTuple):
    """What there is, by its id."""

    lesson: int
    job: str
    dream: str
    loop: str
    key: str
    delivery: str
    run: str
    failure: str  # its kind


def seed(
    place: Path | str,
    *,
    tenant: str = "default",
    word: str = "zebra",
    agent: str = AGENT,
    project: str | None = PROJECT,
) -> Seeds:
    """Leave something of a tenant in every place; every text of it holds the word."""
    with hardwon.open(place, model=lambda request: "no lesson in this") as hw:
        other = hw.agent(agent, project=project, tenant=tenant)
        other.after_run(task=f"deploy the {word}", error=f"the {word} refused")
        hw.drain()
        job = next(one for one in hw.queue.dead() if word in one.episode.task)
        coder = hw.agent(agent, project=project, tenant=tenant, run=f"run-{word}")
        lesson = coder.learn(f"make the {word} folder with `mkdir -p`")
        coder.lessons.edit(lesson.id, mistake=f"a {word} without its parent")
        shown = coder.before_turn(f"make the {word} folder")
        coder.learn(f"feed the {word} first")
        coder.after_action("bash", MKDIR, output=f"{word}: {MKDIR_ERROR}", failed=True)
        coder.end_run()
        (run,) = coder.runs.list(text=word)[:1]
        failure = hw.tenant(tenant, agent=agent, project=project).failures().rows[0].kind
        dream = coder.dreams.run()
        loop = coder.loops.run(
            f"try the {word}",
            actor=lambda turn: word,
            evaluate=lambda turn: True,
            loop_id=f"loop-{os.urandom(4).hex()}",
        )
    with hardwon.open(place) as hw:
        settings = hw.settings
        coder = hw.agent(agent, project=project, tenant=tenant)
        coder.goals.ended(f"goal-{word}", f"reach the {word}", "failed", error=f"no {word}")
        hw.drain()
        coder.before_turn(f"make the {word} folder")
        day = hw.report(tenant=tenant).at.date().isoformat()
    shared = _files.is_database(str(place))
    ledger = SharedLedger(str(place)) if shared else FileLedger(f"{settings.home}/spend")
    ledger.add(day, tenant, f"model-{word}", Spent(1, 100, 0.5))
    ledger.close()
    database = open_database(settings)
    key, _ = KeyRing(database).create(tenant=tenant, note=f"the {word} key")
    database.close()
    return Seeds(lesson.id, job.id, dream.id, loop.loop_id, key.id, shown.id, run.id, failure)
