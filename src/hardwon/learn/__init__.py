"""The ways to learn: each translates foreign words into episodes, thin, and knows no other way."""
