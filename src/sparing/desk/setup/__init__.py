"""What is found in a repository, and what a person has agreed to."""
