"""What a person may set, where it was set, and what a project may not set."""
