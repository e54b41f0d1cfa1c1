"""What a whole feature costs under different strategies, on drawn work and real prompts."""
