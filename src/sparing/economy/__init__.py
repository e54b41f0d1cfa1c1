"""What it costs: prices, the choice of a way, and the naive baseline. Pure."""
