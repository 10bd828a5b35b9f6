"""The durable queue: one small file per job, readable with `ls` and a hex dump."""

from hardwon.queues.files.admission import QueueLimits
from hardwon.queues.files.queue import FileQueue

__all__ = ["FileQueue", "QueueLimits"]
