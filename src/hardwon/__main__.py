"""Where a process starts. Each surface is imported only when it is the one that was asked for."""

import sys


def main() -> None:
    """The `hardwon` command."""
    from hardwon.surfaces.cli import run

    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
