"""Values, texts, errors and settings: what every room uses."""
