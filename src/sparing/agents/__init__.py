"""Talking to coding agents: one protocol, one file per client."""
