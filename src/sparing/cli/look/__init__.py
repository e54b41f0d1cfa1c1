"""Commands that show things."""
