"""Rows of the scorecard: each injects one kind of fault and counts what went wrong.

`python -m tests.torture R2 --n 500 --mutant bury-first` prints one line: `R2 n=… bad=…`.
A row counts only if its mutants, deliberately broken builds, make it fail.
"""
