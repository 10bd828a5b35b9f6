"""`hardwon uninstall`: implemented in `install`."""

from hardwon.surfaces.cli.install import uninstall_command as command

__all__ = ["command"]
