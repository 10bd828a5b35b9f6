"""What a hook process needs of the standard library, at less than its cost to import."""
