"""Dreams: put an agent's lessons in order while nobody works. Nothing of it is injected."""

from hardwon.learn.maintenance.handle import Dreams

__all__ = ["Dreams"]
