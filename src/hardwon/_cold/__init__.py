"""Fast-importing replacements for parts of the standard library, for short hook processes."""
