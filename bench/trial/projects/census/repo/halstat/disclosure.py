"""Primary suppression (docs/method.md, chapter 4)."""
THRESHOLD = 5


def safe(value, n):
    """The value, or None if too few units stand behind it."""
    return None if n < THRESHOLD else value


def flag(n):
    return "c" if n < THRESHOLD else None
