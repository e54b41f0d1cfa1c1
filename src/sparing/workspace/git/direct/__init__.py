"""What is read and written without a git of its own, where the outcome is certainly the same."""
