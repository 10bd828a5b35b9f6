"""Memory files that people read and edit: MEMORY.md and `.insights/`."""

from hardwon.core._text_files import FileChange, read_text, update_text
from hardwon.storage.stores.markdown.insights import Document, Note
from hardwon.storage.stores.markdown.memory import Entry

__all__ = ["Document", "Entry", "FileChange", "Note", "read_text", "update"]
