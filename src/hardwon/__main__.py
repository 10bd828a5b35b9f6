"""The entry point of a process. It only imports the surface that is needed."""

import gc
import sys


def main() -> None:
    """The `hardwon` command; a hook has its own entry, because it runs at every event."""
    if not sys.flags.isolated:
        from hardwon.core import _isolation

        _isolation.restrict_path()
    if sys.argv[1:2] == ["hook"] and not {"-h", "--help"} & set(sys.argv[2:]):
        gc.disable()  # a hook process is too short for it to pay
        from hardwon.surfaces.hooks import client

        client.run(sys.argv[2:])
    try:
        from hardwon.surfaces.cli import run

        code = run(sys.argv[1:])
    except KeyboardInterrupt:  # outside a command: nothing was begun
        code = 130
    sys.exit(code)


if __name__ == "__main__":
    main()
