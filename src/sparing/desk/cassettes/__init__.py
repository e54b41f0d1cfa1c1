"""Runs kept in one file: recorded from the records, replayed, or repriced."""
