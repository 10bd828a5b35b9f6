"""Text that comes in or goes out: cleaned, redacted, screened, parsed. Pure functions."""
