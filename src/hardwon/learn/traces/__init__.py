"""Traces of agents become runs: `otlp` reads spans, `conventions` what they say, `runs` records."""
