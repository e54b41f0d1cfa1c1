"""Talking to coding agents: one protocol, one file a client."""
