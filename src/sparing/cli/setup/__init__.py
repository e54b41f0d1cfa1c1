"""Commands about this machine and this repository."""
