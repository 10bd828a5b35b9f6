"""The inverted index: from keys to the lessons that hold them."""
