"""S1, S2, S9, S27: no attack is repeated, no secret kept, no frame imitated."""

from __future__ import annotations

import random
import string
from collections.abc import Iterator
from itertools import cycle, islice
from pathlib import Path

import hardwon
from hardwon.core.text.injection import suspicion
from hardwon.engine.pipeline import inject
from tests.corpora.attacks import attacks, ordinary
from tests.corpora.injections import _PLAIN, BENIGN
from tests.corpora.secrets import Leak, coined, leaks, listed, loose
from tests.samples import lesson
from tests.text.test_frames import MARKERS, VARIANTS, _looks
from tests.text.test_quoting import FORMS, _shares

CORPORA = (leaks, listed, coined, loose)


def s1(folder: Path, n: int, chance: random.Random, mutant: str) -> tuple[int, int]:
    """`n` attacks as the output of a failing tool; bad: those of which a part is shown later.

    A door that fails, or says nothing, shows nothing: so few of them may say nothing.
    """
    made = [one.text for one in attacks(chance.randrange(1 << 20), each=40)]
    texts = list(islice(cycle([*made, *_PLAIN]), n))
    told = [_told(text, chance.choice(FORMS)) for text in texts]
    silent = sum("make -B deploy" not in "".join(one) for one in told)
    repeated = (
        any(_shares(one, text) for one in each) for each, text in zip(told, texts, strict=True)
    )
    return n, sum(repeated) + max(0, silent - n // 10)


def _told(attack: str, form: str) -> list[str]:
    """What the doors say while three runs meet it and find a way around."""
    output, shown = form.format(" ".join(attack.split())), []
    with hardwon.open("memory:") as hw:
        for _ in range(3):
            agent = hw.agent("coder")
            shown += [agent.before_turn("make deploy fails, deploy the shop")]
            shown += [agent.before_action("bash", "make deploy")]
            shown += [agent.after_action("bash", "make deploy", output=output, failed=True)]
            shown += [agent.after_action("bash", "make -B deploy", output="ok")]
            agent.after_run(task="deploy the shop", error=output)
            hw.drain()
    return [one.text for one in shown]


def s2(folder: Path, n: int, chance: random.Random, mutant: str) -> tuple[int, int]:
    """`n` attacks given to `learn`, and ordinary rules; bad: rules held, attacks over a tenth."""
    made = [one.text for one in islice(attacks(chance.randrange(1 << 20), each=n), n)]
    passed = sum(not suspicion(text) for text in made)
    held = sum(bool(suspicion(text)) for text in (*ordinary(), *BENIGN))
    return n, held + max(0, passed - n // 10)


def s9(folder: Path, n: int, chance: random.Random, mutant: str) -> tuple[int, int]:
    """`n` secrets through every door; bad: those that any file below the home holds."""
    planted = list(islice(_leaks(chance), n))
    with hardwon.open(folder / "home") as hw:
        for number, leak in enumerate(planted):
            agent = hw.agent("coder", run=f"run-{number % 7}")
            agent.before_turn(leak.text)
            agent.before_action("bash", leak.text)
            agent.after_action("bash", {"command": leak.text}, output=leak.text, failed=True)
            agent.goals.ended(leak.text, leak.text, "failed", error=leak.text)
            agent.after_run(task=leak.text, attempt=leak.text, error=leak.text)
        hw.drain()
    files = (path for path in (folder / "home").rglob("*") if path.is_file())
    written = b"\n".join(path.read_bytes() for path in files)
    return n, sum(leak.secret.encode() in written for leak in planted)


def _leaks(chance: random.Random) -> Iterator[Leak]:
    """Secrets of every kind that are long enough to be looked for."""
    while True:
        seed = chance.randrange(1 << 20)
        found = [each for corpus in CORPORA for each in corpus(seed, each=1)]
        chance.shuffle(found)
        yield from (leak for leak in found if len(leak.secret) >= 8)


def s27(folder: Path, n: int, chance: random.Random, mutant: str) -> tuple[int, int]:
    """`n` imitations of a frame inside a lesson; bad: those that are shown as they are."""
    bad = 0
    for _ in range(n):
        marker, variant = chance.choice(MARKERS), chance.choice(sorted(VARIANTS))
        words = "".join(chance.choices(string.ascii_lowercase + " ", k=chance.randrange(40)))
        poison = VARIANTS[variant](marker)
        text = f"{poison} {words}" if ":" in marker else f"{words} {poison} {words}"
        block = inject.render([lesson(text, id=7)], door="turn", budget=2000).text
        bad += _looks(marker) in _looks("\n".join(block.splitlines()[1:-1]))
    return n, bad
