"""The inverted index: from the keys of a recall to the lessons that hold them."""
