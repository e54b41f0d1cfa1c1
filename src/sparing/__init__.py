"""Sparing: from an idea to merged, reviewed code, for the fewest tokens that do the job."""

__version__ = "0.1.0"
