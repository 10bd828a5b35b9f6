"""The durable queue: one small file per job, readable with `ls` and a hex dump."""

from hardwon.storage.queues.files.admission import QueueLimits
from hardwon.storage.queues.files.queue import FileQueue

__all__ = ["FileQueue", "QueueLimits"]
