"""Runs kept in one file: made from the records, played again, priced otherwise."""
