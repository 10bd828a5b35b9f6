"""How lessons are found and ordered. Pure functions."""
