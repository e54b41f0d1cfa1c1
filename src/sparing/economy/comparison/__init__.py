"""A recorded run beside what it could have been: replayed, the naive way, its lower bound."""
