"""A recorded run compared with alternatives: replayed, as the naive baseline, its lower bound."""
