"""Controllers that were deposed and do not know it."""
