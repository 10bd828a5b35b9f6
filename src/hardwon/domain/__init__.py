"""Nouns: frozen values and pure functions. No I/O, no clock, no chance."""
