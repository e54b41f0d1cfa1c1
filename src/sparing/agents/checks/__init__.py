"""What a client is tested for before it is relied on: resume, one-hour entries, our tools."""
