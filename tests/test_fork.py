"""A fork waits until no other thread imports a module."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

SLOW = """
import builtins, time
builtins.is_importing.set()
time.sleep(0.5)
"""
PROGRAM = """
import builtins, os, signal, sys, threading
import hardwon.core._fork
builtins.is_importing = threading.Event()
sys.path.append(sys.argv[1])
thread = threading.Thread(target=lambda: __import__("slow"))
thread.start()
builtins.is_importing.wait()
child = os.fork()
if not child:
    signal.alarm(60)  # ends a child that hangs
    import slow, colorsys
    os._exit(7)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
thread.join()
import calendar
"""


def test_a_child_imports_what_another_thread_was_importing(tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text(SLOW)

    ran = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", PROGRAM, str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=120,
    )

    assert (ran.stdout, ran.stderr) == ("7\n", "")
