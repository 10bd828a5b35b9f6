"""Memory files that people read and edit: MEMORY.md and `.insights/`."""

from hardwon.core._files import FileChange, read_text
from hardwon.core._files import update_text as update
from hardwon.storage.stores.markdown.insights import Document, Note
from hardwon.storage.stores.markdown.memory import Entry

__all__ = ["Document", "Entry", "FileChange", "Note", "read_text", "update"]
