"""`make bench` runs every benchmark; `python -m bench foundation` one of them.

`python -m bench trial` is the trial with live agents; it has verbs of its own.
"""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

_NO_BENCHMARKS = {"__init__", "__main__", "timing", "corpus", "http_load"}


def main() -> None:
    """Run the named benchmarks, or all."""
    if sys.argv[1:2] == ["trial"]:
        import_module("bench.trial").main(sys.argv[2:])
        return
    known = sorted({path.stem for path in Path(__file__).parent.glob("*.py")} - _NO_BENCHMARKS)
    named = [name for name in sys.argv[1:] if name in known]  # the rest are its options
    for name in named or known:
        print(f"\n## {name}")
        import_module(f"bench.{name}").main()


main()
