"""What a person is told of the base branch and of pull requests, and may ask for."""
