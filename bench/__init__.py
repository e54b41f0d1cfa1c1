"""Benches: they run the product and its parsers on workloads and write tables to `bench/out`."""
