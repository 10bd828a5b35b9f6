"""A worker that is killed while it keeps what a model read: `python reading_killed.py HOME DELAY`.

The model answers at once. DELAY seconds later the process is killed; a negative one spares it.
"""

from __future__ import annotations

import os
import signal
import sys
import threading

import hardwon
from tests.learn.reader.test_reading import PROFILE, said


def main(home: str, delay: float) -> None:
    def answer(request: object) -> str:
        if delay >= 0:
            kill = threading.Timer(delay, os.kill, (os.getpid(), signal.SIGKILL))
            kill.daemon = True
            kill.start()
        return said(add=[PROFILE, {**PROFILE, "when": "opening a second one"}])

    with hardwon.open(home, model=answer) as hw:
        hw.drain()


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]))
