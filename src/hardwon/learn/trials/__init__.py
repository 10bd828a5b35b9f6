"""Trials: attempt, verify with the real tools, reflect, try again with what was learnt."""
