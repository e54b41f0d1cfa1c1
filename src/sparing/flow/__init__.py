"""What comes next: flows as data and one table of transitions. Pure."""
