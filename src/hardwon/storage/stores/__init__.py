"""Stores of lessons: one module per technology, chosen by URL, imported on first use."""
