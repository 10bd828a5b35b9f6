"""Traces of agents become runs: `conventions` reads what spans say, `runs` records it."""
