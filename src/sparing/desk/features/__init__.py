"""Features as a person sees and controls them."""
