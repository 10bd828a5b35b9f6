"""Screening and the rules reflector: what a failure costs before any model is asked."""

from __future__ import annotations

import time
from collections.abc import Callable

from hardwon.core.values.run import Step
from hardwon.engine.pipeline.screen import screen_lesson, screen_step
from hardwon.models.rules import answer
from tests.samples import EPISODE, lesson
from tests.text.test_redact import ADVERSARIAL

TYPICAL = (
    'Traceback (most recent call last):\n  File "/srv/app/main.py", line 12, in <module>\n'
    "    run(load(settings))\nValueError: token 'x' is not a key of the session\n" * 20
)[:2048]
STEPS = tuple(
    Step("bash", f"pytest tests/test_{n}.py -k case_{n}", "E   assert 1 == 2\n1 failed", n % 3 == 0)
    for n in range(100)
)


def main() -> None:
    """Print the figures of `docs/explanation/screening.md`."""
    step = Step("bash", "python main.py", TYPICAL, failed=True)
    made = lesson("Use `mkdir -p out/nightly` instead: it made the parents too. " * 8)
    episode = EPISODE._replace(steps=STEPS)
    worst = max((_screened(kind), kind) for kind in ADVERSARIAL)
    print(f"screening a typical error of 2 KB        {best(lambda: screen_step(step), 50):6.2f} ms")
    print(f"screening the worst 50 KB ({worst[1]})    {worst[0]:6.2f} ms")
    print(f"screening a lesson, with the gate        {best(lambda: screen_lesson(made)):6.2f} ms")
    print(f"rules, an episode of 100 steps           {best(lambda: answer(episode)):6.2f} ms")


def _screened(kind: str) -> float:
    part = ADVERSARIAL[kind]
    step = Step("bash", "x", part * (50_000 // len(part)))
    return best(lambda: screen_step(step), 5)


def best(call: Callable[[], object], rounds: int = 15) -> float:
    """Milliseconds of processor time of the quickest round: a busy machine counts little."""
    times = []
    for _ in range(rounds):
        began = time.process_time()
        call()
        times.append(time.process_time() - began)
    return min(times) * 1e3
