"""Common calculations of the bureau."""
