"""What reviewers said, and what it was worth."""
