"""Coding agents: their events in one set of words, and an answer in each agent's own."""
