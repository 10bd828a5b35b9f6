"""What is stored and passed on: frozen values. No I/O, no clock, no chance."""
