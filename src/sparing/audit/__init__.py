"""Looks at a branch or a pull request that no feature made."""
