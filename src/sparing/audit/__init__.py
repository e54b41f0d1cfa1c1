"""Reviews of a branch or a pull request that was not made by a feature."""
