"""The repository's host, read by the user's own `gh`."""
