"""One module per technology, chosen by URL and imported on first use."""
