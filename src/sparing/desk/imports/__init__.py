"""Importing work that began elsewhere."""
