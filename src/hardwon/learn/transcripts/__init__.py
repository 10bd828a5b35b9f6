"""Transcripts of coding agents, mined into memory; a person chooses what is kept.

context → extraction → selection → integration → verification; see `phases`.
"""
