"""The repository's own checks: found in commits, compared with the base, run in a clean room."""
