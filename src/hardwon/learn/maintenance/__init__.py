"""Dreams: consolidate an agent's lessons while it is idle. Nothing of it is injected."""

from hardwon.learn.maintenance.handle import Dreams

__all__ = ["Dreams"]
