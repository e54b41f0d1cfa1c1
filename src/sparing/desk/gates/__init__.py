"""What a person sees and says at a gate."""
