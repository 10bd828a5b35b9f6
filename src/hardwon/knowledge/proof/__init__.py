"""Whether lessons help: the coin, the pooled claim, the verdict on one lesson. Pure functions."""
