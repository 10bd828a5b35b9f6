"""What went wrong in one step: an exact signature, a kind, and the error line."""

from __future__ import annotations

from typing import NamedTuple

_GENERIC = frozenset({"AssertionError", "Error", "Exception", "Failed", "RuntimeError"})


class Failure(NamedTuple):
    """A failure, read once from the output of a step."""

    exact: str  # digest of tool and folded line; "" when the line fits many failures
    kind: str  # digest of `text`
    text: str  # the readable kind: "OperationalError: no such table <name>"
    line: str = ""  # the line that matters, as printed, cleaned

    @property
    def is_telling(self) -> bool:
        """Whether it is specific: by its line, or by a kind that names a cause."""
        return bool(self.exact) or self.text.rsplit(": ", 1)[-1] not in _GENERIC
