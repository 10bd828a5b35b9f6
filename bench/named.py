"""A prompt that names a lesson's signature gets the lesson, among few and many others.

    python -m bench named [--sizes 10,300,20000]

data/named.jsonl holds 28 lessons in the form of `/lesson SIGNATURE: TEXT`, each with a prompt that
names it. 14 were tried while the ranking was changed, 14 were kept apart. The others are made from
templates of the same words: tools, conditions and remedies.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from bench.internals import opened
from bench.timing import table

if TYPE_CHECKING:
    from collections.abc import Iterator

    Row = dict[str, str]

DATA = Path(__file__).parent / "data"
SIZES = "10,300,20000"
_TOOLS = """
fetch exec read write git docker psql curl npm yarn pytest mypy terraform kubectl helm ansible aws
gcloud redis kafka nginx gradle maven cargo go ruby rails django flask celery airflow spark pandas
numpy webpack vite eslint ssh rsync ffmpeg cron
"""
_CONDITIONS = """
behind a proxy, on large files, in CI, with a timeout, without the auth header, on Windows paths,
after an upgrade, with unicode names, in the sandbox, on a cold cache, with two workers,
in a read-only folder, over IPv6, with an old lock file, during a deploy, on the staging host,
with an empty result, in dry-run mode, for binary data, when the disk is full
"""
_REMEDIES = """
pass --{noun} {n}, set {tool}_{noun} to {n}, wait {n} seconds and try again, use the v{n} endpoint,
run it from the project root, clear the cache of {noun}, limit it to {n} rows, pin version {n}
"""
_NOUNS = """
report invoice session user order cart token image index queue worker schema policy bucket cluster
replica volume secret config branch
"""


def others(count: int) -> Iterator[tuple[str, str]]:
    """Signatures and texts of other lessons, no two the same."""
    chance, seen = random.Random(7), set[tuple[str, str]]()
    tools, nouns = _TOOLS.split(), _NOUNS.split()
    conditions, remedies = _CONDITIONS.strip().split(","), _REMEDIES.strip().split(",")
    while len(seen) < count:
        tool, noun = chance.choice(tools), chance.choice(nouns)
        about = f"{tool} {noun}" if chance.random() < 0.7 else tool
        remedy = (
            chance.choice(remedies).strip().format(tool=tool, noun=noun, n=chance.randint(2, 90))
        )
        lesson = f"{about} {chance.choice(conditions).strip()}", remedy
        if lesson not in seen:
            seen.add(lesson)
            yield lesson


def told(home: str, rows: list[Row], size: int) -> Counter[str]:
    """How many prompts of each part get their lesson, among `size` lessons in all."""
    found: Counter[str] = Counter()
    with opened(home) as hw:
        for start in range(0, len(rows), size):
            named = rows[start : start + size]
            agent = hw.agent(f"agent-{start}")
            with hw.runtime.store.together():
                ids = [agent.lessons.add(row["signature"], row["text"]).id for row in named]
                for signature, text in others(size - len(named)):
                    agent.lessons.add(signature, text)
            for row, number in zip(named, ids, strict=True):
                shown = agent.before_turn(row["prompt"]).lessons
                found[row["part"]] += any(lesson.id == number for lesson in shown)
    return found


def main() -> None:
    """Print how many prompts get their lesson."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--sizes", default=SIZES)
    chosen, _ = parser.parse_known_args()
    rows = [json.loads(line) for line in (DATA / "named.jsonl").read_text().splitlines()]
    counts: list[tuple[str, ...]] = [("lessons", "tried", "kept apart")]
    for size in map(int, chosen.sizes.split(",")):
        with tempfile.TemporaryDirectory() as home:
            found = told(home, rows, size)
        counts.append((f"{size:,}", f"{found['tried']} of 14", f"{found['apart']} of 14"))
    table("Prompts that get the lesson they name", counts)
