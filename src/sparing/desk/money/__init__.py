"""What was spent, saved and may follow."""
