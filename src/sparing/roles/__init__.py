"""Roles: an agent's job, read from files that a person can override."""
