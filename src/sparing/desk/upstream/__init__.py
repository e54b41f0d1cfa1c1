"""What a person sees of the base branch and of pull requests, and may request."""
