"""Hooks of coding agents: read an agent's event, and answer in its own format."""
