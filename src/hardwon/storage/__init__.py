"""Where everything is kept: stores, queues, files and databases."""
