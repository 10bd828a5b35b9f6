"""`hardwon fix`."""

from hardwon.surfaces.cli.how import fix as command

__all__ = ["command"]
