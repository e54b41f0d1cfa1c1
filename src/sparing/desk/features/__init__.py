"""Features as a person sees and steers them."""
