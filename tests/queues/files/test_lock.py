"""One process works a queue at a time."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from hardwon.storage.queues.files import FileQueue
from tests.queues.files.file_queue import JOB, claim
from tests.samples import NOW


def test_only_one_works_the_queue_and_the_next_takes_over(base: Path) -> None:
    first, second = FileQueue(str(base)), FileQueue(str(base))
    first.put(JOB)
    claimed = claim(first)

    assert second.claim(NOW) is None
    assert second.worker() == os.getpid()

    first.close()

    assert second.claim(NOW) == claimed.with_attempt()


def test_the_lock_dies_with_its_owner(base: Path) -> None:
    code = (
        "import os; from tests.samples import *;"
        "from hardwon.storage.queues.files import FileQueue;"
        f"q = FileQueue({str(base)!r}); q.put(job()); q.claim(NOW); os.kill(os.getpid(), 9)"
    )
    died = subprocess.run([sys.executable, "-c", code], cwd=Path(__file__).parents[3], check=False)

    assert died.returncode == -9
    assert claim(FileQueue(str(base))).attempts == 2
