"""Claude Code as a backend: one process per turn, driven over its stream of JSON lines."""
