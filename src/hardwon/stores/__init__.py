"""Where lessons are kept: one module per technology, chosen by URL, imported on first use."""
