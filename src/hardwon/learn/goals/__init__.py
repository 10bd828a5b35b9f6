"""Goals: reflect when one ends, and recall that when the same or a similar goal comes."""
