"""Ways to learn. Each turns what another program wrote into episodes; none imports another."""
