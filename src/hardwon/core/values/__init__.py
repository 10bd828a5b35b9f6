"""Frozen values that are stored and passed on. No I/O, no clock, no chance."""
