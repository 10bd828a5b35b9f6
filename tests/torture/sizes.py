"""R9: payloads of every size, to the limit and one byte beyond."""

from __future__ import annotations

import itertools
import os
import random
from collections.abc import Callable
from pathlib import Path

from hardwon import Episode, Job, Scope, Step
from hardwon.core.errors import InvalidInput
from hardwon.core.values.job import new_job
from hardwon.storage.queues.files import FileQueue
from hardwon.storage.queues.records import encode
from tests.samples import EPISODE, NOW, stored

_FRAME = 16
LIMIT = 1 << 20  # promised, so not read from the code
# Around the 4,084 bytes where the published reader stops, a page, a kernel buffer, and the limit.
FIRST = [0, 1, 4084, 4085, 4096, 65536, LIMIT, LIMIT + 1]
EDGES = [*range(4079, 4098), *range(65535, 65538), LIMIT - 1, LIMIT + 4096, 2 * LIMIT]
_BARE = Episode(Scope(), "")


def _job(episode: Episode) -> Job:
    return new_job(episode, "manual", NOW)


# Where the bytes are: in the task, in the attempt, in an error, in a step, in many bytes a letter.
SHAPES: list[Callable[[str], Job]] = [
    lambda text: _job(_BARE._replace(task=text)),
    lambda text: _job(_BARE._replace(task="t", attempt=text)),
    lambda text: _job(EPISODE._replace(error=text)),
    lambda text: _job(EPISODE._replace(steps=(Step("bash", "x", text, failed=True),))),
    lambda text: _job(_BARE._replace(task=f"日本語 <&> \u2028 {text}")),
]


def r9(folder: Path, n: int, chance: random.Random, mutant: str) -> tuple[int, int]:
    """Records of `n` sizes come back as they were; over the limit there is a clear error."""
    bad = 0
    for turn, (size, shape) in enumerate(itertools.islice(_sizes(chance), n)):
        made = _of_size(shape, size)
        base = str(folder / f"q{turn % 50}")
        bad += not (_is_refused(base, made) if size > LIMIT else _is_same(base, made))
    return n, bad


def _sizes(chance: random.Random) -> itertools.chain[tuple[int, Callable[[str], Job]]]:
    known = itertools.product([*FIRST, *EDGES], SHAPES)
    more = ((int(2 ** chance.uniform(8, 20)), chance.choice(SHAPES)) for _ in itertools.count())
    return itertools.chain(known, more)


def _of_size(shape: Callable[[str], Job], size: int) -> Job:
    """A job whose payload has so many bytes; what is small already is left as small as it is."""
    least = len(encode(shape("x"))) - _FRAME
    texts = len(encode(shape("xx"))) - _FRAME - least  # an error is also told in the outcome
    room = size - least
    if room <= 0:
        return shape("x" * min(size, 1))
    made = shape("x" * (1 + room // texts))
    return made._replace(last_error="y" * (room % texts))


def _is_same(base: str, made: Job) -> bool:
    FileQueue(base).put(made)
    queue = FileQueue(base)
    found = queue.claim(NOW)
    is_same = stored(found) == made.with_attempt()
    if found:
        queue.done(found)
    return is_same and not os.listdir(os.path.join(base, "wal"))


def _is_refused(base: str, made: Job) -> bool:
    try:
        FileQueue(base).put(made)
    except InvalidInput as error:
        return "over the limit" in str(error) and not os.listdir(os.path.join(base, "wal"))
    return False
