"""A benchmark of recurring agent failures: memories, replay and scores. It needs no model."""
