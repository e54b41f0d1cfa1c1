"""Recorded steps: each a name that is stored, and a body that lives in another room."""
