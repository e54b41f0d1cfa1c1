"""Tables for people, used by every door. Takes values, reads nothing."""
