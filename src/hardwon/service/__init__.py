"""What a server keeps in a home: keys, and answers that may be asked for again."""
