"""What goes into the commits of a feature: its message, `.meta.json`, the review history."""
