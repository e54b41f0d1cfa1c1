"""Codex as a backend, driven over its app server's JSON-RPC on standard input and output."""
