"""Commands that answer a gate or control a feature."""
