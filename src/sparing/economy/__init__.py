"""Costs: prices, the choice of how to send a dispatch, and the naive baseline. Pure functions."""
