"""What reviewers said and brought."""
