"""Text without secrets, where most texts hold none: the rules are imported when one may."""

from __future__ import annotations

from hardwon._cold import re
from hardwon._cold.lazy import lazy
from hardwon.text.clean import clip

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hardwon.text import redact
else:
    redact = lazy("hardwon.text.redact")

_PERHAPS_SECRET = r"[\w+/=-]{16}|://|(?i:passw|pwd|secret|token|key|auth|cookie)"
_WORD = 400  # no token is longer


def safe(text: str, limit: int) -> str:
    """The beginning of a text, without secrets; a token at the cut is seen as a whole."""
    text = text[: limit + _WORD]
    return clip(redact.redact(text) if re.search(_PERHAPS_SECRET, text) else text, limit)
