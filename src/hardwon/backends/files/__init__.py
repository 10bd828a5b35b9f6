"""The durable queue: one small file a job, readable by `ls` and a hex dump."""

from hardwon.backends.files.queue import FileQueue, Limits

__all__ = ["FileQueue", "Limits"]
