"""Interfaces for people and machines: parse, call the API, print. None imports another."""
