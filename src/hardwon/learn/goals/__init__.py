"""Goals: reflect when one ends, and bring it to mind when the same or a similar one comes."""

from hardwon.learn.goals.goal import context, ended, kept, process
from hardwon.learn.goals.orchestrators import Attachment, attach

__all__ = ["Attachment", "attach", "context", "ended", "kept", "process"]
