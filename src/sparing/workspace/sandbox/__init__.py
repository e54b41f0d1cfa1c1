"""Processes that run confined by the kernel: policies, launcher, supervisor."""
