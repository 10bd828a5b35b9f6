"""Where jobs wait: one module per technology, imported on first use."""
