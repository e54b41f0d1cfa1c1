"""Keeps what a provider has cached in reach: primers, and calls that keep sessions warm."""
