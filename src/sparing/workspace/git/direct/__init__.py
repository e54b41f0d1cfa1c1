"""Reads and writes done without starting git, where the outcome is certainly the same."""
