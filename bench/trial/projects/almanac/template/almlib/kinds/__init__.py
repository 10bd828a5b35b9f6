"""Kinds of table.  A kind is a module with TITLE and rows(port, year, month)."""
