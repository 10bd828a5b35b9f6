"""Sessions: transcripts of coding agents, mined into memory with the person choosing.

context → extraction → selection → integration → verification; see `phases`.
"""
