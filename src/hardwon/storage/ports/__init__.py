"""What the core needs from the outside: narrow protocols, each with its promises."""

from hardwon.storage.ports.knowledge import (
    DreamStore,
    History,
    LessonStore,
    ReflectionStore,
    VectorStore,
)
from hardwon.storage.ports.listing import Listing
from hardwon.storage.ports.logs import (
    DeliveryLog,
    FailureLog,
    HoldOut,
    RunArchive,
    Statistics,
)
from hardwon.storage.ports.model import Embedder, Model, Reply, Request
from hardwon.storage.ports.queue import Queue, QueueOperations, WorkedQueue
from hardwon.storage.ports.run import Run
from hardwon.storage.ports.store import Knowledge, Logs, Parts, Store, Upkeep

__all__ = [
    "DeliveryLog",
    "DreamStore",
    "Embedder",
    "FailureLog",
    "History",
    "HoldOut",
    "Knowledge",
    "LessonStore",
    "Listing",
    "Logs",
    "Model",
    "Parts",
    "Queue",
    "QueueOperations",
    "ReflectionStore",
    "Reply",
    "Request",
    "Run",
    "RunArchive",
    "Statistics",
    "Store",
    "Upkeep",
    "VectorStore",
    "WorkedQueue",
]
