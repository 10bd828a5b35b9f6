"""`hardwon uninstall`: lives beside its counterpart."""

from hardwon.surfaces.cli.install import uninstall as command

__all__ = ["command"]
