"""A script in the place of a model: a real backend for the demo and the tests."""
