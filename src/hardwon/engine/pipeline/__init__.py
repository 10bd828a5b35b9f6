"""Verbs: one file each. A stage takes ports and values, and knows no other stage."""
