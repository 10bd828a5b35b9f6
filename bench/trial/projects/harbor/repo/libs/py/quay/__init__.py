"""Shared code of the Python side."""
