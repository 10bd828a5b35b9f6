"""What failures and runs show, and how lessons are found and judged. Pure functions."""
