"""Tools for people who work on Sparing. The product never imports them."""
