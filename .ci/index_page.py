"""The long description of the package: README.md for a page that has no other files beside it."""

from __future__ import annotations

import os
import re
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

_PICTURE = re.compile(r"^!\[[^\]]*\]\([^)]*\)\n\n", re.MULTILINE)
_LINK = re.compile(r"\[([^\]]+)\]\((?!https?://)[^)]*\)")  # to a file of the repository
_LINKS_ONLY = "\n## More\n"  # the last section


class IndexPage(MetadataHookInterface):
    """Hatchling calls it for every build; `readme` is dynamic in pyproject.toml."""

    def update(self, metadata: dict[str, Any]) -> None:
        with open(os.path.join(self.root, "README.md"), encoding="utf-8") as file:
            text = file.read().partition(_LINKS_ONLY)[0]
        text = _LINK.sub(r"\1", _PICTURE.sub("", text))
        metadata["readme"] = {"content-type": "text/markdown", "text": text}
