"""Words and charts that the terminal, the report and the pages share."""
