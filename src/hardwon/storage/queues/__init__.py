"""Queues of jobs: one module per technology, imported on first use."""
