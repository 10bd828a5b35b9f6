"""The durable queue: one small file per job, readable with `ls` and a hex dump."""

from hardwon.storage.queues.files.queue import FileQueue, QueueLimits

__all__ = ["FileQueue", "QueueLimits"]
