"""Commands that begin work."""
