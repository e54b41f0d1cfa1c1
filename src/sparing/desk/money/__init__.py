"""What was spent, what was saved and what is yet to come."""
