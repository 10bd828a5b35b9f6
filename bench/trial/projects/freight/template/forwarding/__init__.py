"""Freight of Marlow & Teague: tariffs and rating."""
