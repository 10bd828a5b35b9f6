"""Data of a server in a home: keys, and answers to requests that may be repeated."""
