"""The driver; all modules import it from here."""

from hardwon.core.errors import MissingExtra

try:
    import psycopg as psycopg
except ImportError as error:
    raise MissingExtra("postgres") from error
