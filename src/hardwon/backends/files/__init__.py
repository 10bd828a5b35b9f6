"""The durable queue: one small file a job, readable by `ls` and a hex dump."""

from hardwon.backends.files.intake import Limits
from hardwon.backends.files.queue import FileQueue

__all__ = ["FileQueue", "Limits"]
