"""Transcripts of coding agents: `past` records them as runs, `mining` asks a person what is kept.

Mining: context → extraction → selection → integration → verification.
"""
