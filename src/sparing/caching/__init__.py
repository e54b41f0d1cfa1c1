"""Keeps a provider's cache entries alive: primers, and calls that keep sessions warm."""
