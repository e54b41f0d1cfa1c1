"""Commands that answer a gate or steer a feature."""
