"""The parts of hardwon that need an extra; a release ships them apart, as `hardwon-extras`."""

from __future__ import annotations

import sys

from hardwon.core.errors import MissingExtra

# The extra of each part. The same parts are listed in packages/extras/pyproject.toml.
EXTRAS = {
    "hardwon.storage.copying": "postgres",
    "hardwon.learn.transcripts": "sessions",
    "hardwon.core.metrics": "metrics",
    "hardwon.engine.mirror": "postgres",
    "hardwon.models.embeddings.endpoint": "models",
    "hardwon.models.embeddings.minilm": "vectors",
    "hardwon.models.embeddings.threads": "vectors",
    "hardwon.models.embeddings.wordpiece": "vectors",
    "hardwon.models.http": "models",
    "hardwon.models.providers": "models",
    "hardwon.models.shared_ledger": "postgres",
    "hardwon.storage.postgres": "postgres",
    "hardwon.storage.queues.postgres": "postgres",
    "hardwon.storage.sql.vectors": "vectors",
    "hardwon.storage.stores.markdown": "sessions",
    "hardwon.storage.stores.postgres": "postgres",
    "hardwon.storage.stores.sqlite.mirror": "postgres",
    "hardwon.storage.vector_codes": "vectors",
    "hardwon.surfaces.cli.copy": "postgres",
    "hardwon.surfaces.cli.dialogue": "sessions",
    "hardwon.surfaces.cli.session": "sessions",
    "hardwon.surfaces.mcp": "mcp",
    "hardwon.surfaces.serve": "serve",
}


def explain_missing() -> None:
    """Let the import of a part that is not installed raise MissingExtra."""
    if _MissingParts not in sys.meta_path:
        sys.meta_path.append(_MissingParts)


class _MissingParts:
    """The finder that Python asks last: no other one has found the module."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> None:
        if extra := EXTRAS.get(name):
            raise MissingExtra(extra)
