"""Embedding search, and how it degrades when the endpoint is down."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import timedelta
from itertools import islice
from typing import TYPE_CHECKING

from hardwon.core._fork import cached_property
from hardwon.core.errors import PermanentError, TransientError
from hardwon.core.text.clean import clip
from hardwon.core.values.scope import Scope
from hardwon.knowledge.ranking.query import Near
from hardwon.models import budget, embeddings
from hardwon.storage.ports import Embedder

if TYPE_CHECKING:
    from hardwon.engine.runtime import Runtime

_BATCH = 32
_NEAREST = 24
_ASKED = 2000  # characters; embedding models read no more of a question


class SemanticSearch:
    """Embedding search of an opened store. Without an embedder it finds nothing, at no cost."""

    def __init__(self, engine: Runtime, given: Embedder | None) -> None:
        self._engine, self._store, self._settings = engine, engine.store, engine.settings
        self._given = given
        self.is_on = bool(given or engine.settings.recall.embedder)

    def ensure(self) -> None:
        """Raise MissingExtra or InvalidInput if the configured embedder cannot work here."""
        if self._given is None:
            embeddings.ensure(self._settings.recall.embedder)

    def near(self, scope: Scope, text: str) -> Near:
        """The lessons nearest in meaning, the nearest first; () while the endpoint is down."""
        found = self.vector(clip(text, _ASKED)) if text.strip() else None
        if found is None:
            return ()
        try:
            return tuple(self._store.vectors.nearest(scope, *found, limit=_NEAREST))
        except (TransientError, PermanentError) as error:
            self._engine.trouble(error)
            return ()

    def vector(self, text: str) -> tuple[str, Sequence[float]] | None:
        """The embedder's name and the vector of a text; None when no embedder answers."""
        if not self.is_on:
            return None
        try:
            return self._query_embedder.name, self._query_embedder.embed([text])[0]
        except (TransientError, PermanentError) as error:
            self._engine.trouble(error)
            return None

    def fill(self) -> Iterator[int]:
        """Embed every lesson without a vector, in batches; yields how many are done so far."""
        if not self.is_on:
            return
        done, last, name, vectors = 0, 0, self._embedder.name, self._store.vectors
        while wordings := vectors.lacking(name, after=last, limit=_BATCH):
            texts = [wording.texts() for wording in wordings]
            every = (text for lesson_texts in texts for text in lesson_texts)
            embedded = iter(self._embedder.embed(list(every)))
            # The sum of the vectors of a lesson: a store keeps its direction only.
            sums = [
                [sum(values) for values in zip(*islice(embedded, len(lesson_texts)), strict=True)]
                for lesson_texts in texts
            ]
            vectors.save(name, zip(wordings, sums, strict=True))
            done, last = done + len(wordings), wordings[-1].lesson
            yield done

    def counts(self) -> tuple[str, int, int]:
        """The embedder's name, how many lessons have its vector, and how many should."""
        if not self.is_on:
            return "", 0, 0
        name = self._embedder.name
        return name, *self._store.vectors.counts(name)

    @cached_property
    def _embedder(self) -> Embedder:
        """The embedder for lessons, within the budget."""
        if self._given:
            return budget.GovernedEmbedder(self._given)
        return self._open(self._settings.model.timeout)

    @cached_property
    def _query_embedder(self) -> Embedder:
        """The embedder for queries, with a shorter time limit than a worker's."""
        if self._given or self._settings.recall.embedder == embeddings.MINILM:
            return self._embedder
        return self._open(self._settings.recall.patience)

    def _open(self, timeout: timedelta) -> Embedder:
        name, key = self._settings.recall.embedder, self._settings.model.openai_key
        opened = embeddings.open_embedder(name, key=key, timeout=timeout)
        if name == embeddings.MINILM:
            return opened
        return budget.GovernedEmbedder(opened, self._engine.accounts.of(opened.name))
