"""Tables for people, used by every interface. Takes values, reads nothing."""
