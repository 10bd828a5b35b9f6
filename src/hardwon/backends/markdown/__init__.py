"""Memory that people read and edit: MEMORY.md and `.insights/`, written without losing a word."""

from hardwon.backends.markdown.files import Change, read_text, update
from hardwon.backends.markdown.insights import Document, Note
from hardwon.backends.markdown.memory import Entry

__all__ = ["Change", "Document", "Entry", "Note", "read_text", "update"]
