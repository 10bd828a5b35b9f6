"""What a failed call tells: its signature, its cause, its keys, its fix. Pure functions."""
