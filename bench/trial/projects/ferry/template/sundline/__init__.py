"""Timetable and tariffs of the Sund line."""
__version__ = "4.11.2"
