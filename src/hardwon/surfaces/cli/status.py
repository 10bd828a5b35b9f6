"""`hardwon status`: implemented in `install`."""

from hardwon.surfaces.cli.install import status as command

__all__ = ["command"]
