"""`hardwon uninstall`: implemented in `install`."""

from hardwon.surfaces.cli.install import uninstall as command

__all__ = ["command"]
