"""How people read it: words and charts that the terminal, the report and the page share."""
