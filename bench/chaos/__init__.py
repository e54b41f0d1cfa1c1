"""Runs that are killed, stopped, lied to about the time, and refused by their disk."""
