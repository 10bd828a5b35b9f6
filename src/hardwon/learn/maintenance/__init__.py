"""Dreams: consolidate an agent's lessons while it is idle. Dreams are never injected."""

from hardwon.learn.maintenance.handle import Dreams

__all__ = ["Dreams"]
