"""Text from outside: cleaned, redacted, screened, parsed. Pure functions."""
