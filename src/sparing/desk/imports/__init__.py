"""Work that began elsewhere, taken over."""
