"""`hardwon status`: lives beside `install`."""

from hardwon.surfaces.cli.install import status as command

__all__ = ["command"]
