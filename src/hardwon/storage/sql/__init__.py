"""One store over two databases: the classes that speak SQL, and what a database must offer them."""
