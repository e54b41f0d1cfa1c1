"""Wire formats of other vendors, read into the double's own request and written from its answer."""
